import type { EventStore, Position } from '../../../ports/event-store.js'
import type { FoundAtHead, HistoryQuery, ReadAtHead, ReadModel } from '../../../ports/read-model.js'
import { positionColumns } from '../../sql/read-model/tables.js'
import { limited } from '../connection/clients.js'
import type { Connections } from '../connection/connections.js'
import { postgresDialect } from '../read-model/dialect.js'
import {
  type Positions,
  type ReplicatedReads,
  type StandbyReads,
  standbyReads,
  waitingReads,
  within,
} from './waiting-reads.js'

/** What a read model with a replica is made of. */
export interface Replicated {
  readonly store: EventStore
  /** The read model of the primary. */
  readonly primary: ReadModel
  readonly positions: () => Promise<Positions>
  readonly standby: StandbyReads
  /** Longest time that a read waits for the standby, in milliseconds. */
  readonly maxWait: number
}

type Query<Found> = (reads: ReplicatedReads) => Promise<FoundAtHead<Found>>

/**
 * A read model that is written on the primary and read on a standby. Each read asks the primary where it is, and at
 * the same time the standby for the answer. A strong read needs the head of the log, any other one the checkpoint of
 * the primary. A standby that is behind is asked again until `maxWait` is over; then the primary answers.
 */
export const replicatedReadModel = ({
  store,
  primary,
  positions,
  standby,
  maxWait,
}: Replicated): ReadModel => {
  const onPrimary = primaryReads(primary, store)
  const waiting = waitingReads(standby, positions, maxWait)
  /** The latest checkpoint that was seen here: the answers to reads at the same time come in any order. */
  let seen: Position = 0n
  const see = <Seen extends Pick<Positions, 'reached'>>(answer: Seen): Seen => {
    if (answer.reached > seen) seen = answer.reached
    return answer
  }

  /** The answer of the standby while the primary is away; undefined when it is behind what was seen here. */
  const alone = async <Found>(query: Query<Found>): Promise<FoundAtHead<Found> | undefined> => {
    const answer = await waiting.inTime(query(standby), seen).catch(() => undefined)
    return answer && answer.reached > 0n && answer.reached >= seen ? see(answer) : undefined
  }

  /** The answer of the primary, unless it is silent while the standby has all that was seen. */
  const unlessSilent = async <Found>(query: Query<Found>): Promise<FoundAtHead<Found>> => {
    const answering = query(onPrimary)
    return (await within(maxWait, answering)) ?? (await alone(query)) ?? answering
  }

  const ask = async <Found>(
    query: Query<Found>,
    needs: keyof Positions,
  ): Promise<FoundAtHead<Found>> => {
    const answering = waiting.begin(query)
    if (answering === undefined) return needs === 'head' ? query(onPrimary) : unlessSilent(query)
    // Eventual reads go on while the primary is silent.
    const known = await (needs === 'head' ? positions() : within(maxWait, positions()))
    if (known === undefined) return (await alone(query)) ?? query(onPrimary)
    see(known)
    // The read model has to catch up first.
    if (known.reached < known[needs]) return query(onPrimary)
    const answer = await answering(known, known[needs])
    // It may be later than what the primary has said, whose log then ends there at the least.
    return answer === undefined ? query(onPrimary) : { ...see(answer), head: answer.reached }
  }

  /**
   * Up to where the primary was followed here: a strong history follows it before it is read. Other reads need not show
   * that: a primary may die before any standby has what it applied last.
   */
  let followed: Position = 0n
  const follow = (position: Position): Position => {
    if (position > followed) followed = position
    return position
  }
  /** The answer of a standby that lacks what was followed counts for nothing. */
  const historyOf = (query: HistoryQuery) => async (reads: ReplicatedReads) => {
    const answer = await reads.history(query)
    return answer.reached < followed ? { ...answer, reached: 0n } : answer
  }

  const strong = <Found>(query: Query<Found>) => ask(query, 'head')

  const eventual = async <Found>(query: Query<Found>): Promise<Found> => {
    try {
      return (await ask(query, 'reached')).found
    } catch (fault) {
      const answer = await alone(query)
      if (answer === undefined) throw fault
      return answer.found
    }
  }

  const atHead: ReadAtHead = {
    get: (orgId, ref) => strong((reads) => reads.get(orgId, ref)),
    list: (query) => strong((reads) => reads.list(query)),
    access: (query) => strong((reads) => reads.access(query)),
    heldRoles: (query) => strong((reads) => reads.heldRoles(query)),
    holders: (query) => strong((reads) => reads.holders(query)),
    route: (domain) => strong((reads) => reads.route(domain)),
  }
  const readModel: ReadModel = {
    ...primary,
    checkpoint: async () => follow(await primary.checkpoint()),
    apply: async (from, events) => {
      const applied = await primary.apply(from, events)
      if (applied) follow(events.at(-1)?.position ?? from)
      return applied
    },
    get: (orgId, ref) => eventual((reads) => reads.get(orgId, ref)),
    list: (query) => eventual((reads) => reads.list(query)),
    access: (query) => eventual((reads) => reads.access(query)),
    heldRoles: (query) => eventual((reads) => reads.heldRoles(query)),
    holders: (query) => eventual((reads) => reads.holders(query)),
    route: (domain) => eventual((reads) => reads.route(domain)),
    history: (query) => eventual(historyOf(query)),
    readAtHead: (pair) =>
      pair.store === store && pair.readModel === readModel ? atHead : undefined,
  }
  return readModel
}

const primaryReads = (readModel: ReadModel, store: EventStore): ReplicatedReads => {
  const atHead = readModel.readAtHead?.({ store, readModel })
  if (atHead === undefined) throw new Error('A read model knows its own store')
  return {
    ...atHead,
    history: async (query) => ({ found: await readModel.history(query), head: 0n, reached: 0n }),
  }
}

/** Longest time that a read waits for the standby, unless the host sets another, in milliseconds. */
const DEFAULT_MAX_WAIT_MS = 500

/** Where the primary is, and a standby of it. */
interface Servers {
  readonly primary: Connections
  readonly standby: Connections
  /** Quoted. */
  readonly schema: string
}

/** `readModel`, the one beside `store` on the primary, read on the standby. */
export const onReplica = (
  { readModel, store }: { readonly readModel: ReadModel; readonly store: EventStore },
  { primary, standby, schema }: Servers,
  maxWait: number = DEFAULT_MAX_WAIT_MS,
): ReadModel => {
  const text = `SELECT ${positionColumns(postgresDialect(schema))}`
  const positions = async (): Promise<Positions> => {
    const [row] = await primary.read({ name: `${schema} moment`, text })
    return { head: BigInt(row?.[0] ?? 0), reached: BigInt(row?.[1] ?? 0) }
  }
  return replicatedReadModel({
    store,
    primary: readModel,
    positions,
    standby: standbyReads(standby, schema, store),
    maxWait: limited(maxWait),
  })
}
