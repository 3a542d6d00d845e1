import { unstorable } from '../../domain/values.js'
import {
  type Append,
  MAX_APPEND_BYTES,
  MAX_NAME_BYTES,
  MAX_WRITES,
  type Metadata,
  type NewEvent,
  type StreamWrite,
} from '../../ports/event-store.js'
import { exceedsBytes, jsonExceedsBytes } from './text-size.js'

/** An append that no store may record: a mistake of the program, not of its users. */
export class InvalidAppend extends Error {
  override readonly name = 'InvalidAppend'

  /** The wrong part of the append, as a path such as `writes[0].stream`. */
  readonly field: string

  constructor(field: string, objection: string) {
    super(`${field} ${objection}`)
    this.field = field
  }
}

/** Why every store must refuse `append` before it writes anything; undefined when it is valid. */
export const checkAppend = ({ id, writes, metadata }: Append): InvalidAppend | undefined => {
  if (writes.length === 0) return new InvalidAppend('writes', 'must not be empty')
  if (writes.length > MAX_WRITES) {
    return new InvalidAppend('writes', `must be at most ${MAX_WRITES}`)
  }
  return checkText('id', id) ?? checkMetadata(metadata) ?? checkWrites(writes) ?? checkSize(writes)
}

const checkMetadata = (metadata: Metadata): InvalidAppend | undefined =>
  checkText('metadata.actor.userId', metadata.actor.userId) ??
  checkText('metadata.actor.orgId', metadata.actor.orgId) ??
  checkText('metadata.resourceOwner', metadata.resourceOwner) ??
  checkText('metadata.correlationId', metadata.correlationId) ??
  checkText('metadata.idempotencyKey', metadata.idempotencyKey) ??
  checkText('metadata.commandHash', metadata.commandHash) ??
  checkText('metadata.managedBy', metadata.managedBy)

const checkWrites = (writes: readonly StreamWrite[]): InvalidAppend | undefined => {
  for (let index = 0; index < writes.length; index++) {
    const write = writes[index]
    const invalid = write && checkWrite(write, index)
    if (invalid) return invalid
  }
  return namesTwice(writes)
    ? new InvalidAppend('writes', 'must not name a stream twice')
    : undefined
}

const checkWrite = (
  { stream, expectedVersion, events }: StreamWrite,
  index: number,
): InvalidAppend | undefined => {
  const objection = objectionTo(stream)
  if (objection) return new InvalidAppend(`writes[${index}].stream`, objection)
  if (!Number.isSafeInteger(expectedVersion) || expectedVersion < 0) {
    return new InvalidAppend(`writes[${index}].expectedVersion`, 'must be a whole number from 0')
  }
  return checkEvents(events, index)
}

const checkEvents = (events: readonly NewEvent[], write: number): InvalidAppend | undefined => {
  for (let index = 0; index < events.length; index++) {
    const event = events[index]
    if (event === undefined) continue
    const objection = objectionTo(event.type)
    if (objection) return new InvalidAppend(`writes[${write}].events[${index}].type`, objection)
    if (Number.isSafeInteger(event.schemaVersion) && event.schemaVersion > 0) continue
    const field = `writes[${write}].events[${index}].schemaVersion`
    return new InvalidAppend(field, 'must be a whole number from 1')
  }
  return undefined
}

const namesTwice = (writes: readonly StreamWrite[]): boolean => {
  if (writes.length === 1) return false
  if (writes.length === 2) return writes[0]?.stream === writes[1]?.stream
  return new Set(writes.map(({ stream }) => stream)).size < writes.length
}

const checkSize = (writes: readonly StreamWrite[]): InvalidAppend | undefined =>
  jsonExceedsBytes(writes, MAX_APPEND_BYTES)
    ? new InvalidAppend('writes', `must hold at most ${MAX_APPEND_BYTES} bytes of data`)
    : undefined

const checkText = (field: string, value: string | undefined): InvalidAppend | undefined => {
  const objection = value === undefined ? undefined : objectionTo(value)
  return objection === undefined ? undefined : new InvalidAppend(field, objection)
}

const objectionTo = (text: string): string | undefined =>
  unstorable(text) ??
  (exceedsBytes(text, MAX_NAME_BYTES) ? `must be at most ${MAX_NAME_BYTES} bytes` : undefined)
