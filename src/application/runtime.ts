import type { Host } from '../ports/host.js'
import { type Follow, follow } from './following/follow.js'
import type { Hooks } from './hooks.js'
import { type Query, queryOf } from './reading/query.js'
import { Ledger } from './recording/ledger.js'
import { type MetadataOf, metadataFactory } from './recording/metadata.js'

/** What the methods of one `createIam` share: what the host supplies, and what is remembered. */
export interface Runtime extends Host {
  /** Absent when the host has none. */
  readonly hooks?: Hooks | undefined
  readonly ledger: Ledger
  readonly follow: Follow
  readonly query: Query
  readonly metadataOf: MetadataOf
}

/** @see Runtime */
export const createRuntime = (host: Host, hooks?: Hooks): Runtime => {
  const following = follow(host.store, host.readModel, hooks)
  return {
    ...host,
    hooks,
    ledger: new Ledger(host.store),
    follow: following,
    query: queryOf(host, following),
    metadataOf: metadataFactory(),
  }
}
