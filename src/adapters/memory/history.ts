import type { HistoryEntry, HistoryQuery } from '../../ports/read-model.js'
import { historyEntry } from '../../projections/history-view.js'
import { streamOf } from '../../projections/stream-name.js'
import { type History, type Kept, keptUnder, type Past } from './rows.js'

/** Before the first event of an organization. */
export const noHistory = (): History => ({ past: [], byObject: new Map(), sorted: 0 })

/** The page of history that `query` asks for. */
export const historyOf = (kept: Kept, query: HistoryQuery): readonly HistoryEntry[] => {
  const past = pastOf(kept, query)
  const entries: HistoryEntry[] = []
  for (let index = firstAfter(past, query); index < past.length; index++) {
    if (entries.length === query.limit) break
    const found = past[index]
    if (found !== undefined && isSought(found, query)) entries.push(entryOf(found))
  }
  return entries
}

const pastOf = (kept: Kept, { orgId, object }: HistoryQuery): readonly Past[] => {
  const history = kept.history.get(orgId)
  if (history === undefined || object === undefined) return history?.past ?? []
  return sortByObject(history).get(streamOf(orgId, object)) ?? []
}

const sortByObject = (history: History): History['byObject'] => {
  for (const found of history.past.slice(history.sorted)) {
    keptUnder(history.byObject, found.event.stream, () => []).push(found)
  }
  history.sorted = history.past.length
  return history.byObject
}

/** Where in `past`, which is in the order of positions, the page begins. */
const firstAfter = (past: readonly Past[], { after }: HistoryQuery): number => {
  let low = 0
  let high = past.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((past[middle]?.event.position ?? 0n) > after) high = middle
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
