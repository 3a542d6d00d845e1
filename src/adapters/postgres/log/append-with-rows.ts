import { err, ok } from 'neverthrow'
import { systemEnvironment } from '../../../ports/environment.js'
import { type InTransaction, type Position, StoreFault } from '../../../ports/event-store.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import { readBatch } from '../../../projections/read-events.js'
import {
  type Dialect,
  joined,
  param,
  type Row,
  type Statement as Sql,
  sql,
} from '../../sql/dialect.js'
import { changesOf, checkpointMove, endOf } from '../../sql/read-model/changes.js'
import { forgetAll, nothingKnown } from '../../sql/read-model/known.js'
import { CHECKPOINT, checkpointIn } from '../../sql/read-model/tables.js'
import type { Verdict } from '../../store/group-commit.js'
import { dataAt, type PreparedAppend, recordEvents } from '../../store/record-events.js'
import { type Connection, onlyRow, StatementFailed } from '../connection/connection.js'
import { BEGIN_FOR_HOST, type Connections } from '../connection/connections.js'
import { sqlStateOf } from '../connection/faults.js'
import { isInsert, numbered, postgresDialect, preparing, run } from '../read-model.js'
import { bigintArray, textArray } from '../unnest-columns.js'
import { quoted, runForHost, withValues } from './in-transaction.js'
import { columnsOf, type LogRow, lockLog, MOVED } from './writes.js'

/**
 * Records appends and the rows of their events in one transaction.
 *
 * Everything is read and decided first, without a lock. Then one message takes the lock of the log, checks that no event
 * was recorded meanwhile, writes and commits. So no process holds the lock while it waits for a client. A process that
 * writes alone reads nothing: the message checks what it expects. When others are faster, a later try takes the lock first.
 *
 * @returns undefined, with nothing recorded, when there are no events or this version cannot read them, or others record
 *   events without rows all the time: the appends are then to be recorded without rows, too
 */
export type AppendWithRows = (
  group: readonly PreparedAppend[],
  host?: InTransaction,
) => Promise<readonly Verdict[] | undefined>

/** How long a client may be silent while its transaction has the lock of the log, in milliseconds. */
const LOCKED_IDLE_LIMIT_MS = 1_000

/** Tries that read without the lock. */
const UNLOCKED_TRIES = 2

/** All tries: events of others, which are without rows, may be recorded between a look and a lock. */
const MAX_TRIES = 8

/** What a try leads to. */
type Outcome =
  | {
      readonly verdicts: readonly Verdict[]
      readonly write?: Sql
      /** To be called after the commit: keeps what the process then knows. */
      readonly learn?: () => void
    }
  /** The read model is behind, or something was recorded meanwhile. */
  | 'behind'
  | 'moved'

