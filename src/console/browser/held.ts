import type { ProjectIds } from './known.js'
import { say, texts } from './texts.js'

/** The group of a provider that a role comes from. */
export type RoleSource = {
  readonly idpId: string
  readonly group: string
}

/** A role that somebody has, in one of the ways to have it. */
export interface HeldRole {
  readonly roleKey: string
  /** Absent where the role counts in the whole project. */
  readonly resource?: string
  readonly expiresAt?: string
  /** Absent where the role was given by hand. */
  readonly via?: RoleSource
}

/** A role of a user. */
export interface RoleOfUser extends HeldRole, ProjectIds {
  readonly projectOrgId: string
  readonly displayName?: string
  readonly permissions?: readonly string[]
  readonly since?: string
}

/** A user, and the roles that count. */
export interface UserWithRoles {
  readonly userId: string
  readonly roles: readonly RoleOfUser[]
}

/** Who has a role of a project, and since when. */
export interface RoleHolder extends HeldRole {
  readonly userId: string
  readonly orgId: string
  readonly from: string
}

/** How a user has a role: given by hand, or by a group. */
export const viaOf = ({ via }: { readonly via?: RoleSource | undefined }): string =>
  via ? say(texts.viaGroup, { group: via.group }) : texts.direct
