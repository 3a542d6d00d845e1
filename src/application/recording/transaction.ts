import type { Result } from 'neverthrow'
import type { StreamId } from '../../domain/values.js'
import type { RecordedEvent } from '../../ports/event-store.js'
import type { IamError } from '../errors/errors.js'
import type { AnyTracked } from './tracked.js'

/** One command, as streams to read and a decision on their states. */
export interface Transaction<Ids> {
  /** The public method and its parsed input without secrets: tells commands under one key apart. */
  readonly command: { readonly method: string; readonly input: object }
  /** The stream of the object that the command answers with. */
  readonly object: AnyTracked
  /** Streams that events may be added to, in this order; {@link Transaction.object} among them, if any. */
  readonly writes: readonly AnyTracked[]
  /** A stream that must not have changed by the time the events are recorded. */
  readonly guard?: AnyTracked | undefined
  /** Decides on the states of the streams, again whenever they turn out to have moved on. */
  readonly decide: () => Result<unknown, IamError>
  /** Marks the events as of what a desired state manages. */
  readonly managedBy?: string | undefined
  /** Version of that desired state; only with {@link Transaction.managedBy}. */
  readonly managedVersion?: number | undefined
  /** The ids of the object whose stream is given. */
  readonly ids: (stream: StreamId) => Ids
  /** Whether the secret recorded is the one that the command carries; absent without a secret. */
  readonly isSameSecret?: (recorded: readonly RecordedEvent[]) => Promise<boolean>
}

/** All streams of a transaction: those written to, then the one that guards. */
export const trackedIn = ({ writes, guard }: Transaction<unknown>): readonly AnyTracked[] =>
  guard ? [...writes, guard] : writes
