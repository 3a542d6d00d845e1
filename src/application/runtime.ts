import type { Position } from '../ports/event-store.js'
import type { Host } from '../ports/host.js'
import type { Hooks } from './hooks.js'
import type { WithGrantor } from './method/method.js'
import { withGrantor } from './reading/granted-by.js'
import { type Query, queryOf } from './reading/query.js'
import { Locks } from './recording/locks.js'
import { StateCache } from './recording/state-cache.js'
import { type MetadataOf, metadataFactory } from './recording/stream-state.js'
import type { Delegations } from './recording/streams.js'

/** Shared by the methods of one `createIam`: the ports of the host, and caches. */
export interface Runtime extends Host {
  /** Absent when the host has none. */
  readonly hooks?: Hooks | undefined
  readonly states: StateCache
  readonly locks: Locks
  readonly query: Query
  readonly withGrantor: WithGrantor
  readonly metadataOf: MetadataOf
  /** Called with the position that a write of this runtime answers, before it returns. */
  readonly recorded: Set<(position: Position) => Promise<void>>
  readonly delegations: Delegations
}

/** @see Runtime */
export const createRuntime = (host: Host, hooks?: Hooks): Runtime => {
  const query = queryOf(host, hooks)
  return {
    ...host,
    hooks,
    states: new StateCache(host.store),
    locks: new Locks(host.environment),
    query,
    withGrantor: (call, input, refusal) => withGrantor(query, call, input, refusal),
    metadataOf: metadataFactory(),
    recorded: new Set(),
    delegations: new WeakMap(),
  }
}
