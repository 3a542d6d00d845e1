import type { PostgresPool, PostgresPoolClient } from '../../src/adapters/postgres/driver.js'
import type { Chance } from './chance.js'
import type { Process, Scheduler } from './scheduler.js'
import { type Session, type Sessions, STATEMENT, type Statement } from './sessions.js'
import type { Faults } from './system.js'

/** The connections of one instance: the seed decides when a statement is sent and answered, and what fails. */
export interface SimulatedPool extends PostgresPool {
  /** Loses all of them: the instance crashes, or the network breaks. */
  readonly loseAll: () => void
}

/** What the instances have in common. */
export interface Network {
  readonly scheduler: Scheduler
  readonly chance: Chance
  readonly sessions: Sessions
  readonly faults: () => Faults
  readonly tell: (line: string) => void
  /** Something has failed; the appends of `operations` may be recorded or not. */
  readonly onFault: (operations: readonly string[]) => void
  /** A statement to notify others was done. */
  readonly onNotify: () => void
}

interface Client extends PostgresPoolClient {
  readonly lose: () => void
}

/** Longest that a server keeps the transaction of a machine that it has lost, in milliseconds. */
const IDLE_LIMIT = 20_000

/** What a server may answer in place of what it is asked: cancelled, out of memory, could not serialize. */
const REFUSALS = ['57014', '53200', '40001'] as const

/** How often a server that has just refused a statement goes away. */
const AFTER_REFUSAL = 0.2

/** How many statements a call takes, roughly: together they fail as often as it. */
const STATEMENTS = 4

/**
 * How long a statement or its answer is on its way, in milliseconds: mostly next to nothing, so that others run many
 * statements between two of the few that take long.
 */
export const latencyOf = ({ chance, faults }: Pick<Network, 'chance' | 'faults'>): number =>
  chance.happens(faults().late / STATEMENTS)
    ? 50 + chance.random() ** 4 * LATEST
    : chance.random() ** 6 * 20

/** In milliseconds. */
const LATEST = 12_000

/** @see SimulatedPool */
export const poolOf = (process: Process, network: Network): SimulatedPool => {
  const { chance, scheduler, sessions, faults, onFault } = network
  // Without a limit of time: the driver would measure it by a clock of its own.
  const options = { max: chance.pick([1, 2, 10]), connectionTimeoutMillis: 0 }
  const clients = new Set<Client>()
  const idle: Client[] = []
  const queue: (() => void)[] = []
  let opened = 0

  const open = async (): Promise<Client> => {
    await scheduler.wait(latencyOf(network), process)
    if (isCutOff(process, scheduler) || chance.happens(faults().before / STATEMENTS)) {
      onFault([])
      throw new Error('The server cannot be reached')
    }
    const session = await sessions.take()
    const client = clientOf(network, session, {
      process,
      name: `${process.name}/${++opened}`,
      onRelease: (isBroken) => {
        if (isBroken) client.lose()
        else idle.push(client)
        queue.shift()?.()
      },
      onLost: () => clients.delete(client),
    })
    clients.add(client)
    return client
  }

  let opening = 0
  const connect = async (): Promise<Client> => {
    const found = idle.pop()
    if (found) return found
    if (clients.size + opening < options.max) {
      opening++
      return open().finally(() => {
        opening--
        queue.shift()?.()
      })
    }
    await new Promise<void>((resolve) => queue.push(resolve))
    return connect()
  }

  return {
    connect,
    options,
    totalCount: 0,
    idleCount: 0,
    waitingCount: 0,
    loseAll: () => {
      idle.length = 0
      for (const { lose } of clients) lose()
      for (const wake of queue.splice(0)) wake()
    },
  }
}

const isCutOff = ({ cutOff }: Process, scheduler: Scheduler): boolean =>
  cutOff?.from === 'server' && cutOff.until > scheduler.now()

