import type { Result } from 'neverthrow'
import type { Authorize, Caller } from '../../ports/host.js'
import type { WriteError } from '../errors/errors.js'
import type { StreamChange } from './stream-state.js'
import type { Streams } from './streams.js'

/** What a caller may do to whom the library itself has given permissions; the host is not asked about it. */
export interface Delegation {
  readonly authorize: Authorize
  /** Refuses changes that the caller may not make. It reads what it depends on, so that they are recorded only with that. */
  readonly limit: (
    streams: Streams,
    changes: readonly StreamChange[],
  ) => Promise<Result<readonly StreamChange[], WriteError>>
}

/** The delegations of one `createIam`, by the caller's object: a copy of it is an ordinary caller. */
export type Delegations = WeakMap<Caller, Delegation>

type Decide<Decided, Read extends Streams> = (streams: Read) => Promise<Result<Decided, WriteError>>

/** `decide`, within the limits of the caller. */
export const withinLimits = <
  Decided extends { readonly changes: readonly StreamChange[] },
  Read extends Streams,
>(
  delegation: Delegation | undefined,
  decide: Decide<Decided, Read>,
): Decide<Decided, Read> => {
  if (!delegation) return decide
  return async (streams) => {
    const decided = await decide(streams)
    if (decided.isErr()) return decided
    const limited = await delegation.limit(streams, decided.value.changes)
    return limited.map((changes) => ({ ...decided.value, changes }))
  }
}
