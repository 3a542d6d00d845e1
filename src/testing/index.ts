import type { Result } from 'neverthrow'
import type { PgLite, Postgres } from '../adapters/postgres/index.js'
import { type Decider, fold } from '../domain/decider.js'

/** A clock that stands still until it is set or advanced. */
export interface FixedClock {
  (): Date
  /** Sets the clock to `at`, which may be in the past. */
  readonly set: (at: Date | string | number) => void
  /** Moves the clock forward, or back when negative. */
  readonly advance: (milliseconds: number) => void
}

/**
 * Creates a clock for tests, to pass as `now`.
 *
 * @param at - a date, a text in RFC 3339, or milliseconds since the Unix epoch
 *
 * @throws RangeError when `at` is not a valid date
 */
export const fixedClock = (at: Date | string | number): FixedClock => {
  let time = timestampOf(at)
  return Object.assign(() => new Date(time), {
    set: (at: Date | string | number) => {
      time = timestampOf(at)
    },
    advance: (milliseconds: number) => {
      time = timestampOf(time + milliseconds)
    },
  })
}

const timestampOf = (at: Date | string | number): number => {
  const timestamp = new Date(at).getTime()
  if (Number.isNaN(timestamp)) throw new RangeError(`Not a valid date: ${at}`)
  return timestamp
}

/**
 * Runs a decider as an example: given past events, when a command, then the result.
 * `when` throws a `TypeError` for a command that the decider does not know.
 *
 * @param events - the stream of the command's object, oldest first, in their newest versions
 * @example
 * ```ts
 * const decision = given(projectRole, []).when(addEditor)
 * expect(decision).toEqual(ok([editorAdded]))
 * ```
 */
export const given = <Command, State, Event, Refusal>(
  decider: Decider<Command, State, Event, Refusal>,
  events: readonly Event[],
): {
  /** The events of `command`, or its refusal; `[]` when it changes nothing. */
  readonly when: (command: Command) => Result<readonly Event[], Refusal>
} => ({
  when: (command) => {
    const decision = decider.decide(command, fold(decider, events))
    // By its types, a decider handles every command.
    if (decision === undefined) throw new TypeError('The decider does not know this command')
    return decision
  },
})

let count = 0

/**
 * PostgreSQL without a server, for the tests of a host: each call opens a new schema in `db`, so one PGlite serves all
 * tests of a file. The host closes `db`.
 *
 * @example
 * ```ts
 * await using opened = await testPostgres(db) // const db = new PGlite(), once
 * const iam = createIam({ ...opened, secrets, authorize: () => true })
 * ```
 */
export const testPostgres = async (db: PgLite): Promise<Postgres> => {
  const { openPostgres, pgLite } = await import('../adapters/postgres/index.js')
  return openPostgres({ driver: pgLite(db), schema: `test_${++count}` })
}