/** @param schema - quoted */
export const appendWithRows = (
  connections: Connections,
  schema: string,
  /** Applies the events that the read model lacks. */
  bringToHead: () => Promise<void>,
): AppendWithRows => {
  const dialect = postgresDialect(schema)
  const { prepared, counted } = preparing(connections, dialect, { schema, mark: '+' })
  const known = nothingKnown()
  /** The last event that this process has written. */
  let last: Position = 0n
  /** Whether no other process seems to write: nobody wrote between the last two events of this process. */
  let isAlone = false
  /** The time on the server when {@link elapsed} was 0, in microseconds. */
  let zero = 0

  const look = async (
    group: readonly PreparedAppend[],
    first: Sql | undefined,
    rows: Connection['rows'],
  ): Promise<Look> => {
    const query = prepared(lookAt(schema, dialect, group, first))
    const found = lookIn(onlyRow(await rows<LookRow>(query)), first)
    zero = found.now - elapsed()
    return found
  }

  /** What a look finds if nobody else writes, and `group` expects what is there. */
  const expectedBy = (group: readonly PreparedAppend[]): Look => ({
    isExpected: true,
    head: last,
    reached: last,
    now: zero + elapsed(),
    versions: group.flatMap(({ append }) => append.writes.map((write) => write.expectedVersion)),
    used: new Set(),
  })

  const decide = async (
    group: readonly PreparedAppend[],
    look: Look,
    rows: Connection['rows'],
  ): Promise<Outcome> => {
    if (look.reached !== look.head) return 'behind'
    const verdicts = verdictsOf(group, look)
    const log = rowsOf(group, verdicts)
    if (log.length === 0) return { verdicts }
    const batch = { from: look.head, events: readBatch(log.map(({ event }) => event)).known }
    const ask = async (statement: Sql) =>
      look.first && isSame(statement, look.first.statement)
        ? look.first.rows
        : rows(prepared(statement))
    const memory = look.isExpected && known
    const { reached, assumed, learn, statements } = await run(
      ask,
      changesOf(dialect, batch, memory),
    )
    for (const at of reached) if (at !== look.head) return 'moved'
    const writes = [...statements]
    const conditions = look.isExpected ? [...assumed, ...asExpected(schema, group, look)] : []
    const move = checkpointMove(dialect, batch, conditions)
    const write = writeOf(schema, move, { from: look.head, log, writes })
    return {
      verdicts,
      write: { ...write, isRepeated: writes.every(isInsert) },
      learn: () => {
        learn(known)
        isAlone = last === batch.from
        last = endOf(batch)
      },
    }
  }

  /** Decides and writes, without a transaction around it. */
  const tryAlone = async (
    group: readonly PreparedAppend[],
    first: Sql | undefined,
    isExpected: boolean,
  ): Promise<Outcome> => {
    const rows: Connection['rows'] = (statement) => connections.read(statement)
    const seen = isExpected ? expectedBy(group) : await look(group, first, rows)
    const outcome = await decide(group, seen, rows)
    if (typeof outcome !== 'object' || outcome.write === undefined) return outcome
    try {
      await connections.write(prepared(outcome.write))
    } catch (fault) {
      if (isMoved(fault instanceof StoreFault ? fault.cause : undefined)) return 'moved'
      throw fault
    }
    outcome.learn?.()
    return outcome
  }

  /** Runs the function of the host, decides and writes, in one transaction. */
  const tryTogether = async (
    group: readonly PreparedAppend[],
    first: Sql | undefined,
    host: InTransaction | undefined,
    isLocked: boolean,
  ): Promise<Outcome> => {
    try {
      return await connections.transaction(async (connection, lent, committing) => {
        if (host) await runForHost(host, lent)
        if (isLocked) {
          // In the order of the statement that writes.
          await connection.rows({ text: `SELECT FROM ${dialect.table(CHECKPOINT)} FOR UPDATE` })
          await connection.rows({
            text: `SET LOCAL idle_in_transaction_session_timeout = ${LOCKED_IDLE_LIMIT_MS};
              DO ${quoted(`BEGIN${lockLog(schema)} END`)}`,
          })
        }
        const outcome = await decide(
          group,
          await look(group, first, connection.rows),
          connection.rows,
        )
        const isWritten =
          typeof outcome === 'object' && outcome.verdicts.every((each) => each.isOk())
        // The rows of the host are rolled back unless its one append is recorded.
        if (typeof outcome !== 'object' || (host && !isWritten)) throw new NotAppended(outcome)
        if (outcome.write === undefined) return outcome
        const committed = committing()
        const { sql, parameters } = outcome.write
        const text = withValues(numbered(sql), parameters)
        await connection.rows({ text: `${text}; COMMIT; BEGIN` }).catch((error) => {
          const isLost = error instanceof StatementFailed && isMoved(error.cause)
          throw isLost ? new NotAppended('moved') : error
        })
        committed()
        outcome.learn?.()
        return outcome
      }, host && BEGIN_FOR_HOST)
    } catch (error) {
      if (error instanceof NotAppended) return error.outcome
      throw error
    }
  }

  return async (group, host) => {
    // At any position: this only finds what is read.
    const { known: events, unreadable } = readBatch(
      group.flatMap(({ append }) => recordEvents(append, 1)),
    )
    if (unreadable || events.length === 0) return undefined
    const first = firstRead(dialect, events)
    await counted(group.length)
    for (let tries = isAlone && !host ? 0 : 1; tries <= MAX_TRIES; tries++) {
      const isLocked = tries > UNLOCKED_TRIES
      const outcome =
        host || isLocked
          ? await tryTogether(group, first, host, isLocked)
          : await tryAlone(group, first, tries === 0)
      if (typeof outcome === 'object') return outcome.verdicts
      if (tries === 0) forgetAll(known)
      isAlone = false
      if (outcome === 'behind') await bringToHead()
    }
    return undefined
  }
}

