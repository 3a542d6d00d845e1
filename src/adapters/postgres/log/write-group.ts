import { err, ok } from 'neverthrow'
import { StoreFault, type StreamWrite } from '../../../ports/event-store.js'
import type { Verdict } from '../../store/group-commit.js'
import { dataAt, type PreparedAppend, recordEvents } from '../../store/record-events.js'
import type { Statement } from '../connection/connection.js'
import type { Connections } from '../connection/connections.js'
import { bigintArray, textArray } from '../unnest-columns.js'

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
  const [first, ...others] = group
  const single = first && others.length === 0 && appendOne(schema, first)
  if (single) {
    const [row] = await connections.write(single)
    const answer = numberFrom(row?.[0])
    return [
      answer > 0 ? ok(recordEvents(first.append, answer)) : refusal(first.append.writes, answer),
    ]
  }
  const [row] = await connections.write<[string]>(appendGroup(schema, group))
  // An array as PostgreSQL writes it: {1,2}.
  const [position, ...answers] = row?.[0].slice(1, -1).split(',') ?? []
  return verdicts(group, numberFrom(position), answers.map(numberFrom))
}

/** The statement for an append of one event, in its first write; undefined for other appends. Its function is faster. */
const appendOne = (schema: string, prepared: PreparedAppend): Statement | undefined => {
  const { append, metadata, data } = prepared
  const [write, ...guards] = append.writes
  const [event] = write?.events ?? []
  if (!write || !event || data.length > 1) return undefined
  return {
    name: `${schema} one`,
    text: `SELECT ${schema}.append_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)::text`,
    values: [
      append.id,
      append.metadata.idempotencyKey,
      metadata,
      write.stream,
      write.expectedVersion,
      event.type,
      event.schemaVersion,
      dataAt(prepared, 0),
      textArray(guards.map(({ stream }) => stream)),
      bigintArray(guards.map(({ expectedVersion }) => expectedVersion)),
    ],
  }
}

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
    text: `SELECT ${schema}.append_group($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)::text`,
    values: [
      textArray(appends.map(({ id }) => id)),
      textArray(appends.map(({ metadata }) => metadata.idempotencyKey ?? null)),
      textArray(group.map(({ metadata }) => metadata)),
      bigintArray(writes.map(({ number }) => number)),
      textArray(writes.map(({ stream }) => stream)),
      bigintArray(writes.map(({ expectedVersion }) => expectedVersion)),
      bigintArray(events.map(({ number }) => number)),
      textArray(events.map(({ stream }) => stream)),
      bigintArray(events.map(({ version }) => version)),
      textArray(events.map(({ type }) => type)),
      bigintArray(events.map(({ schemaVersion }) => schemaVersion)),
      textArray(group.flatMap(({ data }) => data)),
    ],
  }
}

/** @param first - position of the first event recorded; the others have the next ones */
const verdicts = (
  group: readonly PreparedAppend[],
  first: number,
  answers: readonly number[],
): readonly Verdict[] => {
  const allWrites = group.flatMap(({ append }) => append.writes)
  let next = first
  return group.map(({ append, data }, index) => {
    const answer = numberFrom(answers[index])
    if (answer <= 0) return refusal(allWrites, answer)
    const recorded = recordEvents(append, next)
    next += data.length
    return ok(recorded)
  })
}

const numberFrom = (value: unknown): number => {
  const number = Number(value ?? Number.NaN)
  if (Number.isSafeInteger(number)) return number
  throw new StoreFault('PostgreSQL: the append function gave no answer', 'unknown')
}
