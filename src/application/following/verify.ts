import { err, ok, type Result, ResultAsync } from 'neverthrow'
import { sealedSecretIn } from '../../domain/identity-provider/secret.js'
import { type StreamId, unstorable } from '../../domain/values.js'
import type { EventStore, Position, RecordedEvent, Version } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { SecretCipher } from '../../ports/secret-cipher.js'
import { type CorruptEvent, corruptEvent } from '../../ports/unreadable-event.js'
import { organizationIn } from '../../projections/events/kind-of.js'
import { readEvent } from '../../projections/events/read-event.js'
import { errorOf, fromPort } from '../errors/fault.js'
import type { LogFault, SealBroken } from '../errors/log-fault.js'
import { orCancelled } from '../waiting/race-abort.js'
import { turn } from '../waiting/yield-to-event-loop.js'

/** Most events that are read at once. */
const BATCH_SIZE = 1_000

/** How far a walk through a log is, after each batch. */
export interface VerifyProgress {
  /** Events that were found to be in order. */
  readonly done: number
  /** Position of the last of them. */
  readonly position: Position
}

/** How a log is verified. */
export interface VerifyOptions {
  /** When given, every seal must open; so the keys of old seals must be at hand. */
  readonly secrets?: SecretCipher | undefined
  /** Called after each batch; the call rejects with what it throws. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined
  /** Ends it, also while the store is silent. */
  readonly signal?: AbortSignal | undefined
}

/** A log that is in order. */
export interface Verified {
  /** How many it has. */
  readonly events: number
  /** Position of the last event; `0n` when there is none. */
  readonly position: Position
}

/**
 * Walks the whole log and holds every event to what the library relies on: positions rise, versions
 * count from 1 in each stream, types and data have the shape that some version of the library writes,
 * the stream is that of the object, text is such as every store keeps, and, with `secrets`, the seals
 * open. Keeps a number for each stream.
 *
 * @returns the first fault, with its position
 */
export const verify = (
  store: EventStore,
  options: VerifyOptions = {},
): ResultAsync<Verified, LogFault> => new ResultAsync(walk(store, options))

const walk = async (
  store: EventStore,
  { secrets, onProgress, signal }: VerifyOptions,
): Promise<Result<Verified, LogFault>> => {
  const inspect = inspector()
  let done = 0
  let position: Position = 0n
  try {
    for (;;) {
      if (signal?.aborted) return err({ kind: 'Cancelled' })
      const reading = fromPort(() => store.readAll(position, BATCH_SIZE))
      const events = await orCancelled(reading, signal)
      if (events.length === 0) return ok({ events: done, position })
      for (const recorded of events) {
        const event = inspect(recorded)
        if (event.isErr()) return err(event.error)
        const broken =
          unkeepable(event.value) ?? (secrets && (await brokenSeal(secrets, event.value, signal)))
        if (broken) return err(broken)
      }
      done += events.length
      position = events.at(-1)?.position ?? position
      onProgress?.({ done, position })
      if (events.length === BATCH_SIZE) await turn()
    }
  } catch (thrown) {
    return err(errorOf(thrown))
  }
}

/** Reads one event after the other, and remembers where their streams are. */
const inspector = (): ((recorded: RecordedEvent) => Result<KnownEvent, LogFault>) => {
  const versions = new Map<StreamId, Version>()
  let previous: Position = 0n
  return (recorded) => {
    const { position, stream, version } = recorded
    if (position <= previous) return err({ kind: 'PositionOutOfOrder', position, previous })
    const expected = (versions.get(stream) ?? 0) + 1
    if (version !== expected) {
      return err({ kind: 'VersionOutOfOrder', position, stream, version, expected })
    }
    previous = position
    versions.set(stream, version)
    return readEvent(recorded)
  }
}

/** Text that PostgreSQL does not keep; one such event would end every catch-up there. */
const unkeepable = (event: KnownEvent): CorruptEvent | undefined => {
  const { data, metadata } = event
  const field =
    unkeepableIn('data', data) ??
    unkeepableIn('metadata', metadata) ??
    unkeepableIn('metadata.actor', metadata.actor)
  return field === undefined ? undefined : corruptEvent(event, field)
}

const unkeepableIn = (path: string, part: object): string | undefined => {
  const field = Object.keys(part).find((key) => isUnkeepable(Reflect.get(part, key)))
  return field === undefined ? undefined : `${path}.${field}`
}

const isUnkeepable = (value: unknown): boolean =>
  typeof value === 'string'
    ? unstorable(value) !== undefined
    : Array.isArray(value) && value.some(isUnkeepable)

/** What is wrong with the seal in an event; undefined when it opens, or there is none. */
export const brokenSeal = async (
  secrets: SecretCipher,
  event: KnownEvent,
  signal: AbortSignal | undefined,
): Promise<SealBroken | undefined> => {
  const sealed = sealedSecretIn(event)
  if (sealed === undefined) return undefined
  const { position, stream } = event
  const owner = { orgId: organizationIn(stream), idpId: sealed.idpId }
  const opening = fromPort(() => secrets.open(sealed.clientSecret, owner))
  const opened = await orCancelled(opening, signal)
  return opened.isErr() ? { kind: 'SealBroken', position, stream, cause: opened.error } : undefined
}
