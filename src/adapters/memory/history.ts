import { kinds } from '../../domain/kinds.js'
import type { ObjectRef } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { HistoryEntry, HistoryQuery } from '../../ports/read-model.js'
import { objectOf } from '../../projections/events/object-of.js'
import { streamOf } from '../../projections/events/stream-name.js'
import { historyEntry } from '../../projections/history-view.js'
import { containerOf } from '../../projections/rows/row-key.js'
import { type History, type Kept, keptUnder, type Past } from './rows.js'

/** Before the first event of an organization. */
export const noHistory = (): History => ({
  past: [],
  byObject: new Map(),
  byContainer: new Map(),
  sorted: 0,
})

/** The page of history that `query` asks for. */
export const historyOf = (kept: Kept, query: HistoryQuery): readonly HistoryEntry[] => {
  const past = pastOf(kept, query)
  const { after, before, order, limit } = query
  const first = countUpTo(past, after)
  const end = before === undefined ? past.length : countUpTo(past, before - 1n)
  const entries: HistoryEntry[] = []
  for (let count = 0; count < end - first && entries.length < limit; count++) {
    const found = past[order === 'desc' ? end - 1 - count : first + count]
    if (found !== undefined && isSought(found, query)) entries.push(entryOf(found))
  }
  return entries
}

const pastOf = (kept: Kept, { orgId, object, including }: HistoryQuery): readonly Past[] => {
  const history = kept.history.get(orgId)
  if (history === undefined || object === undefined) return history?.past ?? []
  sort(history)
  const container = containerOf(object)
  if (container) return pastWithin(history, orgId, { object, container })
  const past = including === undefined ? history.byObject : history.byContainer
  return past.get(streamOf(orgId, object)) ?? []
}

const sort = (history: History): void => {
  const { past, byObject, byContainer, sorted } = history
  for (const found of past.slice(sorted)) {
    const { stream, metadata } = found.event
    keptUnder(byObject, stream, () => []).push(found)
    const container = containerOf(objectOf(found.event))
    const around = container ? streamOf(metadata.resourceOwner, container) : stream
    keptUnder(byContainer, around, () => []).push(found)
  }
  history.sorted = past.length
}

/** What happened to an object, and the removals of its container that it was there for. */
const pastWithin = (
  { byObject }: History,
  orgId: string,
  { object, container }: { readonly object: ObjectRef; readonly container: ObjectRef },
): readonly Past[] => {
  const own = byObject.get(streamOf(orgId, object)) ?? []
  const ofContainer = byObject.get(streamOf(orgId, container)) ?? []
  const ends = ofContainer.filter(({ event: { type, position } }) => {
    const last = own[countUpTo(own, position) - 1]
    const isThere = last && last.event.type !== kinds[object.type].removal
    return isThere && type === kinds[container.type].removal
  })
  return [...own, ...ends].toSorted((one, other) =>
    one.event.position < other.event.position ? -1 : 1,
  )
}

/** How many of `past`, which is in the order of positions, lie at `position` or below. */
const countUpTo = (past: readonly Past[], position: Position): number => {
  let low = 0
  let high = past.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((past[middle]?.event.position ?? 0n) > position) high = middle
    else low = middle + 1
  }
  return low
}

const isSought = ({ event }: Past, { actor, types }: HistoryQuery): boolean =>
  (actor === undefined || event.metadata.actor.userId === actor) &&
  (types === undefined || types.includes(event.type))

const entryOf = ({ event, ...change }: Past): HistoryEntry => {
  const entry = historyEntry(event, change)
  return { ...entry, actor: { ...entry.actor } }
}
