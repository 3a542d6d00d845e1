import { aggregates } from '../../../domain/aggregates.js'
import { roleMappings } from '../../../domain/role-mapping/aggregate.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { Position } from '../../../ports/event-store.js'
import { aggregateOf, isOfObject } from '../../../projections/read-events.js'
import { fromPort } from '../../errors/fault.js'
import { logPages } from '../../following/log-pages.js'
import { impactOfMapping, mayReadHolders, NO_IMPACT, readAffected } from '../../granting/impact.js'
import type { PlannedChange } from '../plan/plan.js'
import type { PendingChange } from './pending-change.js'
import type { Planning } from './sealed-secrets.js'

/** Impacts that are counted at the same time. */
const CONCURRENCY = 50

/**
 * `changes`, planned after position `from`, with the roles that users lose and gain by each; a role that an earlier change ends is
 * not counted again. Undefined if one of their projects has changed meanwhile: then they must be planned again, since
 * the impact would be that of another state.
 */
export const withImpact = async (
  planning: Planning,
  changes: readonly PendingChange[],
  from: Position,
): Promise<readonly PlannedChange[] | undefined> => {
  const { runtime, call } = planning
  const counted = await projectsToCount(planning, changes)
  if (counted.size === 0) return changes.map(({ change }) => change)
  const at = await fromPort(() => runtime.store.lastPosition())
  const moved = await projectsChanged(planning, from, at)
  if ([...counted].some((projectId) => moved.has(projectId))) return undefined

  const impactOf = async ({ change, ends, mapping }: PendingChange): Promise<PlannedChange> => {
    const range = rangeOf(planning, change.object)
    if (!ends || !range || !counted.has(range.projectId)) return change
    const { source } = range
    if (mapping && source) {
      const { type: _, ...ids } = change.object
      const key = roleMappings.ids.parse(ids)
      const { created: since } = await runtime.states.readLatest(roleMappings, call.orgId, key)
      const given = { ...range, ...mapping, source, since, at }
      return { ...change, impact: await impactOfMapping(runtime, call, given) }
    }
    if (ends.length === 0) return { ...change, impact: NO_IMPACT }
    const loses = await readAffected(runtime, call, { ...range, roleKeys: ends, at })
    return { ...change, impact: { ...NO_IMPACT, loses } }
  }
  const shown: PlannedChange[] = []
  for (let first = 0; first < changes.length; first += CONCURRENCY) {
    const batch = await Promise.all(changes.slice(first, first + CONCURRENCY).map(impactOf))
    shown.push(...batch)
    await runtime.environment.yield()
  }
  return shown
}

const rangeOf = ({ call: { orgId } }: Planning, object: ObjectRef) =>
  aggregates[object.type].assignments?.assignmentScope(object, orgId)

/** The projects in which users can lose roles, if the caller may see who has them. */
const projectsToCount = async (
  planning: Planning,
  changes: readonly PendingChange[],
): Promise<ReadonlySet<string>> => {
  const ranges = new Map(
    changes.flatMap(({ change, ends }) => {
      const range = ends && rangeOf(planning, change.object)
      return range ? [[range.projectId, range] as const] : []
    }),
  )
  const counted = new Set<string>()
  for (const [projectId, range] of ranges)
    if (await mayReadHolders(planning.runtime, planning.call, range)) counted.add(projectId)
  return counted
}

/** Projects of the organization that events between `from` and `to` changed, or whose roles or grants they changed. */
const projectsChanged = async (
  { runtime: { store, environment }, call: { orgId, signal } }: Planning,
  from: Position,
  to: Position,
): Promise<ReadonlySet<string>> => {
  const changed = new Set<string>()
  if (from === to) return changed
  for await (const { events, position } of logPages(store, from, { signal, environment })) {
    for (const event of events) {
      if (!isOfObject(event) || event.metadata.resourceOwner !== orgId) continue
      const range = aggregateOf(event.type).assignments?.assignmentScope(event.data, orgId)
      if (range && range.userId === undefined) changed.add(range.projectId)
    }
    if (position >= to) break
  }
  return changed
}
