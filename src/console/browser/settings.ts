import type { Messages } from './english.js'
import type { AreaName } from './page-names.js'

/** The host's settings, as embedded in the page. */
export interface Settings {
  readonly title: string
  /** Path of the same origin, or a `data:` URL. */
  readonly logo?: string | undefined
  /** Such as `#2456c8`. */
  readonly accent?: string | undefined
  readonly loginUrl?: string | undefined
  readonly signOutUrl?: string | undefined
  readonly backUrl?: string | undefined
  /** All when absent. */
  readonly areas?: readonly AreaName[] | undefined
  /** Whether the host can name and find users. */
  readonly hasUsers: boolean
  /** Whether the host can find organizations. */
  readonly hasOrganizations: boolean
  /** Selects the organization of a call. */
  readonly organizationHeader: string
  readonly userIdsAreAddresses: boolean
  /** A tag of BCP 47, such as `de`. */
  readonly language: string
  /** The languages that the reader can choose from. */
  readonly languages: readonly string[]
  readonly messages?: Messages | undefined
  /** Whether the console has its own menu. */
  readonly hasMenu: boolean
  /** Whether this is the guided set-up behind a link. */
  readonly isLink: boolean
  /** Whether sign-ins can be previewed. */
  readonly hasPreview: boolean
  /** Where that is; absent when it is not served. */
  readonly setUpPath?: string | undefined
  /** Prefix of the console, as its handler knows it: `setUpPath` lies beside it. */
  readonly basePath: string
}

/** A user as the host describes them. */
export interface Person {
  readonly id: string
  readonly name: string
  readonly email?: string | undefined
  readonly picture?: string | undefined
}

/** A project, and the organization that owns it. */
export interface ProjectIds {
  readonly projectId: string
  /** Default: the current one. */
  readonly projectOrgId?: string | undefined
}

/** Names of what an answer has ids of. Ids without a name are left out. */
export interface Names {
  /** The organization of the caller: objects that name no owner are its own. */
  readonly orgId: string
  readonly users: readonly Person[]
  readonly organizations: readonly { readonly id: string; readonly name: string }[]
  readonly providers: readonly { readonly idpId: string; readonly name: string }[]
  readonly projects: readonly (ProjectIds & {
    readonly name: string
    readonly roles: readonly { readonly roleKey: string; readonly displayName: string }[]
  })[]
}

// Tests read texts and object types without a page.
const element =
  typeof document === 'undefined' ? null : document.querySelector('meta[name="settings"]')

export const settings: Settings = JSON.parse(
  element?.getAttribute('content') ?? '{ "language": "en", "languages": [] }',
)
