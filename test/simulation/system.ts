import { ok } from 'neverthrow'
import { memoryEventStore } from '../../src/adapters/memory/event-store.js'
import { memoryReadModel } from '../../src/adapters/memory/read-model.js'
import { type Iam, iamOf } from '../../src/application/iam.js'
import { SealedSecret } from '../../src/domain/values.js'
import type { Environment } from '../../src/ports/environment.js'
import {
  type EventStore,
  type InTransaction,
  type RecordedEvent,
  StoreFault,
} from '../../src/ports/event-store.js'
import type { DomainOptions, Host } from '../../src/ports/host.js'
import type {
  ReadAtHead,
  ReadMethod,
  ReadMethods,
  ReadModel,
  ReadQuery,
  ViewType,
} from '../../src/ports/read-model.js'
import { readBatch } from '../../src/projections/read-events.js'
import type { Chance } from './chance.js'
import { UNPUBLISHED } from './model.js'
import type { Process, Scheduler } from './scheduler.js'

/** What goes wrong, and how often. */
export interface Faults {
  /** A call fails before it reaches the server. */
  readonly before: number
  /** The server has done it, and its answer is lost. */
  readonly after: number
  /** An answer is late by up to some seconds. */
  readonly late: number
  /** A hint of new events is lost. */
  readonly hint: number
}

export const NO_FAULTS: Faults = { before: 0, after: 0, late: 0, hint: 0 }

/** What a server is given. */
export interface ServerGiven {
  readonly scheduler: Scheduler
  readonly chance: Chance
  /** Whether the read model is in the database of the log. */
  readonly isShared: boolean
  /** Whether the log begins with so many events of another organization that followers read it in pages. */
  readonly isLong: boolean
  /** Most events that a catch-up of a read model takes at once. */
  readonly batchSize: number | undefined
  /** Whether an operation writes a row with its events. */
  readonly hasRow: (id: string) => boolean
  readonly onEvent: (line: string) => void
  /** Called with what was recorded, before anybody can know of it. */
  readonly onCommit: (events: readonly RecordedEvent[]) => void
}

/** Where the instances keep what they store. */
export interface System {
  readonly serverOf: (given: ServerGiven) => Server
  readonly hasWebhooks: boolean
  readonly hasLiveChecks: boolean
  /** Whether events are recorded by the clock of the simulation. */
  readonly hasClock: boolean
  /** Whether hosts write rows of their own with events. */
  readonly hasRows: boolean
  /** Resolves once nothing happens outside of virtual time. */
  readonly quiet?: () => Promise<unknown>
}

/** The server: the log, and perhaps a read model in the same database, which goes back with it. */
export interface Server {
  /** Without the events that it began with. */
  readonly log: () => readonly RecordedEvent[]
  /** Writes a row that names an operation; absent where hosts have no rows. */
  readonly writingRow?: (id: string) => InTransaction
  /** The operations that the rows name. */
  readonly readRows?: () => Promise<readonly string[]>
  /** A new instance of the library, in a process of its own. */
  readonly open: (process: Process) => {
    readonly iam: Iam
    readonly readModel: ReadModel
    readonly environment: Environment
    /** Calls the cursors of webhooks over the network. */
    readonly askCursors: <Value>(work: () => Promise<Value>) => Promise<Value>
    /** Resolves once the instance can be asked; absent when it can be at once. */
    readonly ready?: Promise<void>
    /** Ends its connections. */
    readonly crash?: () => void
  }
  /** Another server takes over, which lacks the last appends and what was read of them; answers how many events it has. */
  readonly failOver: (lost: number) => Promise<number>
  /** Whether a failover loses appends. */
  readonly isLossy: boolean
  readonly isShared: boolean
  readonly isPrompt: () => boolean
  readonly setFaults: (faults: Faults) => void
  /** Operations whose appends may be recorded or not, as far as the store can know. */
  readonly unknown: ReadonlySet<string>
  /** How many calls of instances have failed so far. */
  readonly failures: () => number
  /** Ends what the run leaves behind. */
  readonly end?: () => Promise<void>
}

