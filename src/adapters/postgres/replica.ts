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
import type { Dialect } from '../sql/dialect.js'
import { readMethods, sqlReads } from '../sql/read-model/read-model.js'
import { CHECKPOINT } from '../sql/read-model/tables.js'
import type { Connections } from './connection/connections.js'
import { postgresDialect, preparer, run } from './read-model/dialect.js'

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
 * A read model that is written on the primary. The primary answers strong reads and says where the checkpoint is. The
 * standby answers all other reads; the primary does when the standby is away, or behind what this process has
 * answered before.
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

  /** The answer of the standby; undefined when it must not be shown. */
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
 * The reads of a standby. Once it is promoted its log may be another one than that of the primary, so its checkpoint
 * then counts as 0.
 *
 * @param schema - quoted
 */
export const standbyReads = (connections: Connections, schema: string): ReadAtHead => {
  const prepared = preparer(schema, '/')
  const read: Parameters<typeof sqlReads>[0]['read'] = (steps) =>
    run((statement) => connections.read(prepared(statement)), steps())
  return sqlReads({ dialect: standbyDialect(schema), read, readTogether: read })
}

const standbyDialect = (schema: string): Dialect => {
  const dialect = postgresDialect(schema)
  const checkpoint = dialect.table(CHECKPOINT)
  return {
    ...dialect,
    table: (table) =>
      table.name === CHECKPOINT.name
        ? `(SELECT position FROM ${checkpoint} WHERE pg_is_in_recovery()) AS of_standby`
        : dialect.table(table),
  }
}
