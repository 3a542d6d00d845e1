import { aggregates } from '../../domain/aggregates.js'
import type { ObjectRef } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { HistoryEntry, HistoryQuery } from '../../ports/read-model.js'
import { historyEntry } from '../../projections/history-entries.js'
import { objectOf, streamOf } from '../../projections/read-events.js'
import { containerOf, getOrAdd } from '../../projections/rows.js'
import { countUpTo, type History, type PastChange, type State } from './rows.js'

/** The history before the first event of an organization. */
export const emptyHistory = (): History => ({
  all: [],
  byObject: new Map(),
  withRoles: new Map(),
  byUser: new Map(),
  indexed: 0,
})

/** The page of history for `query`. */
export const historyOf = (state: State, query: HistoryQuery): readonly HistoryEntry[] => {
  const past = pastOf(state, query)
  const { after, before, order, limit } = query
  const first = countTo(past, after)
  const end = before === undefined ? past.length : countTo(past, before - 1n)
  const entries: HistoryEntry[] = []
  for (let count = 0; count < end - first && entries.length < limit; count++) {
    const found = past[order === 'desc' ? end - 1 - count : first + count]
    if (found !== undefined && meets(found, query)) entries.push(entryOf(found))
  }
  return entries
}

const pastOf = (
  state: State,
  { orgId, object, including, user }: HistoryQuery,
): readonly PastChange[] => {
  const history = state.history.get(orgId)
  if (history === undefined) return []
  if (object === undefined && user === undefined) return history.all
  index(history)
  if (object === undefined) return history.byUser.get(user ?? '') ?? []
  const container = containerOf(object)
  if (container) return pastWithin(history, orgId, { object, container })
  const past = including === undefined ? history.byObject : history.withRoles
  return past.get(streamOf(orgId, object)) ?? []
}

const index = (history: History): void => {
  const { all, byObject, withRoles, byUser, indexed } = history
  for (const found of all.slice(indexed)) {
    const { stream, metadata } = found.event
    getOrAdd(byObject, stream, () => []).push(found)
    const object = objectOf(found.event)
    const container = containerOf(object)
    const around = container ? streamOf(metadata.resourceOwner, container) : stream
    if (!container || object.type === 'project_role')
      getOrAdd(withRoles, around, () => []).push(found)
    if (object.type === 'user_grant' || object.type === 'membership')
      getOrAdd(byUser, object.userId, () => []).push(found)
  }
  history.indexed = all.length
}

/** The history of an object, and the removals of its container while the object existed. */
const pastWithin = (
  { byObject }: History,
  orgId: string,
  { object, container }: { readonly object: ObjectRef; readonly container: ObjectRef },
): readonly PastChange[] => {
  const own = byObject.get(streamOf(orgId, object)) ?? []
  const ofContainer = byObject.get(streamOf(orgId, container)) ?? []
  const removals = ofContainer.filter(({ event }) => {
    const last = own[countTo(own, event.position) - 1]
    const existed = last && aggregates[object.type].effectOf(last.event) !== 'removes'
    return existed && aggregates[container.type].effectOf(event) === 'removes'
  })
  return [...own, ...removals].toSorted((one, other) =>
    one.event.position < other.event.position ? -1 : 1,
  )
}

const countTo = (past: readonly PastChange[], position: Position): number =>
  countUpTo(past, position, ({ event }) => event.position)

const meets = ({ event }: PastChange, { actor, types }: HistoryQuery): boolean =>
  (actor === undefined || event.metadata.actor.userId === actor) &&
  (types === undefined || types.includes(event.type))

const entryOf = ({ event, ...change }: PastChange): HistoryEntry => {
  const entry = historyEntry(event, change)
  return { ...entry, actor: { ...entry.actor } }
}
