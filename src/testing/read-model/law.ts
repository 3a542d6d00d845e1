import type { ReadModel } from '../../ports/read-model.js'
import type { Log } from './log.js'

/** Where the data of a read model under test is kept. */
export interface ReadModelHome {
  /** A read model without any data. Handles that were opened before are not used any more. */
  readonly open: () => ReadModel | Promise<ReadModel>
  /** Another handle, as another process would have it, on the data of the last `open`. */
  readonly reopen: () => ReadModel | Promise<ReadModel>
}

/** One sentence of the port, and what shows that a read model keeps to it. */
export interface ReadModelLaw {
  readonly name: string
  /** Rejects when the law is broken. */
  readonly check: (home: ReadModelHome) => Promise<void>
}

/** Applies what `log` holds above the checkpoint. */
export const feed = async (model: ReadModel, log: Log): Promise<void> => {
  const from = await model.checkpoint()
  if (!(await model.apply(from, log.above(from))))
    throw new Error(`${model.name} was not at ${from}`)
}

/** A read model that has applied what `log` holds. */
export const fedWith = async ({ open }: ReadModelHome, log: Log): Promise<ReadModel> => {
  const model = await open()
  await feed(model, log)
  return model
}