/** What DNS answers: organizations publish the challenges of their domains at once, except those of one domain. */
export const publishedIn = (
  events: readonly RecordedEvent[],
  name: string,
): readonly (readonly string[])[] =>
  readBatch(events).known.flatMap(({ type, data }) => {
    const isFound = type === 'domain.added' && data.domain !== UNPUBLISHED
    return isFound && name.endsWith(`.${data.domain}`) ? [[data.challenge]] : []
  })

/** The library on a store and a read model. */
export const iamOn = ({
  resolveTxt,
  ...host
}: Pick<Host, 'store' | 'readModel' | 'newId'> &
  Pick<DomainOptions, 'resolveTxt'> & { readonly environment: Environment }): Iam =>
  iamOf({
    ...host,
    secrets: {
      seal: async (secret) => SealedSecret.parse(secret),
      open: async (sealed) => ok(sealed),
      isCurrent: () => true,
    },
    authorize: () => true,
    now: () => new Date(host.environment.now()),
    domains: { isPublicSuffix: () => false, resolveTxt },
  })

/** A server in memory. */
export const inMemory: System = {
  hasWebhooks: true,
  hasLiveChecks: true,
  hasClock: true,
  hasRows: false,
  serverOf: (given) => memoryServer(given),
}

const memoryServer = (given: ServerGiven): Server => {
  const { scheduler, chance, isShared, isLong, batchSize, onCommit, onEvent } = given
  /** The clock of each next server is ahead, so that no position is used again. */
  let ahead = 0
  const newStore = () => memoryEventStore({ now: () => new Date(scheduler.now() + ahead) })
  const beginning = isLong ? elsewhere() : []
  let store = newStore()
  const restoring = store.restore(beginning)
  let shared = memoryReadModel()
  let events: readonly RecordedEvent[] = []
  let faults = NO_FAULTS
  let ids = 0
  let failures = 0
  const unknown = new Set<string>()
  const listeners = new Set<{ readonly wake: () => void; readonly process: Process }>()

  const latency = (): number => {
    if (chance.happens(faults.late)) return 50 + chance.random() ** 4 * 12_000
    return 0.1 + chance.random() * 3
  }
  /** A call over the network: it can fail on the way there, and on the way back. */
  const remote = async <Value>(
    process: Process,
    work: () => Promise<Value>,
    {
      to = 'server',
      onLost,
    }: { readonly to?: 'server' | 'cursors' | 'dns'; readonly onLost?: () => void } = {},
  ): Promise<Value> => {
    const isCutOff = process.cutOff?.from === to && process.cutOff.until > scheduler.now()
    const isLost = isCutOff || chance.happens(faults.before)
    await scheduler.wait(latency(), process)
    // The library does not wait long for DNS.
    if (isLost || (to === 'dns' && faults.late > 0)) failures++
    if (isLost) throw new StoreFault('No connection', 'not_recorded')
    const value = await work()
    const isAnswerLost = chance.happens(faults.after)
    const slow = to === 'server' ? process.slow : undefined
    await scheduler.wait(slow && slow.until > scheduler.now() ? slow.by : latency(), process)
    if (!isAnswerLost) return value
    failures++
    onLost?.()
    onEvent(`  an answer to ${process.name} is lost`)
    throw new StoreFault('The connection was lost', onLost ? 'unknown' : 'not_recorded')
  }

  const append: EventStore['append'] = async (given) => {
    const answer = await store.append(given)
    if (answer.isErr() || answer.value.length === 0) return answer
    events = [...events, ...answer.value]
    onCommit(answer.value)
    for (const { wake, process } of listeners)
      if (!chance.happens(faults.hint)) void scheduler.wait(latency(), process).then(wake)
    return answer
  }

  const storeFor = (process: Process): EventStore => ({
    append: (given) => {
      const onLost = () => unknown.add(given.metadata.correlationId ?? '')
      return remote(process, () => append(given), { onLost })
    },
    readStream: (...given) => remote(process, () => store.readStream(...given)),
    readAll: (...given) => remote(process, () => store.readAll(...given)),
    lastPosition: () => remote(process, () => store.lastPosition()),
    findAppend: (by) => remote(process, () => store.findAppend(by)),
    onAppend: (wake) => {
      const listener = { wake, process }
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  })

  const readModelFor = (process: Process, own: EventStore): ReadModel => {
    const inMemory = memoryReadModel()
    const current = () => (isShared ? shared : inMemory)
    const through = <Value>(work: () => Promise<Value>) => remote(process, work)
    const readModel: ReadModel = {
      name: 'simulated',
      ...(batchSize !== undefined && { batchSize }),
      checkpoint: () => through(() => current().checkpoint()),
      apply: (...given) => through(() => current().apply(...given)),
      reset: () => through(() => current().reset()),
      get: (...given) => through(() => current().get(...given)),
      list: (...given) => through(() => current().list(...given)),
      history: (...given) => through(() => current().history(...given)),
      route: (...given) => through(() => current().route(...given)),
      mappedGroups: (...given) => through(() => current().mappedGroups(...given)),
      access: (...given) => through(() => current().access(...given)),
      heldRoles: (...given) => through(() => current().heldRoles(...given)),
      holders: (...given) => through(() => current().holders(...given)),
      users: (...given) => through(() => current().users(...given)),
      affected: (...given) => through(() => current().affected(...given)),
    }
    if (!isShared) return readModel
    const readAtHead: ReadAtHead = <Method extends ReadMethod, Type extends ViewType>(
      query: ReadQuery<Method, Type>,
    ) =>
      through(async () => {
        const reads: ReadMethods<Type> = shared
        const head = (events.at(-1) ?? beginning.at(-1))?.position ?? 0n
        const reached = await shared.checkpoint()
        return { found: await reads[query.method](...query.args), head, reached }
      })
    return {
      ...readModel,
      readAtHead: (pair) =>
        pair.store === own && pair.readModel.apply === readModel.apply ? readAtHead : undefined,
    }
  }

  return {
    isShared,
    isLossy: true,
    failures: () => failures,
    isPrompt: () => faults.late === 0,
    log: () => events,
    unknown,
    setFaults: (given) => {
      faults = given
    },
    open: (process) => {
      const own = storeFor(process)
      const readModel = readModelFor(process, own)
      const environment = scheduler.environmentOf(process)
      const askCursors = <Value>(work: () => Promise<Value>) =>
        remote(process, work, { to: 'cursors' })
      const newId = () => String(++ids).padStart(26, '0')
      const resolveTxt = (name: string) =>
        remote(process, async () => publishedIn(events, name), { to: 'dns' })
      const iam = iamOn({ store: own, readModel, newId, environment, resolveTxt })
      return { iam, readModel, environment, askCursors, ...(isLong && { ready: restoring }) }
    },
    failOver: async (lost) => {
      onEvent(
        `The server fails over; the last ${lost} appends are lost, and what was read of others`,
      )
      const appends = [...new Set(events.map(({ appendId }) => appendId))]
      const gone = new Set(appends.slice(appends.length - lost))
      const kept = events.filter(({ appendId }) => !gone.has(appendId))
      events = kept
      ahead += 1_000
      store = newStore()
      await store.restore([...beginning, ...kept])
      // The read model is committed without waiting for the disk, so it has lost the same, or more.
      const checkpoint = await shared.checkpoint()
      shared = memoryReadModel()
      const applied = kept.filter(({ position }) => position <= checkpoint)
      const { known } = readBatch([
        ...beginning.filter(({ position }) => position <= checkpoint),
        ...applied.slice(0, applied.length - chance.below(4)),
      ])
      if (known.length > 0) await shared.apply(0n, known)
      return kept.length
    },
  }
}

/** Events of another organization: more than a subscription and live checks read at once. */
const elsewhere = (): readonly RecordedEvent[] =>
  Array.from({ length: 1_100 }, (_, index) => ({
    appendId: `elsewhere${index}`,
    stream: `project-elsewhere+p${index}` as const,
    version: 1,
    type: 'project.added',
    schemaVersion: 1,
    data: {
      ...{ id: `p${index}`, name: 'Elsewhere', projectRoleAssertion: false },
      ...{ projectRoleCheck: false, hasProjectCheck: false },
      privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
    },
    metadata: { actor: { userId: 'admin', orgId: 'elsewhere' }, resourceOwner: 'elsewhere' },
    position: BigInt(Date.UTC(2025) + index) * 1_000n,
  }))
