import { err, ok, type Result } from 'neverthrow'
import { exists, type NotFound } from '../../../domain/decider.js'
import { identityProviders } from '../../../domain/identity-provider/aggregate.js'
import type { ProjectGrantState } from '../../../domain/project-grant/aggregate.js'
import type { ProjectGrantEvent } from '../../../domain/project-grant/events.js'
import { projectRoles } from '../../../domain/project-role/aggregate.js'
import type { RoleGeneration } from '../../../domain/role-generations.js'
import type { RoleMappingState } from '../../../domain/role-mapping/aggregate.js'
import type { RoleMappingEvent } from '../../../domain/role-mapping/events.js'
import {
  type GroupName,
  type IdpId,
  type OrgId,
  type ProjectId,
  type RoleKey,
  type StreamId,
  sameRoles,
} from '../../../domain/values.js'
import type { WriteError } from '../../errors/errors.js'
import { currentRoles } from '../../grant-rules/current-roles.js'
import { decideProjectGrant } from '../../grant-rules/decide-project-grant.js'
import { decideRoleMapping } from '../../grant-rules/decide-role-mapping.js'
import type { GrantChange } from '../../grant-rules/permit-roles.js'
import type { Streams } from '../../recording/streams.js'
import type { MappingChange } from '../../writing/dry-run.js'
import type { ParsedGrant, ParsedMapping } from '../declared/desired-project.js'
import type { Planning } from '../sealed-secrets.js'
import type { Content, InProject } from './contents.js'
import { blocked, changed, type Draft, isTouched, removed, superseded } from './draft.js'
import { foresee, type Guard } from './foresight.js'

type Decision = Promise<Result<Draft, WriteError>>

/** Names a grant to another organization. */
export interface GrantIds {
  readonly projectId: ProjectId
  readonly grantedOrgId: OrgId
}

type GrantContent = Content<GrantIds, ProjectGrantState, ProjectGrantEvent>

type MappingContent = Content<MappingIds, RoleMappingState, RoleMappingEvent>

/** Names a mapping of a group. */
export interface MappingIds {
  readonly idpId: IdpId
  readonly projectId: ProjectId
  readonly projectOrgId: OrgId
  readonly group: GroupName
}

/**
 * Changes a grant to another organization as declared; without `grant`, its protection alone. A grant of a role that a
 * newer version removed is superseded.
 */
export const changeGrant = async (
  inside: InProject,
  planning: Planning,
  subject: GrantContent,
  grant?: ParsedGrant,
): Decision => {
  const { ids, before } = subject
  const left = await leftToNewer(inside, grant?.roleKeys)
  if (left.isErr()) return err(left.error)
  if (left.value) return ok(superseded(subject))
  const roles = await rolesOf(inside, before.state)
  // The same roles in another order are no change.
  const isSame = !grant || sameRoles(grant.roleKeys, roles.kept)
  const roleKeys = isSame ? roles.kept : grant.roleKeys
  const type = exists(before.state) ? 'UpdateProjectGrant' : 'AddProjectGrant'
  const isTouch = isTouched(planning, before)
  const decided = await guarded(inside, (streams) =>
    decideProjectGrant(streams, { type, ...ids, roleKeys, isTouch }),
  )
  return decided.map(({ write, guards }) => {
    const shown = { ...subject, roleKeys: isSame ? roles.kept : roles.current }
    const effect = isSame ? {} : effectOf(write, roles, roleKeys)
    return { ...changed(planning, shown, write), guards, ...effect }
  })
}

/** Removes a grant that is not declared. */
export const removeGrant = async (inside: InProject, subject: GrantContent): Decision => {
  const { ids, before } = subject
  const roles = await rolesOf(inside, before.state)
  const decided = await guarded(inside, (streams) =>
    decideProjectGrant(streams, { type: 'RemoveProjectGrant', ...ids }),
  )
  return decided.map(({ write, guards }) => ({
    ...removed({ ...subject, roleKeys: roles.current }, write),
    guards,
    changedRoleKeys: roles.current,
    ends: roles.kept,
  }))
}

/**
 * Changes a mapping of a group as declared; without `mapping`, its protection alone. A mapping of a role that a newer
 * version removed is superseded, one of a removed provider is blocked.
 */
