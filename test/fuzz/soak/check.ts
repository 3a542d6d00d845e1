import { type EventStore, verify } from 'claviger'
import { disagreements } from './agreement.ts'
import type { Followers } from './followers.ts'
import { type Host, secrets } from './host.ts'
import type { Ledger } from './ledger.ts'

/** What is to be held against a log that was under load. */
export interface Witnesses {
  readonly hosts: readonly Host[]
  readonly followers: Followers
  readonly ledger: Ledger
}

/** What is wrong with the log of `store`, or what others believe of it; ends the followers. */
export const check = async (
  store: EventStore,
  { hosts, followers, ledger }: Witnesses,
): Promise<readonly string[]> => {
  const verified = await verify(store, { secrets })
  const { events, position } = verified.unwrapOr({ events: 0, position: 0n })
  const followed = await followers.end(position, events)
  if (verified.isErr()) return [`verify found ${verified.error.kind}`, ...followed]
  return [...followed, ...(await ledger.check(store)), ...(await disagreements(hosts, store))]
}
