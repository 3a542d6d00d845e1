import type { EventStore } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import { demand, type Law } from '../law.js'
import type { Log } from './sample.js'

/** Where the data of a read model under test is kept. */
export interface ReadModelHome {
  /** A read model without any data. Handles that were opened before are not used any more. */
  readonly open: () => ReadModel | Promise<ReadModel>
  /** Another handle, as another process would have it, on the data of the last `open`. */
  readonly reopen: () => ReadModel | Promise<ReadModel>
  /** The store beside the read model that was opened last; needed when that has `readAtHead`. */
  readonly store?: () => EventStore | undefined
}

/** One sentence of the port, and what shows that a read model keeps to it. */
export type ReadModelLaw = Law<ReadModelHome>

/** Applies what `log` holds above the checkpoint. */
export const feed = async (model: ReadModel, log: Log): Promise<void> => {
  const from = await model.checkpoint()
  demand(await model.apply(from, log.above(from)), `${model.name} to apply from its checkpoint`)
}

/** A read model that has applied what `log` holds. */
export const fedWith = async ({ open }: ReadModelHome, log: Log): Promise<ReadModel> => {
  const model = await open()
  await feed(model, log)
  return model
}
