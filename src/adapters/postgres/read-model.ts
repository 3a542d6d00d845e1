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
import { readEvents } from '../../projections/read-events.js'
import {
  allOf,
  type Column,
  columnNamed,
  type Dialect,
  namedTexts,
  type Parameter,
  type Row,
  type Statement,
  type Steps,
} from '../sql/dialect.js'
import {
  type Batch,
  changesOf,
  checkpointMove,
  endOf,
  moveCheckpoint,
} from '../sql/read-model/changes.js'
import { forgetAll, nothingKnown } from '../sql/read-model/known.js'
import { emptyTables, readMethods, sqlReadModel, sqlReads } from '../sql/read-model/read-model.js'
import { CHECKPOINT, createTables, filledBy, hashOf } from '../sql/read-model/tables.js'
import { EVENTS } from '../sql/stored-events.js'
import { type Connection, onlyRow, type Statement as Prepared } from './connection/connection.js'
import type { Connections } from './connection/connections.js'
import {
  applyingOwn,
  MAX_EVENTS_OF_ONE_STATEMENT,
  type OwnEvents,
  ownEvents,
} from './own-events.js'
import { bigintArray, textArray, toJsonLines, unnestColumns } from './unnest-columns.js'

/**
 * A read model in tables of its own, beside the events of `store`. Of several processes that catch up at once
 * one applies a batch; the others wait for it and apply nothing.
 *
 * @param schema - quoted
 */
export const postgresReadModel = (
  connections: Connections,
  schema: string,
  store: EventStore,
  own: OwnEvents = ownEvents(),
): ReadModel => {
  const dialect = postgresDialect(schema)
  const { prepared, ask, applied } = preparing(connections, dialect, { schema, mark: ' ' })

  const read = <Value>(steps: () => Steps<Value>) => run(ask, steps())

  const within =
    (connection: Connection): Ask =>
    (statement) =>
      connection.rows(prepared(statement))

  const known = nothingKnown()

  /**
   * Undefined, with nothing written, when a transaction is needed. More events than one statement applies take several;
   * each is made while the server runs the one before.
   *
   * @param isOwn - whether the log was not read: the statement then checks what is in it
   */
  const applyFew = async (batch: Batch, isOwn: boolean): Promise<boolean | undefined> => {
    // A missing row of the checkpoint cannot be locked.
    if (
      batch.from === 0n ||
      batch.events.length === 0 ||
      batch.events.length > MAX_EVENTS_OF_ONE_STATEMENT
    )
      return undefined
    const { reached, assumed, learn, statements } = await run(ask, changesOf(dialect, batch, known))
    for (const at of reached) if (at !== batch.from) return false
    const writes = [...statements]
    const conditions = isOwn ? [...assumed, ...followsFreely(dialect, batch)] : assumed
    const statement = guarded(checkpointMove(dialect, batch, conditions), writes)
    const isRepeated = batch.events.length === 1 && writes.every(isInsert)
    const [moved] = await connections.write(prepared({ ...statement, isRepeated }))
    if (moved) learn(known)
    return moved !== undefined
  }

  const applyMany = (batch: Batch): Promise<boolean> =>
    connections.transaction(async (connection) => {
      // Before the row, as a reset does: an update that waited keeps it locked even if it finds another position.
      if (batch.from === 0n) await lockMissingRow(connection, schema)
      const ask = within(connection)
      if (!(await run(ask, moveCheckpoint(dialect, batch)))) return false
      const { statements } = await run(ask, changesOf(dialect, batch))
      await askAll(ask, statements)
      return true
    }, 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off')

  const apply = async (batch: Batch, isOwn = false): Promise<boolean> => {
    applied(batch.events.length)
    let isApplied = false
    try {
      isApplied = (await applyFew(batch, isOwn)) ?? (await applyMany(batch))
    } finally {
      if (isApplied) own.applied(endOf(batch))
      else forgetAll(known)
    }
    return isApplied
  }

  return sqlReadModel(
    {
      dialect: readingDialect(schema, 'primary'),
      read,
      readTogether: read,
      apply,
      own: {
        read: own.read,
        apply: applyingOwn(own, ({ from, events }) =>
          apply({ from, events: readEvents(events) }, true),
        ),
      },
      reset: () =>
        connections.transaction(async (connection) => {
          own.forget()
          forgetAll(known)
          // Without it a reset would not wait for a process that puts a missing row back.
          await lockMissingRow(connection, schema)
          await connection.rows({ text: `UPDATE ${dialect.table(CHECKPOINT)} SET position = 0` })
          await run(within(connection), emptyTables(dialect))
        }),
    },
    store,
  )
}

/**
 * Hold when `batch` is all that the log has after the checkpoint, and no other process is applying events: after
 * waiting for one, the checkpoint would be elsewhere.
 */
const followsFreely = ({ table }: Dialect, batch: Batch): readonly Statement[] => [
  {
    sql: `EXISTS (SELECT FROM ${table(CHECKPOINT)} WHERE position = ? FOR UPDATE SKIP LOCKED)`,
    parameters: [batch.from],
  },
  {
    sql: `ARRAY(SELECT append_id FROM ${table({ name: EVENTS })} WHERE position > ? AND position <= ? ORDER BY position)
      = ?::text[]`,
    parameters: [batch.from, endOf(batch), textArray(batch.events.map(({ appendId }) => appendId))],
  },
]

/** Makes each statement while the server runs the one before. */
const askAll = async (ask: Ask, statements: Iterable<Statement>): Promise<void> => {
  let running: Promise<unknown> = Promise.resolve()
  for (const statement of statements) {
    await running
    running = ask(statement)
  }
  await running
}

/** Replaces the lock of the checkpoint's row while that row is missing; held until the transaction ends. */
const lockMissingRow = async (connection: Connection, schema: string): Promise<void> => {
  await connection.rows({
    text: `SELECT pg_advisory_xact_lock(hashtextextended('claviger checkpoint ' || $1, 0::bigint))`,
    values: [schema],
  })
}

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
  const dialect = readingDialect(schema, 'standby')
  const { ask } = preparing(connections, dialect, { schema, mark: '/' })
  const read: Parameters<typeof sqlReads>[0]['read'] = (steps) => run(ask, steps())
  return sqlReads({ dialect, read, readTogether: read })
}

