import { type EventStore, type ReadModel, StoreFault } from 'claviger'
import { chance } from './chance.ts'

/** How likely each fault is, each time that something is asked for. */
const AWAY = 0.005
const LOST_ANSWER = 0.01

/** Sometimes `call` is not made at all. */
const orAway = async <Value>(call: () => Promise<Value>): Promise<Value> => {
  if (chance(AWAY)) throw new StoreFault('away', 'not_recorded')
  return call()
}

/** Sometimes `call` is made, and its answer is lost. */
const orLost = async <Value>(call: () => Promise<Value>): Promise<Value> => {
  const answer = await orAway(call)
  if (chance(LOST_ANSWER)) throw new StoreFault('the answer was lost', 'unknown')
  return answer
}

/** `store`, which is sometimes away, and sometimes has recorded an append and says that it does not know. */
export const faultyStore = (store: EventStore): EventStore => ({
  ...store,
  append: (append) => orLost(() => store.append(append)),
  readStream: (stream, after) => orAway(() => store.readStream(stream, after)),
  readStreams: (reads) =>
    orAway(() =>
      Promise.all(reads.map(({ stream, afterVersion }) => store.readStream(stream, afterVersion))),
    ),
  readAll: (after, limit) => orAway(() => store.readAll(after, limit)),
  lastPosition: () => orAway(() => store.lastPosition()),
  findAppend: (by) => orAway(() => store.findAppend(by)),
})

/** `readModel`, which is sometimes away, and sometimes has applied events and says that it does not know. */
export const faultyReadModel = (readModel: ReadModel): ReadModel => ({
  ...readModel,
  checkpoint: () => orAway(() => readModel.checkpoint()),
  apply: (from, events) => orLost(() => readModel.apply(from, events)),
})
