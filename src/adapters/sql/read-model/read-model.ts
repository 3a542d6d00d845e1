import type { EventStore, Position } from '../../../ports/event-store.js'
import type {
  FoundAtHead,
  HistoryEntry,
  HistoryQuery,
  Listing,
  ListQuery,
  ReadAtHead,
  ReadModel,
  RefOf,
  Views,
  ViewType,
} from '../../../ports/read-model.js'
import { readEvents } from '../../../projections/read-events.js'
import { listedScope, rowKeyOf } from '../../../projections/row-key.js'
import type { Dialect } from '../dialect.js'
import { find, type Integer, type Steps } from '../statement.js'
import type { Batch } from './changes.js'
import { historyStatement } from './history-statement.js'
import { listStatement } from './list-statement.js'
import { objectAtHeadStatement, objectStatement } from './object-statements.js'
import { decodeEntry, type FoundEntry } from './stored-entries.js'
import { decodeRow, type ShownRow } from './stored-rows.js'
import { checkpointIn, FILLED, READ_MODEL } from './tables.js'

/** How one database runs what a read model does. */
export interface ReadModelDriver {
  readonly dialect: Dialect
  /** Runs what asks for one statement and writes nothing. `steps` may be called again. */
  readonly read: <Value>(steps: () => Steps<Value>) => Promise<Value>
  /** Moves the checkpoint and writes what `batch` changes, both or neither; false when the checkpoint is elsewhere. */
  readonly apply: (batch: Batch) => Promise<boolean>
  readonly reset: () => Promise<void>
}

/**
 * A read model in tables of its own, in the database of the events.
 *
 * @param store - of the same database
 */
export const sqlReadModel = (driver: ReadModelDriver, store: EventStore): ReadModel => {
  const { dialect, read } = driver
  const atHead: ReadAtHead = {
    get: (orgId, ref) => read(() => objectAtHead(dialect, orgId, ref)),
    list: (query) => read(() => listing(dialect, query)),
  }
  const readModel: ReadModel = {
    name: READ_MODEL,
    checkpoint: () => read(() => checkpoint(dialect)),
    apply: async (from, events) => driver.apply({ from, events: readEvents(events) }),
    reset: driver.reset,
    get: (orgId, ref) => read(() => object(dialect, orgId, ref)),
    list: async (query) => (await atHead.list(query)).found,
    history: (query) => read(() => history(dialect, query)),
    readAtHead: (pair) =>
      pair.store === store && pair.readModel === readModel ? atHead : undefined,
  }
  return readModel
}

function* checkpoint(dialect: Dialect): Steps<Position> {
  const [row] = yield { name: 'check', sql: `SELECT ${checkpointIn(dialect)}`, parameters: [] }
  return BigInt(row?.[0] ?? 0)
}

function* object<Type extends ViewType>(
  dialect: Dialect,
  orgId: string,
  ref: RefOf<Type>,
): Steps<Views[Type] | undefined> {
  const [row] = yield* find<ShownRow>(objectStatement(dialect, orgId, ref))
  return row && decodeRow<Type>(rowKeyOf(orgId, ref).scope, row)
}

function* objectAtHead<Type extends ViewType>(
  dialect: Dialect,
  orgId: string,
  ref: RefOf<Type>,
): Steps<FoundAtHead<Views[Type] | undefined>> {
  type Found = readonly [head: Integer, reached: Integer, ...(ShownRow | NoRow)]
  const [moment] = yield* find<Found>(objectAtHeadStatement(dialect, orgId, ref))
  const [head, reached, ...row] = moment ?? [null, null, null, null, null]
  const [shown] = shownIn(row)
  return {
    head: BigInt(head ?? 0),
    reached: BigInt(reached ?? 0),
    found: shown && decodeRow<Type>(rowKeyOf(orgId, ref).scope, shown),
  }
}

function* listing<Type extends ViewType>(
  dialect: Dialect,
  query: ListQuery<Type>,
): Steps<FoundAtHead<Listing<Views[Type]>>> {
  type Found = readonly [head: Integer, reached: Integer, total: Integer, ...(ShownRow | NoRow)]
  const rows = yield* find<Found>(listStatement(dialect, query))
  const [head, reached, total] = rows[0] ?? []
  const scope = listedScope(query)
  const shown = rows.flatMap(([, , , ...row]) => shownIn(row))
  const sequence = BigInt(reached ?? 0)
  return {
    head: BigInt(head ?? 0),
    reached: sequence,
    found: {
      items: shown.slice(0, query.limit).map((row) => decodeRow<Type>(scope, row)),
      hasMore: shown.length > query.limit,
      totalSize: Number(total ?? 0),
      sequence,
    },
  }
}

/** What stands in for a row where there is none. */
type NoRow = readonly [null, null, null]

const shownIn = ([shown, sequence, creationDate]: ShownRow | NoRow): readonly ShownRow[] =>
  shown === null ? [] : [[shown, sequence, creationDate]]

function* history(dialect: Dialect, query: HistoryQuery): Steps<readonly HistoryEntry[]> {
  const found = yield* find<FoundEntry>(historyStatement(dialect, query))
  return found.map(decodeEntry)
}

/** Empties all tables but that of the checkpoint. */
export function* emptyTables({ table }: Dialect): Steps<void> {
  for (const name of FILLED) yield { sql: `DELETE FROM ${table(name)}`, parameters: [] }
}
