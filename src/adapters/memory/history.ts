import type { HistoryEntry, HistoryQuery } from '../../ports/read-model.js'
import { historyEntry } from '../../projections/history-view.js'
import { streamOf } from '../../projections/stream-name.js'
import type { Kept, Past } from './rows.js'

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

const pastOf = (kept: Kept, { orgId, object }: HistoryQuery): readonly Past[] =>
  (object === undefined
    ? kept.pastOfOrganizations.get(orgId)
    : kept.pastOfObjects.get(streamOf(orgId, object))) ?? []

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
