import { err, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { ProjectId, RoleKey, RolePermission, UserId } from '../../domain/values.js'
import type { HeldRole, HeldRolesQuery, Slice } from '../../ports/access-reads.js'
import { type InvalidArgument, invalid, type ReadError } from '../errors/errors.js'
import type { AdmittedCall } from '../method/context.js'
import type { PermissionName, RoleKeyName } from '../method/names.js'
import {
  type AccessListInput,
  type AccessPage,
  accessListFields,
  readAccessPage,
} from '../reading/pages.js'
import type { Runtime } from '../runtime.js'

/** The user, and what they must have. */
export const ScopesOfInput = z.strictObject({
  userId: UserId,
  roleKey: z.optional(RoleKey),
  permission: z.optional(RolePermission),
  projectId: z.optional(ProjectId),
  ...accessListFields,
})

/** Either a permission or a role. */
export type PermissionOrRole =
  | {
      /** The permission, such as `invoice.read`: 1 to 100 characters. */
      readonly permission: PermissionName
      /** Absent with a permission. */
      readonly roleKey?: never
    }
  | {
      /** The role. */
      readonly roleKey: RoleKeyName
      /** Absent with a role. */
      readonly permission?: never
    }

/** A {@link ScopesOfInput} without pages and the past, and the organization of the user. */
export type LiveScopesQuestion = PermissionOrRole & {
  /** The organization of the user. */
  readonly orgId: string
  /** Your id of the user. */
  readonly userId: string
  /** Only projects with this `id`, of any organization. Default: all. */
  readonly projectId?: string | undefined
}

/** The user whose scopes to list, and the permission or the role that they must have there. */
export type ScopesOfInput = AccessListInput &
  PermissionOrRole & {
    /** Your id of the user: 1 to 200 characters (code points). */
    readonly userId: string
    /** Only projects with this `id`, of any organization. Default: all. */
    readonly projectId?: string | undefined
  }

/** Where a user has a permission or a role. */
export interface Scope {
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
  /** The resource; absent for the whole project, which includes all of its resources. */
  readonly resource?: string
}

/** @see AccessChecks.scopesOf */
export const scopesOf = async (
  runtime: Runtime,
  call: AdmittedCall,
  input: z.output<typeof ScopesOfInput>,
): Promise<Result<AccessPage<Scope>, ReadError>> => {
  const { pageSize: _, pageToken: __, at: ___, ...filters } = input
  const unclear = flawOf(filters.roleKey, filters.permission)
  if (unclear) return err(unclear)
  return readAccessPage(runtime, call, {
    method: 'scopesOf',
    input,
    keyLength: 3,
    keyOf: keyOfScope,
    read: ({
      after,
      ...page
    }: Pick<HeldRolesQuery, 'now' | 'at' | 'limit'> & { readonly after?: ScopeKey }) => {
      const query = { orgId: call.orgId, ...filters, ...page }
      const ask = (after: HeldRolesQuery['after']) =>
        runtime.query(call, { method: 'heldRoles', args: [{ ...query, ...(after && { after }) }] })
      return scopesAfter(ask, after, page.limit)
    },
  })
}

const flawOf = (
  roleKey: string | undefined,
  permission: string | undefined,
): InvalidArgument | undefined => {
  if (roleKey === undefined && permission === undefined)
    return invalid('permission', 'is required, or roleKey')
  return roleKey === undefined || permission === undefined
    ? undefined
    : invalid('permission', 'must not be given with roleKey: make two calls')
}

type ScopeKey = readonly [projectOrgId: string, projectId: string, resource: string]

/** A scope's place in the order. */
export const keyOfScope = ({ projectOrgId, projectId, resource = '' }: Scope): ScopeKey => [
  projectOrgId,
  projectId,
  resource,
]

/** After every key of a role, which has at most 200 characters. */
const AFTER_ROLES = '\u{10FFFF}'.repeat(201)

/** Merges the roles of each scope: they are neighbours. */
const scopesAfter = async (
  ask: (after: HeldRolesQuery['after']) => Promise<Slice<HeldRole>>,
  after: ScopeKey | undefined,
  limit: number,
): Promise<Slice<Scope>> => {
  const items: Scope[] = []
  let last = after
  for (;;) {
    const page = await ask(last && [...last, AFTER_ROLES, '', ''])
    for (const { projectId, projectOrgId, resource } of page.items) {
      const scope = { projectId, projectOrgId, ...(resource !== undefined && { resource }) }
      const key = keyOfScope(scope)
      if (last?.every((text, index) => text === key[index])) continue
      if (items.length === limit) return { items, hasMore: true }
      items.push(scope)
      last = key
    }
    if (!page.hasMore) return { items, hasMore: false }
  }
}