/**
 * The SQL of PostgreSQL. Each statement that writes ends with a condition.
 *
 * @param schema - quoted
 */
export const postgresDialect = (schema: string): Dialect => ({
  declarations: {
    types: { integer: 'bigint', text: 'text COLLATE "C"', json: 'text' },
    ifMissing: '',
    options: '',
    rowOptions: '',
  },
  named: namedTexts(),
  table: ({ name }) => `${schema}.${name}`,
  fieldInBody: (field) => `(object.body::json ->> '${field}'::text) COLLATE "C"`,
  hasLateral: true,
  // JSON has no line breaks.
  asLines: (page, columns, order) => `(SELECT pg_catalog.string_agg(
    pg_catalog.json_build_array(${columns.join(', ')})::text, E'\\n' ORDER BY ${order}) FROM (${page}) AS page)`,
  listedShares: (shares) => ({
    from: `pg_catalog.json_array_elements(${shares}::json) WITH ORDINALITY AS listed (value, nth)`,
    columns: {
      share: '(listed.value ->> 0)::bigint',
      expiresAt: '(listed.value ->> 1)::bigint',
      nth: 'listed.nth',
    },
  }),
  jsonRows: (expressions) =>
    `COALESCE(pg_catalog.json_agg(pg_catalog.json_build_array(${expressions.join(', ')}))::text, '[]')`,
  counted: (column) => `pg_catalog.count(${column})`,
  ordered: (expression) => expression,
  contains: (text) => `strpos(${text}, ?) > 0`,
  // As in JSON: false sorts before true.
  flag: String,
  isListed: (text, list) => ({
    sql: `${text} = ANY (?::text[])`,
    parameters: [textArray(list)],
  }),
  wanted: (columns, rows) => ({
    // PostgreSQL takes its own `unnest` for several columns, but searches for one with a single argument.
    sql: `ROWS FROM (${columns.map(({ holds }) => `pg_catalog.unnest(?::${UNNESTED_TYPES[holds]})`).join(', ')}) WITH ORDINALITY
      AS wanted (${columns.map(({ name }) => name).join(', ')}, nth)`,
    parameters: parametersOf(columns, rows),
  }),
  organizationIn: (stream) =>
    `pg_catalog.split_part(pg_catalog.substr(${stream}, pg_catalog.strpos(${stream}, '-') + 1), '+', 1)`,
  insert: ({ name: table, columns }, rows) => {
    if (rows.length === 0) return []
    const names = columns.map(({ name }) => name).join(', ')
    const sql = `INSERT INTO ${schema}.${table} (${names}) ${unnested(columns)} WHERE TRUE`
    return [{ sql, parameters: parametersOf(columns, rows) }]
  },
  update: (table, { by, set, ifNull }, rows) => {
    if (rows.length === 0) return []
    const columns = [...by, ...set].map((name) => columnNamed(table, name))
    const sql = `UPDATE ${schema}.${table.name} AS stored
      SET ${set.map((name) => `${name} = changed.${name}`).join(', ')}
      FROM (${unnested(columns)}) AS changed (${[...by, ...set].join(', ')})
      WHERE ${by.map((name) => `stored.${name} = changed.${name}`).join(' AND ')}
        ${ifNull ? `AND stored.${set[0]} IS NULL` : ''}`
    return [{ sql, parameters: parametersOf(columns, rows) }]
  },
  remove: (table, by, rows) => {
    if (rows.length === 0) return []
    const columns = by.map((name) => columnNamed(table, name))
    const sql = `DELETE FROM ${schema}.${table.name} WHERE (${by.join(', ')}) IN (${unnested(columns)})`
    return [{ sql, parameters: parametersOf(columns, rows) }]
  },
})