/** Rolls back a transaction in which nothing is appended. */
class NotAppended extends Error {
  override readonly name = 'NotAppended'
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super('Nothing was appended')
    this.outcome = outcome
  }
}

/** In microseconds. */
const elapsed = (): number => Math.floor(systemEnvironment.elapsed() * 1_000)

/** The first statement that finds what the rows of `events` replace, if it is worth preparing. */
const firstRead = (dialect: Dialect, events: readonly KnownEvent[]): Sql | undefined => {
  const step = changesOf(dialect, { from: 0n, events }).next()
  return step.done || step.value.name === undefined ? undefined : step.value
}

const isSame = (one: Sql, other: Sql): boolean =>
  one.sql === other.sql && one.parameters.every((value, nth) => value === other.parameters[nth])

type LookRow = readonly [
  head: string,
  reached: string,
  now: string,
  versions: string,
  used: string,
  found: string,
]

/** The log and the read model before an append. */
interface Look {
  readonly head: Position
  readonly reached: Position
  /** The time on the server, in microseconds. */
  readonly now: number
  /** Of the stream of each write. */
  readonly versions: readonly number[]
  /** Idempotency keys that were used before. */
  readonly used: ReadonlySet<string>
  /** A statement that was asked with it. */
  readonly first?: { readonly statement: Sql; readonly rows: readonly Row[] } | undefined
  /** Whether nothing was read: the statement that writes checks it. */
  readonly isExpected?: true
}

/** Looks, and asks the statement `first` with it. */
const lookAt = (
  schema: string,
  dialect: Dialect,
  group: readonly PreparedAppend[],
  first: Sql | undefined,
): Sql => {
  const appends = group.map(({ append }) => append)
  const named = dialect.named(
    first ? `l${first.name}` : 'look',
    () => `SELECT coalesce((SELECT max(e.position) FROM ${schema}.events e), 0)::text,
      coalesce(${checkpointIn(dialect)}, 0)::text,
      (extract(epoch FROM clock_timestamp()) * 1e6)::bigint::text,
      (SELECT coalesce(pg_catalog.json_agg(coalesce((SELECT max(e.version) FROM ${schema}.events e WHERE e.stream = w.stream), 0)
        ORDER BY w.nth)::text, '[]') FROM pg_catalog.unnest(?::text[]) WITH ORDINALITY AS w (stream, nth)),
      (SELECT coalesce(pg_catalog.json_agg(k.key)::text, '[]') FROM pg_catalog.unnest(?::text[]) AS k (key)
        WHERE EXISTS (SELECT FROM ${schema}.events e WHERE e.idempotency_key = k.key)),
      ${first ? `(SELECT coalesce(pg_catalog.json_agg(f)::text, '[]') FROM (${first.sql}) AS f)` : `'[]'`}`,
  )
  return {
    ...named,
    parameters: [
      textArray(appends.flatMap(({ writes }) => writes.map(({ stream }) => stream))),
      textArray(appends.flatMap(({ metadata }) => metadata.idempotencyKey ?? [])),
      ...(first?.parameters ?? []),
    ],
  }
}

const lookIn = (
  [head, reached, now, versions, used, found]: LookRow,
  first: Sql | undefined,
): Look => ({
  head: BigInt(head),
  reached: BigInt(reached),
  now: Number(now),
  versions: JSON.parse(versions),
  used: new Set<string>(JSON.parse(used)),
  first: first && { statement: first, rows: JSON.parse(found).map(Object.values) },
})

