import { err, ok } from 'neverthrow'
import type { Append, StreamWrite } from '../../../ports/event-store.js'
import { StoreFault } from '../../../ports/event-store.js'
import type { Verdict } from '../../store/group-commit.js'
import type { PreparedAppend } from '../../store/record-events.js'
import { recordEvents } from '../../store/record-events.js'
import type { Statement } from '../connection/connection.js'
import type { Connections } from '../connection/connections.js'

/**
 * Checks and writes each append of a group in one round trip.
 *
 * @param schema - quoted
 */
export const writeGroup = async (
  connections: Connections,
  schema: string,
  group: readonly PreparedAppend[],
): Promise<readonly Verdict[]> => {
  const [first] = group
  const single = first && group.length === 1 ? singleEvent(first) : undefined
  if (first && single) {
    const [row] = await connections.write(appendEvent(schema, single))
    return [verdictOn(first.append, numberFrom(row?.[0]))]
  }
  const [row] = await connections.write<[string]>(appendGroup(schema, group))
  const [position, ...answers] = numbersFrom(row?.[0] ?? '')
  return verdicts(group, position, answers)
}

/** An append of one event, in its first write, that guards at most one other stream. */
interface SingleEvent {
  readonly prepared: PreparedAppend
  readonly write: StreamWrite
  readonly guard: StreamWrite | undefined
}

/** `prepared` as an append of one event, for which there is a faster function; undefined when it is none. */
const singleEvent = (prepared: PreparedAppend): SingleEvent | undefined => {
  const [write, guard, ...others] = prepared.append.writes
  if (write?.events.length !== 1 || others.length > 0) return undefined
  return guard === undefined || guard.events.length === 0 ? { prepared, write, guard } : undefined
}

const appendEvent = (schema: string, { prepared, write, guard }: SingleEvent): Statement => {
  const { append, data, metadata } = prepared
  const [event] = write.events
  return {
    name: `${schema} event`,
    text: `SELECT ${schema}.append_event($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [
      append.id,
      append.metadata.idempotencyKey,
      metadata,
      write.stream,
      write.expectedVersion,
      event?.type,
      event?.schemaVersion,
      data[0],
      guard?.stream,
      guard?.expectedVersion,
    ],
  }
}

/** @param answer - the position; otherwise as those of a group */
const verdictOn = (append: Append, answer: number): Verdict =>
  answer > 0 ? ok(recordEvents(append, answer)) : refusal(append.writes, answer)

const refusal = (writes: readonly StreamWrite[], answer: number): Verdict => {
  if (answer === 0) return err({ kind: 'IdempotencyKeyUsed' })
  const write = writes[-answer - 1]
  if (write) return err({ kind: 'VersionConflict', stream: write.stream })
  throw new Error(`The append function answered ${answer}`)
}

const appendGroup = (schema: string, group: readonly PreparedAppend[]): Statement => {
  const appends = group.map(({ append }) => append)
  const writes = appends.flatMap(({ writes }, index) =>
    writes.map((write) => ({ ...write, number: index + 1 })),
  )
  const events = writes.flatMap(({ number, stream, expectedVersion, events }) =>
    events.map((event, index) => ({
      ...event,
      number,
      stream,
      version: expectedVersion + index + 1,
    })),
  )
  return {
    name: `${schema} group`,
    text: `SELECT ${schema}.append_group($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    values: [
      appends.map(({ id }) => id),
      appends.map(({ metadata }) => metadata.idempotencyKey),
      group.map(({ metadata }) => metadata),
      writes.map(({ number }) => number),
      writes.map(({ stream }) => stream),
      writes.map(({ expectedVersion }) => expectedVersion),
      events.map(({ number }) => number),
      events.map(({ stream }) => stream),
      events.map(({ version }) => version),
      events.map(({ type }) => type),
      events.map(({ schemaVersion }) => schemaVersion),
      group.flatMap(({ data }) => data),
    ],
  }
}

/** @param position - that of the first event recorded; each one that follows has the next */
const verdicts = (
  group: readonly PreparedAppend[],
  position: number | undefined,
  answers: readonly number[],
): readonly Verdict[] => {
  const allWrites = group.flatMap(({ append }) => append.writes)
  let next = numberFrom(position)
  return group.map(({ append, data }, index) => {
    const answer = numberFrom(answers[index])
    if (answer <= 0) return refusal(allWrites, answer)
    const recorded = recordEvents(append, next)
    next += data.length
    return ok(recorded)
  })
}

/** The numbers of an array as PostgreSQL writes it: `{1,2}`. */
const numbersFrom = (text: string): readonly number[] => text.slice(1, -1).split(',').map(Number)

const numberFrom = (value: unknown): number => {
  const number = Number(value ?? Number.NaN)
  if (Number.isSafeInteger(number)) return number
  throw new StoreFault('PostgreSQL: the append function gave no answer', 'unknown')
}