/**
 * The SQL of reads that check which server runs them: on a server of the other kind the checkpoint is 0. Behind a
 * pooler or after a promotion, a connection may lead to such a server.
 *
 * @param schema - quoted
 */
const readingDialect = (schema: string, server: 'primary' | 'standby'): Dialect => {
  const dialect = postgresDialect(schema)
  const checkpoint = dialect.table(CHECKPOINT)
  const isThere = server === 'standby' ? 'pg_is_in_recovery()' : 'NOT pg_is_in_recovery()'
  return {
    ...dialect,
    table: (table) =>
      table.name === CHECKPOINT.name
        ? `(SELECT position FROM ${checkpoint} WHERE ${isThere}) AS of_${server}`
        : dialect.table(table),
  }
}

const unnested = (columns: readonly Column[]): string =>
  unnestColumns(
    columns.map(({ holds }) => UNNESTED[holds]),
    () => '?',
  )

const UNNESTED_TYPES = {
  integer: 'bigint[]',
  text: 'text[] COLLATE "C"',
  json: 'text[]',
} as const

const UNNESTED = { integer: 'bigint', text: 'text', json: 'lines' } as const

/** Column by column. */
const parametersOf = (columns: readonly Column[], rows: readonly Row[]): readonly Parameter[] =>
  columns.map(({ holds }, index) => parameterOf[holds](rows.map((row) => valueAt(row, index))))

const valueAt = (row: Row, index: number): Parameter => {
  const value = row[index]
  if (value === undefined) throw new Error('A row must have a value for each column')
  return value
}

const parameterOf = { integer: bigintArray, text: textArray, json: toJsonLines } as const

/**
 * One statement that runs all of `writes`, in any order, if `guard` finds a row, and then finds one itself. The commit
 * does not wait for the disk: lost rows are rebuilt from the log.
 *
 * @param writes - each ends with a condition; there may be none
 */
export const guarded = (guard: Statement, writes: readonly Statement[]): Statement => {
  const parts = [`guard AS (${guard.sql})`]
  for (const [index, { sql }] of writes.entries())
    parts.push(`write_${index} AS (${sql} AND EXISTS (SELECT FROM guard))`)
  return {
    sql: `WITH ${parts.join(', ')}
      SELECT pg_catalog.set_config('synchronous_commit', 'off', TRUE) FROM guard`,
    parameters: allOf([guard, ...writes]).parameters,
  }
}

/** Whether a statement only adds rows. A plan of any other, made for a small table, would read all of a large one. */
export const isInsert = ({ sql }: Statement): boolean => sql.startsWith('INSERT')

/** Runs one statement. */
type Ask = (statement: Statement) => Promise<readonly Row[]>