/** As the append functions of the schema answer. */
const verdictsOf = (
  group: readonly PreparedAppend[],
  { head, now, versions, used }: Look,
): readonly Verdict[] => {
  let next = Math.max(now, Number(head) + 1)
  let nth = 0
  return group.map(({ append }) => {
    const { writes, metadata } = append
    const first = nth
    nth += writes.length
    if (metadata.idempotencyKey !== undefined && used.has(metadata.idempotencyKey))
      return err({ kind: 'IdempotencyKeyUsed' })
    const outdated = writes.find(
      ({ expectedVersion }, index) => versions[first + index] !== expectedVersion,
    )
    if (outdated) return err({ kind: 'VersionConflict', stream: outdated.stream })
    const recorded = recordEvents(append, next)
    next += recorded.length
    return ok(recorded)
  })
}

/** The rows of the appends that are recorded. */
const rowsOf = (
  group: readonly PreparedAppend[],
  verdicts: readonly Verdict[],
): readonly LogRow[] =>
  group.flatMap((prepared, nth) => {
    const verdict = verdicts[nth]
    if (!verdict?.isOk()) return []
    return verdict.value.map((event, index) => ({
      event,
      data: dataAt(prepared, index),
      metadata: prepared.metadata,
      beginsAppend: index === 0,
    }))
  })

const isMoved = (error: unknown): boolean => sqlStateOf(error) === MOVED

/** Most microseconds between the estimated time of an event and the clock of the server. */
const MAX_AGE = 1_000_000

/** Conditions that hold if streams and keys are as `group` expects, and the estimated time is neither ahead nor old. */
const asExpected = (
  schema: string,
  group: readonly PreparedAppend[],
  { now, versions }: Look,
): readonly Sql[] => {
  const appends = group.map(({ append }) => append)
  const streams = appends.flatMap(({ writes }) => writes.map(({ stream }) => stream))
  const keys = appends.flatMap(({ metadata }) => metadata.idempotencyKey ?? [])
  const used = `SELECT FROM ${schema}.events e WHERE e.idempotency_key = k.key`
  const version = `SELECT max(e.version) FROM ${schema}.events e WHERE e.stream = w.stream`
  return [
    {
      sql: `NOT EXISTS (SELECT FROM unnest(?::text[], ?::bigint[]) AS w (stream, version)
        WHERE w.version <> coalesce((${version}), 0))`,
      parameters: [textArray(streams), bigintArray(versions)],
    },
    {
      sql: `NOT EXISTS (SELECT FROM pg_catalog.unnest(?::text[]) AS k (key) WHERE EXISTS (${used}))`,
      parameters: [textArray(keys)],
    },
    {
      sql: `(extract(epoch FROM clock_timestamp()) * 1e6)::bigint BETWEEN ?::bigint AND ?::bigint`,
      parameters: [now, now + MAX_AGE],
    },
  ]
}

/**
 * One statement that writes the events and their rows. It raises {@link MOVED} unless `move` finds a row and the log ends
 * at `from`. The row of the checkpoint is locked before the log: who applies events elsewhere holds up no other writer.
 */
const writeOf = (
  schema: string,
  move: Sql,
  {
    from,
    log,
    writes,
  }: { readonly from: Position; readonly log: readonly LogRow[]; readonly writes: readonly Sql[] },
): Sql => {
  const columns = columnsOf(log)
  const parts = [
    sql`moved AS (${move})`,
    sql`recorded AS (SELECT ${schema}.append_at(CASE WHEN EXISTS (SELECT FROM moved) THEN ${param(from)}::bigint ELSE -1 END, ${joined(columns.map(param), ', ')}))`,
    ...writes.map(
      (write, nth) => sql`write_${nth} AS (${write} AND EXISTS (SELECT FROM recorded))`,
    ),
  ]
  return sql`WITH ${joined(parts, ', ')} SELECT FROM recorded`
}
