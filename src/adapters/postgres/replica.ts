import type { EventStore, Position } from '../../ports/event-store.js'
import type {
  FoundAtHead,
  ReadAtHead,
  ReadMethod,
  ReadModel,
  ReadQuery,
  ReadResults,
  ViewType,
} from '../../ports/read-model.js'
import { readMethods, sqlReads } from '../sql/read-model/read-model.js'
import type { Connections } from './connection/connections.js'
import { preparer, readingDialect, run } from './read-model/dialect.js'

/** A read model on the primary, and the reads of a standby. */
interface Replicated {
  readonly store: EventStore
  /** The read model beside `store`, on the primary. */
  readonly primary: ReadModel
  readonly standby: ReadAtHead
}

type Answer<Method extends ReadMethod, Type extends ViewType> = FoundAtHead<
  ReadResults<Type>[Method]
>

/**
 * A read model that is written on the primary. The primary serves strong reads and has the checkpoint. The standby
 * serves all other reads; the primary does while the standby is unavailable, or behind earlier results of this process.
 */
export const replicatedReadModel = ({ store, primary, standby }: Replicated): ReadModel => {
  const onPrimary = primary.readAtHead?.({ store, readModel: primary })
  if (onPrimary === undefined) throw new Error('A read model knows its own store')
  /** The latest checkpoint that a read in this process was answered at. */
  let seen: Position = 0n
  /** Whether the primary is behind `seen`: its read model was reset, and the standby may not know yet. */
  let isReset = false

  const see = (reached: Position): void => {
    if (reached > seen) seen = reached
  }

  /** Asks the primary, and compares its checkpoint with the ones that were answered before. */
  const ask = async <Value>(
    read: () => Promise<Value>,
    reachedIn: (value: Value) => Position,
  ): Promise<Value> => {
    const before = seen
    const value = await read()
    const reached = reachedIn(value)
    isReset = reached < before
    see(reached)
    return value
  }

  const atHead: ReadAtHead = (query) =>
    ask(
      () => onPrimary(query),
      ({ reached }) => reached,
    )

  /** The standby's result; undefined if it must not be used. */
  const onStandby = async <Method extends ReadMethod, Type extends ViewType>(
    query: ReadQuery<Method, Type>,
  ): Promise<Answer<Method, Type> | undefined> => {
    if (isReset) return undefined
    const answer = await standby(query).catch(() => undefined)
    if (answer === undefined || answer.reached === 0n || answer.reached < seen || isReset)
      return undefined
    see(answer.reached)
    return answer
  }

  const readModel: ReadModel = {
    ...primary,
    ...readMethods(async (query) => ((await onStandby(query)) ?? (await atHead(query))).found),
    checkpoint: () => ask(primary.checkpoint, (reached) => reached),
    reset: () =>
      primary.reset().finally(() => {
        isReset = true
      }),
    readAtHead: (pair) =>
      pair.store === store && pair.readModel === readModel ? atHead : undefined,
  }
  return readModel
}

/**
 * The reads of a standby. After a promotion its log may differ from the primary's.
 *
 * @param schema - quoted
 */
export const standbyReads = (connections: Connections, schema: string): ReadAtHead => {
  const prepared = preparer(schema, '/')
  const read: Parameters<typeof sqlReads>[0]['read'] = (steps) =>
    run((statement) => connections.read(prepared(statement)), steps())
  return sqlReads({ dialect: readingDialect(schema, 'standby'), read, readTogether: read })
}
