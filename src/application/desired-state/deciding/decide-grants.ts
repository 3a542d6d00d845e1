import { err, ok, type Result } from 'neverthrow'
import { exists, type NotFound } from '../../../domain/decider.js'
import { identityProviders } from '../../../domain/identity-provider/aggregate.js'
import type { Message } from '../../../domain/message.js'
import type { ProjectGrantState } from '../../../domain/project-grant/aggregate.js'
import { projectRoles } from '../../../domain/project-role/aggregate.js'
import type { RoleGeneration } from '../../../domain/role-generations.js'
import type { RoleMappingState } from '../../../domain/role-mapping/aggregate.js'
import { type RoleKey, type StreamId, sameRoles } from '../../../domain/values.js'
import type { WriteError } from '../../errors/errors.js'
import { currentRoles } from '../../grant-rules/current-roles.js'
import type { GrantChange } from '../../grant-rules/permit-roles.js'
import type { Streams } from '../../recording/streams.js'
import type { ParsedMapping } from '../declared/desired-project.js'
import type { Planning } from '../sealed-secrets.js'
import type { Content, InProject, Wanted } from './contents.js'
import {
  blocked,
  changed,
  type Draft,
  foresee,
  type Guard,
  protectionChanges,
  removed,
  superseded,
} from './draft.js'

/** The declared fields of a grant or a mapping. */
type Roles = Pick<ParsedMapping, 'roleKeys' | 'validFor'>

/** A change of a grant or a mapping to these roles, or its removal. */
export interface RolesChange extends Roles {
  readonly verb: 'Add' | 'Update' | 'Remove'
  /** Whether an update is recorded even if nothing changes. */
  readonly isForced: boolean
}

/** Decides by the rules of an aggregate. */
type Decide<Ids> = (
  streams: Streams,
  ids: Ids,
  change: RolesChange,
) => Promise<Result<GrantChange, WriteError>>

/**
 * Decides on a grant to another organization, or on a mapping of a group. One of a role that a newer version removed is
 * superseded, a mapping of a removed provider is blocked.
 */
export const decideGrant = async <
  Ids,
  State extends ProjectGrantState | RoleMappingState,
  Event extends Message,
>(
  inside: InProject,
  planning: Planning,
  { ids, object, before }: Content<Ids, State, Event>,
  { item, isRemoved, decide }: Wanted<Roles> & { readonly decide: Decide<Ids> },
): Promise<Result<Draft, WriteError>> => {
  const { streams } = inside
  const isMapping = object.type === 'role_mapping'
  const source = isMapping && !isRemoved ? { idpId: object.idpId } : undefined
  const provider = source && (await foresee(streams, inside).read(identityProviders, source))
  if (source && provider?.state.status === 'absent')
    return err({ kind: 'NotFound', object: identityProviders.ref(source) })
  const left = await leftToNewer(inside, item?.roleKeys)
  if (left.isErr()) return err(left.error)
  if (left.value) return ok(superseded({ object, before }))
  if (provider?.state.status === 'removed') return ok(blocked(object))

  const recorded: State = before.state
  const [current, remaining] = await Promise.all([
    currentKeys(streams, inside, recorded),
    currentKeys(foresee(streams, inside), inside, recorded),
  ])
  const now = exists(recorded) ? { ...validityOf(recorded), roleKeys: remaining } : undefined
  const wanted = isRemoved ? undefined : !item || isSame(item, now) ? now : item
  const guards = new Map<StreamId, Guard>()
  const decided = await decide(foresee(streams, inside, guards), ids, {
    verb: isRemoved ? 'Remove' : now ? 'Update' : 'Add',
    ...(wanted ?? { roleKeys: [] }),
    isForced: protectionChanges(planning, before),
  })
  return decided.map((write) => {
    const isUnchanged = wanted === now
    const subject = { object, before, roleKeys: isUnchanged ? remaining : current }
    const draft = isRemoved ? removed(subject, write) : changed(planning, subject, write)
    if (isUnchanged) return { ...draft, guards: [...guards.values()] }
    const after = new Set(wanted?.roleKeys)
    return {
      ...draft,
      guards: [...guards.values()],
      changedRoleKeys: isRemoved ? current : changedKeys(write, current, after),
      ...(now && { ends: remaining.filter((roleKey) => !after.has(roleKey)) }),
      ...(now && isMapping && { mapping: { before: now, after: wanted } }),
    }
  })
}

const validityOf = (state: ProjectGrantState | RoleMappingState): Pick<Roles, 'validFor'> =>
  'validFor' in state && state.validFor !== undefined ? { validFor: state.validFor } : {}

/** The same roles in another order are no change. */
const isSame = (declared: Roles, now: Roles | undefined): boolean =>
  declared.validFor === now?.validFor && sameRoles(declared.roleKeys, now?.roleKeys ?? [])

/** Keys of the roles of a grant or mapping that are still of their generation. */
const currentKeys = async (
  streams: Streams,
  { projectId }: InProject,
  state: ProjectGrantState | RoleMappingState,
): Promise<readonly RoleKey[]> => {
  const recorded: readonly Pick<RoleGeneration, 'roleKey' | 'roleSince'>[] = exists(state)
    ? state.roles
    : []
  const roles = await currentRoles(streams, { projectOrgId: streams.orgId, projectId }, recorded)
  return roles.map(({ roleKey }) => roleKey)
}

/** The roles that a grant or mapping gains or loses. The end of a removed role is not counted. */
const changedKeys = (
  write: GrantChange,
  before: readonly string[],
  after: ReadonlySet<string>,
): readonly string[] => {
  const gained = new Set(after)
  for (const key of before) gained.delete(key)
  return [
    ...new Set([...write.changedRoleKeys(), ...before.filter((key) => !after.has(key)), ...gained]),
  ]
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
