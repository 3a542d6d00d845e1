import type { EventStore } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import { readBatch } from '../../projections/read-events.js'

/** Most events that are applied at once. */
const BATCH_SIZE = 2_000

/** Applies the events that `readModel` lacks, up to the first that this version cannot read. */
export const bringToHead = async (
  store: Pick<EventStore, 'readAll'>,
  readModel: Pick<ReadModel, 'checkpoint' | 'apply'>,
): Promise<void> => {
  for (;;) {
    const from = await readModel.checkpoint()
    const { known, unreadable } = readBatch(await store.readAll(from, BATCH_SIZE))
    if (known.length === 0) return
    const isApplied = await readModel.apply(from, known)
    // Another process has applied some of them, unless the checkpoint cannot be moved.
    if (!isApplied && (await readModel.checkpoint()) === from) return
    if (unreadable) return
  }
}
