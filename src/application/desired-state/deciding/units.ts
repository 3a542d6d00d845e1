import { err, ok, type Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { IdpId, type ObjectRef, ProjectId } from '../../../domain/values.js'
import type { Position } from '../../../ports/event-store.js'
import { streamOf } from '../../../projections/read-events.js'
import type { WriteError } from '../../errors/errors.js'
import { isPermitted, refusePermission } from '../../method/method.js'
import { allObjects } from '../../reading/query.js'
import { streamsAt } from '../../recording/streams.js'
import { unprotected } from '../../recording/transact.js'
import { raceAbort } from '../../waiting.js'
import { permissionsToLift } from '../permissions-for-plan.js'
import type { PlannedChange } from '../plan/plan.js'
import type { Planning } from '../sealed-secrets.js'
import { unprotecting } from './contents.js'
import { decideProject } from './decide-project.js'
import { decideProvider } from './decide-provider.js'
import { type Draft, foreseenBy, type Scene } from './draft.js'

/** A project with all that lies in it, or an identity provider: its changes are recorded together. */
export interface Unit {
  readonly object: ObjectRef
  /** Whether the changes depend on identity providers, which may be new. */
  readonly needsProviders: boolean
  /** Decides on the object, and then on what lies in it. */
  readonly decide: (scene: Scene) => Promise<Result<readonly Draft[], WriteError>>
}

/** A unit with its decisions. */
export interface DecidedUnit extends Unit {
  readonly drafts: readonly Draft[]
}

/** The units of a desired state in order, projects first; then the units whose protection it ends. */
export const unitsOf = async (planning: Planning): Promise<readonly Unit[]> => {
  const { projects = [], identityProviders = [] } = planning.access
  const declared: readonly Unit[] = [
    ...projects.map((desired, index) => ({
      object: aggregates.project.ref(desired),
      needsProviders: (desired.mappings ?? []).length > 0,
      decide: (scene: Scene) => decideProject(scene, desired, `projects[${index}]`),
    })),
    ...identityProviders.map((desired, index) => ({
      object: aggregates.identity_provider.ref(desired),
      needsProviders: false,
      decide: async (scene: Scene) =>
        (await decideProvider(scene, desired, `identityProviders[${index}]`)).map((draft) => [
          draft,
        ]),
    })),
  ]
  return [...declared, ...(await unitsToLift(planning, declared))]
}

/** The objects besides `declared` that this desired state protects, of the types that it lists. */
const unitsToLift = async (
  planning: Planning,
  declared: readonly Unit[],
): Promise<readonly Unit[]> => {
  const { managedBy } = planning.access
  const units: Unit[] = []
  if (managedBy === undefined) return units
  const { orgId } = planning.call
  const streams = new Set(declared.map(({ object }) => streamOf(orgId, object)))
  for await (const { object, protectedBy } of listedObjects(planning))
    if (protectedBy === managedBy && !streams.has(streamOf(orgId, object)))
      units.push({ object, needsProviders: false, decide: (scene) => decideLift(scene, object) })
  return units
}

/** All projects and identity providers, of the types that the desired state lists, even with an empty list. */
async function* listedObjects(
  { runtime, call, access }: Planning,
  isWanted: (type: ObjectRef['type']) => Promise<boolean> = async () => true,
) {
  const { orgId } = call
  const types = [
    ...(access.projects ? ['project' as const] : []),
    ...(access.identityProviders ? ['identity_provider' as const] : []),
  ]
  for (const type of types)
    if (await isWanted(type))
      for await (const row of allObjects(runtime, call, { type, orgId }))
        yield { object: aggregates[type].ref(row), protectedBy: row.protectedBy }
}

/** Ends the protection of an object that is no longer declared, and of the objects in it. */
const decideLift = async (
  scene: Scene,
  object: ObjectRef,
): Promise<Result<readonly Draft[], WriteError>> => {
  const { runtime, call, access } = scene.planning
  const before = await scene.streams.read(aggregates[object.type], object)
  if (before.protectedBy !== access.managedBy) return ok([])
  const planning = unprotecting({ ...scene.planning, access: { ...access, prune: false } })
  const decided = await decideUndeclared({ ...scene, planning }, object)
  if (decided.isErr()) return err(decided.error)
  const types = decided.value.map(({ change }) => change.object.type)
  for (const question of permissionsToLift(types, { object, method: call.method })) {
    const denied = await refusePermission(runtime, call, question)
    if (denied) return err(denied)
  }
  return decided
}

const decideUndeclared = async (
  lifting: Scene,
  object: ObjectRef,
): Promise<Result<readonly Draft[], WriteError>> => {
  if (object.type === 'project') {
    const id = ProjectId.parse(object.id)
    return decideProject(lifting, { id, roles: [], grants: [], mappings: [] })
  }
  if (object.type === 'identity_provider') {
    const idpId = IdpId.parse(object.idpId)
    return (await decideProvider(lifting, { idpId })).map((draft) => [draft])
  }
  throw new Error(`A ${object.type} is lifted with its project`)
}

/** Decides on `units` as everything was at position `at`. The first refusal ends it. */
export const decideUnits = async (
  planning: Planning,
  units: readonly Unit[],
  at: Position,
): Promise<Result<readonly DecidedUnit[], WriteError>> => {
  const { runtime, call, access } = planning
  const streams = streamsAt(runtime.store, call.orgId, at)
  const scene: Scene = { planning, streams, foreseen: new Map() }
  const decided = new Map<Unit, readonly Draft[]>()
  for (const unit of inOrderOfNeed(units)) {
    if (call.signal?.aborted) return err({ kind: 'Cancelled' })
    const drafts = await raceAbort(unit.decide(scene), call.signal)
    await runtime.environment.yield()
    if (drafts.isErr()) return err(drafts.error)
    const changes = drafts.value.flatMap(({ write }) => write ?? [])
    const permitted = changes.length > 0 ? unprotected(access, ok({ changes })) : ok()
    if (permitted.isErr()) return err(permitted.error)
    for (const write of changes) scene.foreseen.set(write.before.name, foreseenBy(planning, write))
    decided.set(unit, drafts.value)
  }
  return ok(units.map((unit) => ({ ...unit, drafts: decided.get(unit) ?? [] })))
}

/** Projects with mappings come last: the providers of the mappings may be new. */
export const inOrderOfNeed = <Each extends Pick<Unit, 'needsProviders'>>(
  units: readonly Each[],
): readonly Each[] => [
  ...units.filter(({ needsProviders }) => !needsProviders),
  ...units.filter(({ needsProviders }) => needsProviders),
]

/**
 * The objects without a change, of the types that the desired state lists. A type that the caller may not read in full is
 * left out.
 */
export const findUndeclared = async (
  planning: Planning,
  changes: readonly PlannedChange[],
): Promise<readonly ObjectRef[]> => {
  const { runtime, call } = planning
  const declared = new Set(changes.map(({ object }) => streamOf(call.orgId, object)))
  const undeclared: ObjectRef[] = []
  const mayRead = async (type: ObjectRef['type']) =>
    (await isPermitted(runtime, call, { permission: aggregates[type].permissions.read })) === true
  for await (const { object } of listedObjects(planning, mayRead))
    if (!declared.has(streamOf(call.orgId, object))) undeclared.push(object)
  return undeclared
}
