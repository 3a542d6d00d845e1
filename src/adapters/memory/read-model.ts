import type { RecordedEvent } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type {
  HistoryEntry,
  HistoryQuery,
  Listing,
  ListQuery,
  ReadModel,
  RefOf,
  Views,
  ViewType,
} from '../../ports/read-model.js'
import { readEvents } from '../../projections/events/read-events.js'
import { changeRow } from '../../projections/rows/change-row.js'
import { rowKeyOf } from '../../projections/rows/row-key.js'
import { historyOf, noHistory } from './history.js'
import { listRows } from './list-rows.js'
import { copyOf, type Kept, keptUnder, nothingKept, rowStore } from './rows.js'

/** A read model that lives as long as the process; it is rebuilt from the log at every start. */
export const memoryReadModel = (): ReadModel => {
  let kept: Kept = nothingKept()

  const apply = async (from: bigint, events: readonly RecordedEvent[]): Promise<boolean> => {
    if (kept.checkpoint !== from) return false
    // All are read before the first is applied: should one be unreadable, none is.
    applyAll(kept, readEvents(events))
    kept.checkpoint = events.at(-1)?.position ?? from
    return true
  }

  const get = async <Type extends ViewType>(
    orgId: string,
    ref: RefOf<Type>,
  ): Promise<Views[Type] | undefined> => {
    const { scope, key } = rowKeyOf(orgId, ref)
    const row = kept.rows[ref.type].get(scope)?.get(key)
    return row && copyOf(row)
  }

  return {
    name: 'memory-read-model',
    checkpoint: async () => kept.checkpoint,
    apply,
    reset: async () => {
      kept = nothingKept()
    },
    get,
    list: async <Type extends ViewType>(query: ListQuery<Type>): Promise<Listing<Views[Type]>> =>
      listRows(kept, query),
    history: async (query: HistoryQuery): Promise<readonly HistoryEntry[]> =>
      historyOf(kept, query),
  }
}

const applyAll = (kept: Kept, events: readonly KnownEvent[]): void => {
  const rows = rowStore(kept)
  for (const event of events) {
    const { before, after } = changeRow(rows, event)
    const { past } = keptUnder(kept.history, event.metadata.resourceOwner, noHistory)
    past.push({ event, before, after })
  }
}
