import type { EventStore, Position } from '../../../ports/event-store.js'
import type {
  FoundAtHead,
  HistoryEntry,
  HistoryQuery,
  ReadAtHead,
} from '../../../ports/read-model.js'
import type { Dialect } from '../../sql/dialect.js'
import { sqlReadModel } from '../../sql/read-model/read-model.js'
import { CHECKPOINT } from '../../sql/read-model/tables.js'
import type { Steps } from '../../sql/statement.js'
import type { Connections } from '../connection/connections.js'
import { postgresDialect } from '../read-model/dialect.js'
import { preparer } from '../read-model/prepared.js'
import { run } from '../read-model/steps.js'

/** The reads of a read model that a standby can answer. */
export interface ReplicatedReads extends ReadAtHead {
  /** As `history` of the read model. */
  history(query: HistoryQuery): Promise<FoundAtHead<readonly HistoryEntry[]>>
}

/** Those of a standby; each says at which checkpoint it was answered, or a lower one. */
export interface StandbyReads extends ReplicatedReads {
  /** As `checkpoint` of the read model. */
  checkpoint(): Promise<Position>
}

/**
 * The reads of a standby. Once it is promoted its log may be another one than that of the primary, so its checkpoint
 * then counts as 0.
 *
 * @param schema - quoted
 */
export const standbyReads = (
  connections: Connections,
  schema: string,
  store: EventStore,
): StandbyReads => {
  const prepared = preparer(schema, '/')
  const read = <Value>(steps: () => Steps<Value>) =>
    run((statement) => connections.read(prepared(statement)), steps())
  const driver = {
    dialect: standbyDialect(schema),
    read,
    readTogether: read,
    apply: refuse,
    reset: refuse,
  }
  const readModel = sqlReadModel(driver, store)
  const atHead = readModel.readAtHead?.({ store, readModel })
  if (atHead === undefined) throw new Error('A read model knows its own store')
  return {
    ...atHead,
    checkpoint: readModel.checkpoint,
    history: async (query) => {
      const reached = await readModel.checkpoint()
      return { found: await readModel.history(query), head: reached, reached }
    },
  }
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

const refuse = (): Promise<never> => Promise.reject(new Error('A standby cannot be written to'))
