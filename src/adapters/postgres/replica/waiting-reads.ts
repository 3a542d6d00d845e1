import { setTimeout } from 'node:timers'
import type { Position } from '../../../ports/event-store.js'
import type { FoundAtHead, ReadAtHead } from '../../../ports/read-model.js'
import type { Dialect, Steps } from '../../sql/dialect.js'
import { sqlReads } from '../../sql/read-model/read-model.js'
import { readCheckpoint } from '../../sql/read-model/reads.js'
import { CHECKPOINT } from '../../sql/read-model/tables.js'
import type { Connections } from '../connection/connections.js'
import { postgresDialect, preparer, run } from '../read-model/dialect.js'

/** Where the log of the primary ends, and how far its read model is. */
export type Positions = Pick<FoundAtHead<unknown>, 'head' | 'reached'>

/** How long nothing is asked of a standby that has failed or was too late, in milliseconds. */
const REST_MS = 1_000

/** Pause before a standby that is behind is asked again, in milliseconds; doubled each time. */
const MIN_PAUSE_MS = 5

/** Waits for the answer of a read that was begun; undefined when the standby does not have it in time. */
type Answering<Found> = (
  known: Positions,
  needed: Position,
) => Promise<FoundAtHead<Found> | undefined>

/** Reads of a standby that wait at most `maxWait` milliseconds for it to have what they must show. */
export const waitingReads = (
  { checkpoint }: Pick<StandbyReads, 'checkpoint'>,
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
    const reached = (await within(half, checkpoint())) ?? -1n
    return reached < needed ? within(until(end), reading) : reading
  }

  /** Begins a read; undefined while the standby is to be left alone. */
  const begin = <Found>(read: () => Promise<FoundAtHead<Found>>): Answering<Found> | undefined => {
    if (performance.now() < restsUntil) return undefined
    const first = read()
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
          } while ((await checkpoint()) < needed)
          answer = await read()
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

/** The reads of a standby. */
export interface StandbyReads {
  readonly readAtHead: ReadAtHead
  /** As `checkpoint` of the read model. */
  readonly checkpoint: () => Promise<Position>
}

/**
 * The reads of a standby. Once it is promoted its log may be another one than that of the primary, so its checkpoint
 * then counts as 0.
 *
 * @param schema - quoted
 */
export const standbyReads = (connections: Connections, schema: string): StandbyReads => {
  const dialect = standbyDialect(schema)
  const prepared = preparer(schema, '/')
  const read = <Value>(steps: () => Steps<Value>) =>
    run((statement) => connections.read(prepared(statement)), steps())
  return {
    readAtHead: sqlReads({ dialect, read, readTogether: read }),
    checkpoint: () => read(() => readCheckpoint(dialect)),
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
