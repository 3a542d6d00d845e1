import type { Position } from '../ports/event-store.js'
import type { Caller, Host } from '../ports/host.js'
import type { Hooks } from './hooks.js'
import type { WithGrantor } from './method/method.js'
import { permissionsFromCaller } from './method/target.js'
import { withGrantor } from './reading/granted-by.js'
import { type Query, queryOf } from './reading/query.js'
import { Locks } from './recording/locks.js'
import { type MetadataOf, metadataFactory } from './recording/metadata.js'
import { StateCache } from './recording/state-cache.js'

/** Shared by the methods of one `createIam`: the ports of the host, and caches. */
export interface Runtime extends Host {
  /** Absent when the host has none. */
  readonly hooks?: Hooks | undefined
  readonly states: StateCache
  readonly locks: Locks
  readonly query: Query
  readonly withGrantor: WithGrantor
  readonly metadataOf: MetadataOf
  /** Called with the position of each append that this runtime stores, before the call returns. */
  readonly recorded: Set<(position: Position) => Promise<void>>
  /** Callers that `setupLinks.redeem` returned: their own permissions count, and `authorize` is not called. */
  readonly linkCallers: WeakSet<Caller>
}

/** @see Runtime */
export const createRuntime = (host: Host, hooks?: Hooks): Runtime => {
  const linkCallers = new WeakSet<Caller>()
  const { authorize } = host
  const query = queryOf(host, hooks)
  return {
    ...host,
    authorize: (question) =>
      linkCallers.has(question.caller) ? permissionsFromCaller(question) : authorize(question),
    hooks,
    states: new StateCache(host.store),
    locks: new Locks(host.environment),
    query,
    withGrantor: (call, input, refusal) => withGrantor(query, call, input, refusal),
    metadataOf: metadataFactory(),
    recorded: new Set(),
    linkCallers,
  }
}
