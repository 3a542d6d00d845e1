import { isExpired } from '../../domain/role-generations.js'
import type {
  AccessQuery,
  FoundAccess,
  FoundGrant,
  FoundMappedRole,
  FoundRole,
  HeldRolesQuery,
} from '../../ports/access-reads.js'
import { compareCodePoints } from '../../projections/row-order.js'
import type { AccessReason } from '../errors/errors.js'
import type { AdmittedCall } from '../method/context.js'
import type { Runtime } from '../runtime.js'

/** Whether a role counts, or a user may log in. */
export interface AccessCheck {
  /**
   * With a `roleKey`: whether the user has that role. With a `permission`: whether a role of the user has it. Without
   * both: whether the login rules of the project let the user in.
   */
  readonly allowed: boolean
  /** Keys of all roles that count for the user in the project, or on the resource in the question; sorted by code point. */
  readonly roleKeys: readonly string[]
  /** The permissions of these roles, without duplicates, sorted by code point. */
  readonly permissions: readonly string[]
  /** Empty when allowed; otherwise all that apply. If the project does not exist, it is the only reason. */
  readonly reasons: readonly AccessReason[]
}

/** A question about {@link FoundAccess}. */
export interface AccessQuestion {
  /** Whether the organization of the user owns the project. */
  readonly isOwn: boolean
  /** The role to check. Without role and permission, the login rules of the project are checked. */
  readonly roleKey?: string | undefined
  /** The permission to check. */
  readonly permission?: string | undefined
  /** Whether a role counts for the user on any resource of the project, which is enough for its login rules. */
  readonly hasRoleOnResource?: boolean
  readonly now: Date
}

/** Judges by the grants whether a role counts, or a user may log in. */
export const judgeAccess = (found: FoundAccess, question: AccessQuestion): AccessCheck => {
  const kinds = reasonsOf(found, question)
  const counting = countingRoles(found, question)
  return {
    allowed: kinds.length === 0,
    roleKeys: counting.map((role) => role.roleKey),
    permissions: permissionsOf(counting),
    reasons: kinds.map((kind) => ({ kind })),
  }
}

/** The permissions of the roles, without duplicates, sorted by code point. */
const permissionsOf = (roles: readonly FoundRole[]): readonly string[] => {
  const all = roles.flatMap(({ permissions }) => permissions)
  // The permissions of one role are sorted, without duplicates.
  return roles.length < 2 ? all : [...new Set(all)].sort()
}

/**
 * Whether the login rules of the project ask for a role that the user does not have for the whole project: then a role
 * on any resource lets the user in.
 */
export const needsRoleOnResource = (found: FoundAccess, question: AccessQuestion): boolean =>
  question.roleKey === undefined &&
  question.permission === undefined &&
  found.project?.projectRoleCheck === true &&
  (question.isOwn || found.projectGrant !== undefined) &&
  countingRoles(found, question).length === 0

/** The roles that count, without duplicates: everything they depend on is active, and they have not expired. */
export const countingRoles = (
  { project, projectGrant, grants, mapped }: FoundAccess,
  { isOwn, now }: Pick<AccessQuestion, 'isOwn' | 'now'>,
): readonly FoundRole[] => {
  if (project?.state !== 'active' || (!isOwn && projectGrant !== 'active')) return []
  const active = grants.filter(({ state }) => state === 'active')
  const granted = active.flatMap(({ roles }) => roles.filter((role) => !isExpired(role, now)))
  const byGroups = mapped.filter((role) => mappedFlaw(role, now) === undefined)
  if (byGroups.length === 0 && active.length < 2) return granted
  const counting = new Map([...byGroups, ...granted].map((role) => [role.roleKey, role]))
  return [...counting.values()].sort((one, other) => compareCodePoints(one.roleKey, other.roleKey))
}

/** Why a role of a group does not count; undefined if it counts. */
const mappedFlaw = (role: FoundMappedRole, now: Date): Kind | undefined => {
  if (!role.isProviderActive) return 'ProviderInactive'
  return isExpired(role, now) ? 'MembershipExpired' : undefined
}

type Kind = AccessReason['kind']