/** One connection. */
const clientOf = (
  network: Network,
  session: Session,
  {
    process,
    name,
    onRelease,
    onLost,
  }: {
    readonly process: Process
    readonly name: string
    readonly onRelease: (isBroken: boolean) => void
    readonly onLost: () => void
  },
): Client & { readonly processID: number } => {
  const { scheduler, chance, sessions, faults, tell, onFault, onNotify } = network
  const latency = () => latencyOf(network)
  const { promise: whenLost, resolve: onceLost } = Promise.withResolvers<void>()
  let isLost = false
  let isInTransaction = false
  let wasRefused = false
  let wasCommitted = false
  /** The operations whose appends the transaction has. */
  let appends: readonly string[] = []

  /** The server learns of it later, and rolls back. */
  const lose = (): void => {
    if (isLost) return
    isLost = true
    onceLost()
    onLost()
    const delay = chance.happens(faults().late) ? chance.random() * IDLE_LIMIT : latency()
    void scheduler.wait(delay).then(() => sessions.giveBack(session))
  }

  const query: Client['query'] = async (statement) => {
    const { text } = statement
    if (text.startsWith('BEGIN')) isInTransaction = true
    const isEnd = text === 'COMMIT' || text === 'ROLLBACK'
    if (isEnd) isInTransaction = false
    if (text === 'ROLLBACK') appends = []
    appends = [...appends, ...operationsIn(statement)]
    // With rows of the host, the append and its commit are one message. What it has recorded is read by the next.
    const isAfterCommit = wasCommitted
    wasCommitted = isInTransaction && (wasCommitted || text.includes('; COMMIT;'))
    const atStake = isInTransaction && !wasCommitted ? [] : appends
    const lost = (): Error => {
      lose()
      onFault(atStake)
      return new Error('The connection was lost')
    }
    await scheduler.wait(latency(), process)
    const risk = faults().before / STATEMENTS / 2
    const breaks = () => chance.happens(wasRefused ? AFTER_REFUSAL : risk)
    if (isLost || isCutOff(process, scheduler) || breaks()) throw lost()
    const isRefused = text !== 'ROLLBACK' && chance.happens(risk)
    wasRefused = isRefused
    const sent = isRefused ? refusal(chance.pick(REFUSALS)) : statement
    if (isRefused) onFault(isAfterCommit ? atStake : [])
    tell(`  ${name}: ${isRefused ? 'refused: ' : ''}${labelOf(statement)}`)
    const answering = session.run(sent, atStake.length > 0 && !isRefused)
    const settled = answering.then(ignore, ignore)
    const isAnswerLost = chance.happens(faults().after / STATEMENTS)
    // A statement that waits for a lock goes on when its connection is lost.
    await Promise.race([isAnswerLost ? undefined : settled, whenLost])
    await scheduler.wait(latency(), process)
    if (text.startsWith('NOTIFY') && !isRefused) onNotify()
    if (isAnswerLost || isLost) throw lost()
    if (!isInTransaction) appends = []
    return answering
  }

  return {
    processID: session.pid,
    query,
    lose,
    on: ignore,
    off: ignore,
    release: onRelease,
  }
}

const ignore = (): void => undefined

/** The operations whose appends a statement records; one by a token has no name there. */
const operationsIn = ({ text, values }: Statement): readonly string[] =>
  text.includes('.append_')
    ? ['', ...[...[text, ...values].join().matchAll(NAMED)].flatMap(([, id]) => id ?? [])]
    : []

const NAMED = /correlationId\W+(op\w+)/g

/** A statement that the server answers with an error, whatever it does in the transaction. */
const refusal = (state: string): Statement => ({
  ...STATEMENT,
  text: `DO $$ BEGIN RAISE 'refused' USING ERRCODE = '${state}'; END $$`,
})

const labelOf = ({ name, text }: Statement): string =>
  (name ?? text.replace(/\s+/g, ' ').slice(0, 90)).replace(/"\w+"\.?/, '').trim()
