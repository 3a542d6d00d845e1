import { setTimeout } from 'node:timers'
import type { EventStore, Position } from '../../../ports/event-store.js'
import type {
  FoundAtHead,
  HistoryEntry,
  HistoryQuery,
  ReadAtHead,
} from '../../../ports/read-model.js'
import type { Dialect, Steps } from '../../sql/dialect.js'
import { sqlReadModel } from '../../sql/read-model/read-model.js'
import { CHECKPOINT } from '../../sql/read-model/tables.js'
import type { Connections } from '../connection/connections.js'
import { postgresDialect, run } from '../read-model/dialect.js'
import { preparer } from '../read-model/prepared.js'

/** Where the log of the primary ends, and how far its read model is. */
export type Positions = Pick<FoundAtHead<unknown>, 'head' | 'reached'>

/** How long nothing is asked of a standby that has failed or was too late, in milliseconds. */
const REST_MS = 1_000

/** Pause before a standby that is behind is asked again, in milliseconds; doubled each time. */
const MIN_PAUSE_MS = 5

/** A read of the standby. */
type Query<Found> = (reads: StandbyReads) => Promise<FoundAtHead<Found>>

/** Waits for the answer of a read that was begun; undefined when the standby does not have it in time. */
type Answering<Found> = (
  known: Positions,
  needed: Position,
) => Promise<FoundAtHead<Found> | undefined>

/** Reads of a standby that wait at most `maxWait` milliseconds for it to have what they must show. */
export const waitingReads = (
  standby: StandbyReads,
  positions: () => Promise<Positions>,
  maxWait: number,
) => {
  let restsUntil = 0

  /** Whether `answer` has all that is needed, and nothing that the primary does not have. */
  const isFit = async (
    answer: FoundAtHead<unknown>,
    known: Positions,
    needed: Position,
  ): Promise<boolean> => {
    if (answer.reached < needed) return false
    if (answer.reached <= known.reached) return true
    // The primary went on meanwhile; or its read model was reset, and the standby does not know yet.
    return answer.reached <= (await positions()).reached
  }

  /** What `reading` resolves with. A standby that has what is needed may take longer: so would the primary. */
  const inTime = async <Found>(
    reading: Promise<Found | undefined>,
    needed: Position,
  ): Promise<Found | undefined> => {
    const half = maxWait / 2
    const end = performance.now() + maxWait
    const soon = await within(half, reading)
    if (soon !== undefined) return soon
    const reached = (await within(half, standby.checkpoint())) ?? -1n
    return reached < needed ? within(until(end), reading) : reading
  }

  /** Begins a read; undefined while the standby is to be left alone. */
  const begin = <Found>(query: Query<Found>): Answering<Found> | undefined => {
    if (performance.now() < restsUntil) return undefined
    const first = query(standby)
    // It may not be waited for.
    first.catch(ignore)
    return async (known, needed) => {
      const end = performance.now() + maxWait
      const attempts = async (): Promise<FoundAtHead<Found> | undefined> => {
        let answer = await first
        for (let pause = MIN_PAUSE_MS; !(await isFit(answer, known, needed)); ) {
          do {
            await after(Math.min(pause, until(end)))
            pause *= 2
            if (performance.now() >= end) return undefined
          } while ((await standby.checkpoint()) < needed)
          answer = await query(standby)
        }
        return answer
      }
      const answer = await inTime(attempts(), needed).catch(ignore)
      if (answer === undefined) restsUntil = performance.now() + REST_MS
      return answer
    }
  }

  return { begin, inTime }
}

const ignore = (): undefined => undefined

/** Milliseconds from now until `end`. */
const until = (end: number): number => Math.max(0, end - performance.now())

const after = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** What `promise` resolves with; undefined when that takes longer than so many milliseconds. */
export const within = async <Value>(
  milliseconds: number,
  promise: Promise<Value>,
): Promise<Value | undefined> => {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), milliseconds)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

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