const reasonsOf = (found: FoundAccess, question: AccessQuestion): readonly Kind[] => {
  const { isOwn, roleKey, permission, hasRoleOnResource = false } = question
  const { project, projectGrant, mapped } = found
  // Without a grant, nothing is revealed of another organization's project, not even whether it exists.
  if (!isOwn && projectGrant === undefined) return ['ProjectGrantMissing']
  if (project === undefined) return ['ProjectNotFound']
  const isLogin = roleKey === undefined && permission === undefined
  const needsRole = !isLogin || project.projectRoleCheck
  const needsGrant = needsRole || project.hasProjectCheck
  const reasons: Kind[] = []
  if (project.state === 'inactive') reasons.push('ProjectInactive')
  if (needsGrant && projectGrant === 'inactive') reasons.push('ProjectGrantInactive')
  if (!needsRole || (isLogin && hasRoleOnResource)) return reasons
  // Only a log that was restored has a grant without roles. Read models in SQL do not find it.
  const grants = found.grants.filter(({ roles, lost }) => roles.length + lost.length > 0)
  const byGrant = grants.map((grant) => grantReasons(grant, question))
  if (byGrant.some(({ length }) => length === 0)) return reasons
  const byGroups = mapped.filter((role) => matchesQuestion(role, question))
  const flaws = new Set(byGroups.map((role) => mappedFlaw(role, question.now)))
  if (flaws.has(undefined)) return reasons
  for (const flaw of flaws) if (flaw) reasons.push(flaw)
  if (grants.length === 0) return flaws.size > 0 ? reasons : [...reasons, 'NoGrant']
  // A role from a group, or from the other grant, counts as given to the user.
  const giving = byGrant.filter((kinds) => !kinds.some((kind) => NOT_GIVEN.has(kind)))
  const isGiven = flaws.size > 0 || giving.length > 0
  const told = isGiven ? giving : byGrant
  if (isGiven && grants.some(({ state }) => state === 'inactive')) reasons.push('GrantInactive')
  return [...new Set([...reasons, ...told.flat()])]
}

const NOT_GIVEN: ReadonlySet<Kind> = new Set(['RoleNotGranted', 'PermissionNotGranted'])

/** Why a grant does not give the role or permission in the question; empty if it does. */
const grantReasons = (grant: FoundGrant, question: AccessQuestion): readonly Kind[] =>
  grant.state === 'inactive'
    ? ['GrantInactive', ...roleReasons(grant, question)]
    : roleReasons(grant, question)

const matchesQuestion = (role: FoundRole, { roleKey, permission }: AccessQuestion): boolean =>
  (roleKey === undefined || role.roleKey === roleKey) &&
  (permission === undefined || role.permissions.includes(permission))

/** Why the roles of a grant alone do not give the role or permission in the question. */
const roleReasons = ({ roles, lost }: FoundGrant, question: AccessQuestion): readonly Kind[] => {
  const { roleKey, permission, now } = question
  let hasExpired = false
  for (const role of roles) {
    if (!matchesQuestion(role, question)) continue
    if (!isExpired(role, now)) return []
    hasExpired = true
  }
  // Whether a lost role had the permission is not known.
  if (permission !== undefined) return hasExpired ? ['Expired'] : ['PermissionNotGranted']
  const ends = new Set(
    lost
      .filter((role) => roleKey === undefined || role.roleKey === roleKey)
      .map((role) => role.with),
  )
  const reasons: Kind[] = hasExpired ? ['Expired'] : []
  if (ends.has('role')) reasons.push('RoleRemoved')
  if (ends.has('project_grant') || reasons.length === 0) reasons.push('RoleNotGranted')
  return reasons
}

/** Whether a role counts for the user on the whole project, or on any resource of it. */
export const hasRoleOnAny = async (
  runtime: Runtime,
  call: AdmittedCall,
  { resource: _, ...query }: AccessQuery & Pick<HeldRolesQuery, 'at' | 'now'>,
): Promise<boolean> => {
  const first = { ...query, limit: 1 }
  const { items } = await runtime.query(call, { method: 'heldRoles', args: [first] })
  return items.length > 0
}
