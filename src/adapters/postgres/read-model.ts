import type { Position, RecordedEvent } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type {
  Listing,
  ListQuery,
  ReadModel,
  RefOf,
  Views,
  ViewType,
} from '../../ports/read-model.js'
import { changeRow } from '../../projections/change-row.js'
import { listedScope, placeOf } from '../../projections/place.js'
import { readEvents } from '../../projections/read-events.js'
import { shownOnce } from '../kept-rows.js'
import { countStatement, pageStatement } from '../list-statements.js'
import { CHECKPOINT, FILLED, NAMES, READ_MODEL } from '../read-tables.js'
import type { Connections } from './connections.js'
import { postgresDialect } from './read-model/dialect.js'
import { historyInsert, readHistory } from './read-model/history-rows.js'
import { nameNumbers } from './read-model/name-numbers.js'
import { numbered } from './read-model/numbered.js'
import { decode, objectStatement, type ShownRow } from './read-model/object-rows.js'
import { rowBatch } from './read-model/row-batch.js'
import type { Session } from './session.js'

/**
 * A read model in tables of its own, beside the events. Of several processes that catch up at once
 * one applies a batch; the others wait for it and are told that it was faster.
 *
 * @param schema - quoted
 */
export const postgresReadModel = (connections: Connections, schema: string): ReadModel => {
  const apply = async (from: Position, events: readonly RecordedEvent[]): Promise<boolean> => {
    const known = readEvents(events)
    const last = known.at(-1)
    return connections.transaction(async (session) => {
      if (!(await moveCheckpoint(session, schema, { from, to: last?.position ?? from })))
        return false
      await applyAll(session, schema, { from, events: known })
      return true
    }, 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off')
  }

  const get = async <Type extends ViewType>(
    orgId: string,
    ref: RefOf<Type>,
  ): Promise<Views[Type] | undefined> => {
    const place = placeOf(orgId, ref)
    const statement = objectStatement(schema, ref.type, place)
    const [row] = await connections.read<ShownRow>(statement)
    return row && decode<Type>(place.scope, row)
  }

  return {
    name: READ_MODEL,
    checkpoint: async () => {
      const [row] = await connections.read({ name: `${schema} check`, text: checkpointIn(schema) })
      return BigInt(row?.[0] ?? 0)
    },
    apply,
    reset: () =>
      connections.transaction(async (session) => {
        // Without it whoever puts a missing row back would not be waited for.
        await lockMissingRow(session, schema)
        await session.rows({ text: `UPDATE ${schema}.${CHECKPOINT} SET position = 0` })
        for (const table of FILLED) {
          await session.rows({ text: `DELETE FROM ${schema}.${table}` })
        }
      }),
    get,
    list: <Type extends ViewType>(query: ListQuery<Type>) =>
      connections.transaction(
        (session) => list(session, schema, query),
        'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
      ),
    history: (query) => readHistory(connections, schema, query),
  }
}

/** A backup that was restored into tables that were made already has left its row beside theirs. */
const checkpointIn = (schema: string): string => `SELECT max(position) FROM ${schema}.${CHECKPOINT}`

/** Keeps others waiting until the transaction has ended. @returns false when it is not at `from` */
const moveCheckpoint = async (
  session: Session,
  schema: string,
  { from, to }: { readonly from: Position; readonly to: Position },
): Promise<boolean> => {
  const table = `${schema}.${CHECKPOINT}`
  // Before the row, as a reset does: an update that waited keeps it locked even if it finds another position.
  if (from === 0n) await lockMissingRow(session, schema)
  const [moved] = await session.rows({
    text: `UPDATE ${table} SET position = $2 WHERE position = $1 RETURNING 1`,
    values: [from, to],
  })
  if (moved !== undefined || from > 0n) return moved !== undefined
  // A backup may have left its row out. While it is missing, nobody else may put it back.
  const [added] = await session.rows({
    text: `INSERT INTO ${table} SELECT $1 WHERE NOT EXISTS (SELECT FROM ${table}) RETURNING 1`,
    values: [to],
  })
  return added !== undefined
}

/** Stands in for the lock of the checkpoint's row where there is no row; until the transaction ends. */
const lockMissingRow = async (session: Session, schema: string): Promise<void> => {
  await session.rows({
    text: `SELECT pg_advisory_xact_lock(hashtextextended('claviger checkpoint ' || $1, 0::bigint))`,
    values: [schema],
  })
}

const applyAll = async (
  session: Session,
  schema: string,
  batch: { readonly from: Position; readonly events: readonly KnownEvent[] },
): Promise<void> => {
  const { events } = batch
  if (events.length === 0) return
  const names = await nameNumbers(session, schema, batch)
  const shared = { numberOf: names.numberOf, shownIn: shownOnce() }
  const rows = await rowBatch(session, schema, shared, events)
  const changes = events.map((event) => [event, changeRow(rows, event)] as const)
  const recorded = session.rows(historyInsert(schema, shared, changes))
  // The server is at work meanwhile.
  const statements = [...rows.statements(), ...names.statements()]
  await recorded
  for (const statement of statements) await session.rows(statement)
}

const list = async <Type extends ViewType>(
  session: Session,
  schema: string,
  query: ListQuery<Type>,
): Promise<Listing<Views[Type]>> => {
  const dialect = postgresDialect(schema)
  const scope = listedScope(query)
  const [row] = await session.rows({
    text: `SELECT (${checkpointIn(schema)}), (SELECT number FROM ${schema}.${NAMES} WHERE name = $1)`,
    values: [scope],
  })
  // 0 is the number of no scope.
  const inScope = { ...query, scope: Number(row?.[1] ?? 0) }
  const found = await session.rows<ShownRow>(numbered(pageStatement(dialect, inScope)))
  const [count] = await session.rows(numbered(countStatement(dialect, inScope)))
  return {
    items: found.slice(0, query.limit).map((row) => decode<Type>(scope, row)),
    hasMore: found.length > query.limit,
    totalSize: Number(count?.[0]),
    sequence: BigInt(row?.[0] ?? 0),
  }
}