/** Runs statement after statement. */
export const run = async <Value>(ask: Ask, steps: Steps<Value>): Promise<Value> => {
  let step = steps.next()
  while (!step.done) step = steps.next(await ask(step.value))
  return step.value
}

/**
 * Creates the tables of the read model.
 *
 * @param schema - quoted
 */
export const createReadTables = (schema: string): string => {
  const dialect = postgresDialect(schema)
  const checkpoint = dialect.table(CHECKPOINT)
  // Without the replica identity, a publication of all tables would forbid updates of a table without a key.
  return `${createTables(dialect)}
    ALTER TABLE ${checkpoint} REPLICA IDENTITY FULL;
    INSERT INTO ${checkpoint} (position) VALUES (0);`
}

/** `sql` with the numbers that parameters have in PostgreSQL. */
export const numbered = (sql: string): string => {
  let number = 0
  return sql.replaceAll('?', () => `$${++number}`)
}

/** Most statements that each connection prepares by their texts. */
const MAX_NAMED = 64

/** Names the texts of statements. A name has 7 letters, and only these names begin with `=`. */
export const namer = (): ((text: string) => string | undefined) => {
  const names = new Map<string, string | undefined>()
  return (text) => {
    if (names.size < MAX_NAMED && !names.has(text)) {
      const name = `=${hashOf(text).slice(-6)}`
      names.set(text, [...names.values()].includes(name) ? undefined : name)
    }
    return names.get(text)
  }
}

/** Named statements that are asked, and events that are applied, until the tables are measured again. */
const MEASURED_AFTER = 250

/**
 * Makes statements for PostgreSQL; the text of a named one once. The server keeps the plan of a named one, also while
 * small tables grow, and would then read all of large ones. So statements get other names when a table is four times as
 * large.
 *
 * @param mark - one character, for statements that have another text under the same name; a pool may serve both
 */
export const preparing = (
  connections: Connections,
  dialect: Dialect,
  { schema, mark }: { readonly schema: string; readonly mark: ' ' | '+' | '/' },
) => {
  const texts = new Map<string, string>()
  const byText = namer()
  // Without its quotes, a name has at most 63 bytes.
  const prefix = schema.slice(1, -1) + mark
  const tables = [...filledBy(dialect), { name: EVENTS }].map(dialect.table)
  const sizes = { text: `SELECT ${tables.map(pagesOf).join(', ')}` }
  let growth = growthOf([])
  let sinceMeasured = 0

  const prepared = ({ sql, parameters, isRepeated, ...named }: Statement): Prepared => {
    const name = isRepeated ? byText(sql) : named.name
    const values = [...parameters]
    if (name === undefined) return { text: numbered(sql), values }
    const text = texts.get(name) ?? numbered(sql)
    texts.set(name, text)
    return { name: prefix + growth + name, text, values }
  }
  const measure = async (): Promise<void> => {
    growth = growthOf(onlyRow(await connections.read(sizes)))
  }
  const applied = (events: number): void => {
    sinceMeasured += events
  }
  const counted = (statements: number): Promise<void> | undefined => {
    sinceMeasured += statements
    if (sinceMeasured <= MEASURED_AFTER) return undefined
    sinceMeasured = 0
    return measure()
  }
  const ask: Ask = async (statement) => {
    const isPrepared = statement.isRepeated === true || statement.name !== undefined
    const measured = isPrepared ? counted(1) : undefined
    if (measured) await measured
    return connections.read(prepared(statement))
  }
  return {
    prepared,
    /** Asks outside of a transaction. */
    ask,
    /** Counts events that were applied. */
    applied,
    /** Counts statements before they are asked in another way, outside of a transaction. */
    counted,
  }
}

const pagesOf = (table: string): string =>
  `pg_catalog.pg_relation_size('${table}'::pg_catalog.regclass) / 8192`

/** A character that differs when one of the tables has four times as many pages. */
const growthOf = (pages: Row): string => {
  const steps = pages.map((count) => Math.floor(Math.log2(Math.max(1, Number(count))) / 2))
  const sum = steps.reduce((one, other) => one + other, 0)
  return String.fromCharCode(Math.min(FIRST_GROWTH + sum, LAST_GROWTH))
}

/** The codes of `!` and `~`. */
const [FIRST_GROWTH, LAST_GROWTH] = [0x21, 0x7e]
