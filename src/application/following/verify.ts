import { err, ok, type Result, ResultAsync } from 'neverthrow'
import { checkOptions, type OptionCheck, withMethods } from '../../check-options.js'
import { sealedSecretIn } from '../../domain/identity-provider/aggregate.js'
import { type StreamId, unstorable } from '../../domain/values.js'
import type { EventStore, Position, RecordedEvent, Version } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import { type CorruptEvent, corruptEvent } from '../../ports/known-event.js'
import type { SecretCipher } from '../../ports/secret-cipher.js'
import { organizationIn, readEvent } from '../../projections/read-events.js'
import type { LogFault, SealBroken } from '../errors/errors.js'
import { catchFaults } from '../errors/fault.js'
import { callPort } from '../waiting.js'
import { LOG_OPTIONS, logPages, type VerifyProgress } from './log-pages.js'

/** Options of {@link verify}. */
export interface VerifyOptions {
  /** If given, every secret must decrypt, so it needs old keys too. */
  readonly secrets?: SecretCipher | undefined
  /** Notes of `logCheckpoint`, each signed by one of `keys`, that the log must still match. */
  readonly checkpoints?: readonly string[] | undefined
  /** Trusted verifier keys. */
  readonly keys?: readonly string[] | undefined
  /** Called after each batch. If it throws, the call rejects with the error. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined
  /** Ends the verification at once, even while the store does not respond. */
  readonly signal?: AbortSignal | undefined
}

/** A log without a fault. */
export interface Verified {
  /** Number of events. */
  readonly events: number
  /** Position of the last event; `0n` for an empty log. */
  readonly position: Position
}

/**
 * Reads the whole log and checks everything that the library relies on: positions rise, versions count from 1 in each
 * stream, types and data have a shape that some version of the library writes, each event is in the stream of its
 * object, every store can keep the text, and, with `secrets`, every secret decrypts. Keeps one number for each stream
 * in memory.
 *
 * With `checkpoints`, any event that was changed, removed, inserted, moved or cut off before one of them is found as
 * `LogChanged`; events cut off after the last checkpoint are not detected.
 *
 * @returns as an error: the first fault, with its position; InvalidArgument for a checkpoint or a key
 * @throws TypeError when an option is unknown or of a wrong type
 */
export const verify = (
  store: EventStore,
  options: VerifyOptions = {},
): ResultAsync<Verified, LogFault> => {
  checkOptions('verify', options, {
    optional: { ...LOG_OPTIONS, secrets: SECRETS, checkpoints: LIST, keys: LIST },
  })
  return new ResultAsync(catchFaults(() => walk(store, options)))
}

const LIST: OptionCheck = [Array.isArray, 'must be a list']

/** A cipher that decrypts secrets. */
export const SECRETS = withMethods(['open'], 'must be a SecretCipher')

const walk = async (
  store: EventStore,
  { secrets, checkpoints = [], keys = [], onProgress, signal }: VerifyOptions,
): Promise<Result<Verified, LogFault>> => {
  // Loaded here, because most hosts never verify a log.
  const { evidenceCheck } = await import('../evidence/checkpoint.js')
  const evidence = await evidenceCheck(checkpoints, keys)
  if (evidence.isErr()) return err(evidence.error)
  const read = orderedReader()
  let done = 0
  let last: Position = 0n
  for await (const { events, position } of logPages(store, 0n, { signal })) {
    for (const recorded of events) {
      const event = read(recorded)
      if (event.isErr()) return err(event.error)
      const fault =
        evidence.value.add(recorded) ??
        unstorableText(event.value) ??
        (secrets && (await brokenSeal(secrets, event.value, signal)))
      if (fault) return err(fault)
    }
    done += events.length
    last = position
    onProgress?.({ done, position })
  }
  const changed = evidence.value.end()
  return changed ? err(changed) : ok({ events: done, position: last })
}

/** Reads one event after another, and checks the order of positions and versions. */
const orderedReader = (): ((recorded: RecordedEvent) => Result<KnownEvent, LogFault>) => {
  const versions = new Map<StreamId, Version>()
  let previous: Position = 0n
  return (recorded) => {
    const { position, stream, version } = recorded
    if (position <= previous) return err({ kind: 'PositionOutOfOrder', position, previous })
    const expected = (versions.get(stream) ?? 0) + 1
    if (version !== expected)
      return err({ kind: 'VersionOutOfOrder', position, stream, version, expected })
    previous = position
    versions.set(stream, version)
    return readEvent(recorded)
  }
}

/** Text that PostgreSQL cannot store: every catch-up there would stop at the event. */
const unstorableText = (event: KnownEvent): CorruptEvent | undefined => {
  const { data, metadata } = event
  const field =
    unstorableField('data', data) ??
    unstorableField('metadata', metadata) ??
    unstorableField('metadata.actor', metadata.actor)
  return field === undefined ? undefined : corruptEvent(event, field)
}

const unstorableField = (path: string, part: object): string | undefined => {
  const field = Object.keys(part).find((key) => isUnstorable(Reflect.get(part, key)))
  return field === undefined ? undefined : `${path}.${field}`
}

const isUnstorable = (value: unknown): boolean =>
  typeof value === 'string'
    ? unstorable(value) !== undefined
    : Array.isArray(value) && value.some(isUnstorable)

/** The fault if the event's secret does not decrypt; undefined if it does, or without a secret. */
export const brokenSeal = async (
  secrets: SecretCipher,
  event: KnownEvent,
  signal: AbortSignal | undefined,
): Promise<SealBroken | undefined> => {
  const sealed = sealedSecretIn(event)
  if (sealed === undefined) return undefined
  const { position, stream } = event
  const owner = { orgId: organizationIn(stream), idpId: sealed.idpId }
  const opened = await callPort(() => secrets.open(sealed.clientSecret, owner), signal)
  return opened.isErr() ? { kind: 'SealBroken', position, stream, cause: opened.error } : undefined
}
