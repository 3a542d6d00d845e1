import type { EventStore, Position } from '../../../ports/event-store.js'
import type {
  FoundAtHead,
  ReadMethod,
  ReadModel,
  ReadQuery,
  ReadResults,
  ViewType,
} from '../../../ports/read-model.js'
import { readMethods } from '../../sql/read-model/read-model.js'
import { positionColumns } from '../../sql/read-model/tables.js'
import { limited } from '../connection/clients.js'
import type { Connections } from '../connection/connections.js'
import { postgresDialect } from '../read-model/dialect.js'
import {
  type Positions,
  type StandbyReads,
  standbyReads,
  waitingReads,
  within,
} from './waiting-reads.js'

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
    standby: standbyReads(standby, schema),
    maxWait: limited(maxWait),
  })
}

/** What a read model with a replica is made of. */
interface Replicated {
  readonly store: EventStore
  /** The read model of the primary. */
  readonly primary: ReadModel
  readonly positions: () => Promise<Positions>
  readonly standby: StandbyReads
  /** Longest time that a read waits for the standby, in milliseconds. */
  readonly maxWait: number
}

type Answer<Method extends ReadMethod, Type extends ViewType> = FoundAtHead<
  ReadResults<Type>[Method]
>

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
  const onPrimary = primary.readAtHead?.({ store, readModel: primary })
  if (onPrimary === undefined) throw new Error('A read model knows its own store')
  const waiting = waitingReads(standby, positions, maxWait)
  /** The latest checkpoint that was seen here: the answers to reads at the same time come in any order. */
  let seen: Position = 0n
  const see = <Seen extends Pick<Positions, 'reached'>>(answer: Seen): Seen => {
    if (answer.reached > seen) seen = answer.reached
    return answer
  }

  /** The answer of the standby while the primary is away; undefined when it is behind what was seen here. */
  const alone = async <Method extends ReadMethod, Type extends ViewType>(
    query: ReadQuery<Method, Type>,
  ): Promise<Answer<Method, Type> | undefined> => {
    const answer = await waiting.inTime(standby.readAtHead(query), seen).catch(() => undefined)
    return answer && answer.reached > 0n && answer.reached >= seen ? see(answer) : undefined
  }

  /** The answer of the primary, unless it is silent while the standby has all that was seen. */
  const unlessSilent = async <Method extends ReadMethod, Type extends ViewType>(
    query: ReadQuery<Method, Type>,
  ): Promise<Answer<Method, Type>> => {
    const answering = onPrimary(query)
    return (await within(maxWait, answering)) ?? (await alone(query)) ?? answering
  }

  const ask = async <Method extends ReadMethod, Type extends ViewType>(
    query: ReadQuery<Method, Type>,
    needs: keyof Positions,
  ): Promise<Answer<Method, Type>> => {
    const answering = waiting.begin(() => standby.readAtHead(query))
    if (answering === undefined) return needs === 'head' ? onPrimary(query) : unlessSilent(query)
    // Eventual reads go on while the primary is silent.
    const known = await (needs === 'head' ? positions() : within(maxWait, positions()))
    if (known === undefined) return (await alone(query)) ?? onPrimary(query)
    see(known)
    // The read model has to catch up first.
    if (known.reached < known[needs]) return onPrimary(query)
    const answer = await answering(known, known[needs])
    // It may be later than what the primary has said, whose log then ends there at the least.
    return answer === undefined ? onPrimary(query) : { ...see(answer), head: answer.reached }
  }

  const readModel: ReadModel = {
    ...primary,
    ...readMethods(async (query) => {
      try {
        return (await ask(query, 'reached')).found
      } catch (fault) {
        const answer = await alone(query)
        if (answer === undefined) throw fault
        return answer.found
      }
    }),
    readAtHead: (pair) =>
      pair.store === store && pair.readModel === readModel
        ? (query) => ask(query, 'head')
        : undefined,
  }
  return readModel
}