export const changeMapping = async (
  inside: InProject,
  planning: Planning,
  subject: MappingContent,
  mapping?: ParsedMapping,
): Decision => {
  const { ids, before } = subject
  const provider = await foresee(inside.streams, inside).read(identityProviders, ids)
  if (provider.state.status === 'absent')
    return err({ kind: 'NotFound', object: identityProviders.ref(ids) })
  const left = await leftToNewer(inside, mapping?.roleKeys)
  if (left.isErr()) return err(left.error)
  if (left.value) return ok(superseded(subject))
  if (provider.state.status === 'removed') return ok(blocked(subject.object))
  const roles = await rolesOf(inside, before.state)
  const same = exists(before.state) ? asMapping(roles.kept, before.state) : undefined
  const wanted = mapping && !isSameMapping(mapping, same) ? mapping : same
  const { roleKeys, validFor } = wanted ?? { roleKeys: roles.kept }
  const type = same ? 'UpdateRoleMapping' : 'AddRoleMapping'
  const isTouch = isTouched(planning, before)
  const decided = await guarded(inside, (streams) =>
    decideRoleMapping(streams, { type, ...ids, roleKeys, validFor, isTouch }),
  )
  return decided.map(({ write, guards }) => {
    const shown = { ...subject, roleKeys: wanted === same ? roles.kept : roles.current }
    const draft = { ...changed(planning, shown, write), guards }
    if (wanted === same) return draft
    const change = same && { ends: roles.kept, mapping: { before: same, after: wanted } }
    return { ...draft, ...effectOf(write, roles, roleKeys), ...change }
  })
}

/** Removes a mapping that is not declared. */
export const removeMapping = async (inside: InProject, subject: MappingContent): Decision => {
  const { ids, before } = subject
  const roles = await rolesOf(inside, before.state)
  const decided = await guarded(inside, (streams) =>
    decideRoleMapping(streams, { type: 'RemoveRoleMapping', ...ids }),
  )
  return decided.map(({ write, guards }) => ({
    ...removed({ ...subject, roleKeys: roles.current }, write),
    guards,
    changedRoleKeys: roles.current,
    ends: roles.kept,
    mapping: { before: asMapping(roles.kept, before.state), after: undefined },
  }))
}

type MappedRoles = NonNullable<MappingChange['after']> & { readonly roleKeys: readonly RoleKey[] }

/** Whether a mapping is as declared. The same roles in another order are no change. */
const isSameMapping = (declared: ParsedMapping, same: MappedRoles | undefined): boolean =>
  declared.validFor === same?.validFor && sameRoles(declared.roleKeys, same?.roleKeys ?? [])

const asMapping = (roleKeys: readonly RoleKey[], state: RoleMappingState) => {
  const validFor = exists(state) ? state.validFor : undefined
  return { roleKeys, ...(validFor !== undefined && { validFor }) }
}

/** The roles of a grant or mapping that are current before the decision, and those that earlier decisions keep. */
interface Roles {
  readonly current: readonly RoleKey[]
  readonly kept: readonly RoleKey[]
}

const rolesOf = async (
  inside: InProject,
  state: ProjectGrantState | RoleMappingState,
): Promise<Roles> => {
  const { projectId, streams } = inside
  const recorded: readonly Generation[] = exists(state) ? state.roles : []
  const owned = { projectOrgId: streams.orgId, projectId }
  const [current, kept] = await Promise.all(
    [streams, foresee(streams, inside)].map((each) => currentRoles(each, owned, recorded)),
  )
  return { current: keysOf(current), kept: keysOf(kept) }
}

type Generation = Pick<RoleGeneration, 'roleKey' | 'roleSince'>

const keysOf = (roles: readonly Generation[] = []) => roles.map(({ roleKey }) => roleKey)

/** Decides on the streams as earlier decisions leave them; what is read guards the change. */
const guarded = async (
  inside: InProject,
  decide: (streams: Streams) => Promise<Result<GrantChange, WriteError>>,
) => {
  const guards = new Map<StreamId, Guard>()
  const decided = await decide(foresee(inside.streams, inside, guards))
  return decided.map((write) => ({ write, guards: [...guards.values()] }))
}

/** The roles that change in a grant or mapping, and those that users lose by it. The end of a removed role is not counted. */
const effectOf = (
  write: GrantChange,
  { current, kept }: Roles,
  roleKeys: readonly string[],
): Pick<Draft, 'changedRoleKeys' | 'ends'> => {
  const [before, after] = [new Set<string>(current), new Set(roleKeys)]
  const keys = new Set(write.changedRoleKeys())
  for (const key of [...before, ...after]) if (before.has(key) !== after.has(key)) keys.add(key)
  const ends = kept.filter((roleKey) => !after.has(roleKey))
  return { changedRoleKeys: [...keys], ...(exists(write.before.state) && { ends }) }
}

/** Whether a newer version removed one of the roles. Refused: a role that the project will not have. */
const leftToNewer = async (
  inside: InProject,
  roleKeys: readonly RoleKey[] = [],
): Promise<Result<boolean, NotFound>> => {
  const { projectId } = inside
  const ahead = foresee(inside.streams, inside)
  const roles = await Promise.all(
    roleKeys.map((roleKey) => ahead.read(projectRoles, { projectId, roleKey })),
  )
  const missing = roles.flatMap(({ name, state }, index) => {
    const roleKey = roleKeys[index]
    return exists(state) || roleKey === undefined ? [] : { roleKey, isLeft: inside.left.has(name) }
  })
  const absent = missing.find(({ isLeft }) => !isLeft)
  if (!absent) return ok(missing.length > 0)
  return err({ kind: 'NotFound', object: projectRoles.ref({ ...absent, projectId }) })
}
