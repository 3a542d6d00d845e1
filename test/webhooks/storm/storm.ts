import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Iam, orThrow } from 'claviger'
import { type EndpointStatus, webhooks } from 'claviger/webhooks'
import { ENDPOINTS, endpointsAt, orgName } from './endpoints.ts'
import { caller, openPlace, type Place } from './place.ts'
import type { ReceiverOrder, ReceiverReport } from './receiver.ts'
import type { SenderTask } from './sender.ts'

/** How hard it is. */
export interface StormOptions {
  readonly place: Place
  /** A path for the secrets. */
  readonly secretsFile: string
  readonly changes: number
  readonly organizations: number
  readonly senders: number
  readonly kills: number
  /** Pause between two kills, in milliseconds. */
  readonly killEvery: number
  /** Changes of a second at most; of a store they are faster than ten endpoints are. */
  readonly changesPerSecond: number
  /** Called now and then. */
  readonly tell?: (text: string) => void
}

/** What came out. */
export interface StormReport {
  readonly problems: readonly string[]
  readonly changes: number
  readonly messages: number
  readonly requests: number
  readonly doubled: number
  readonly rotations: number
  readonly seconds: number
  /** Heap of each sender, in bytes, each second. */
  readonly heaps: readonly (readonly number[])[]
}

const LEASE_MS = 3_000

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

const start = (file: string, task: object): ChildProcess =>
  fork(new URL(file, import.meta.url), [JSON.stringify(task)], { execArgv: ['--expose-gc'] })

/** Sends all changes through the storm, and compares what arrived with the log. */
export const storm = async (options: StormOptions): Promise<StormReport> => {
  const { place, secretsFile, tell = () => undefined } = options
  const began = performance.now()
  const { iam, cursors, close } = await openPlace(place)
  const receiver = start('receiver.ts', {})
  const order = (given: ReceiverOrder) => receiver.send(given)
  const [port] = (await once(receiver, 'message')) as [number]
  let secret = newSecret()
  const setSecrets = (...secrets: readonly string[]) =>
    writeFileSync(secretsFile, JSON.stringify(secrets))
  setSecrets(secret)
  order({ secret })

  const heaps: number[][] = []
  const task: SenderTask = { place, port, secretsFile, lease: LEASE_MS }
  const startSender = (): ChildProcess => {
    const sender = start('sender.ts', task)
    const heap: number[] = []
    heaps.push(heap)
    sender.on('message', (bytes) => heap.push(Number(bytes)))
    return sender
  }
  const senders = Array.from({ length: options.senders }, startSender)

  let rotations = 0
  const ending = new AbortController()
  const { signal } = ending
  /** Longer than a sender takes to learn of it and to end what it has begun. */
  const settle = () => pause(7_500, undefined, { signal })
  const rotate = async (): Promise<void> => {
    for (;;) {
      const next = newSecret()
      setSecrets(secret, next)
      await settle()
      order({ secret: next })
      await settle()
      setSecrets(next)
      secret = next
      rotations++
      await settle()
    }
  }
  const rotating = rotate().catch(() => undefined)

  const kill = async (): Promise<void> => {
    for (let n = 0; n < options.kills; n++) {
      await pause(options.killEvery)
      const place = n % senders.length
      const exited = once(senders[place]!, 'exit')
      senders[place]!.kill('SIGKILL')
      await exited
      senders[place] = startSender()
      tell(`killed ${n + 1} of ${options.kills}`)
    }
  }

  try {
    await Promise.all([change(iam, options), kill()])
    tell('all changes are made')
    order({ heal: true })
    const hooks = webhooks({
      iam,
      cursors,
      caller,
      lookup: false,
      endpoints: () => endpointsAt(port, [secret]),
    })
    const last = await logOf(iam)
    await settled(async () => orThrow(hooks.status()), last.at(-1)?.position ?? 0n, tell)
    order({ report: true })
    const [report] = (await once(receiver, 'message')) as [ReceiverReport]
    const found = compare(last, report)
    return {
      problems: [...report.problems.slice(0, 20), ...found.problems],
      changes: last.length,
      messages: found.messages,
      requests: report.requests,
      doubled: report.doubled,
      rotations,
      seconds: (performance.now() - began) / 1_000,
      heaps,
    }
  } finally {
    ending.abort()
    await rotating
    for (const each of [...senders, receiver]) each.kill('SIGKILL')
    await Promise.all(
      senders.map((sender) => sender.exitCode ?? sender.signalCode ?? once(sender, 'exit')),
    )
    rmSync(secretsFile, { force: true })
    await close()
  }
}

/** Roles of a batch: they are added, and half of them are removed. */
const BATCH = 40

const change = async (
  iam: Iam,
  { changes, organizations, changesPerSecond }: StormOptions,
): Promise<void> => {
  const began = performance.now()
  const contextOf = (orgId: string) => ({ caller: { userId: 'admin', orgId } })
  let made = 0
  for (let round = 0; made < changes; round++) {
    const context = contextOf(orgName(round % organizations))
    const { projectId } = await orThrow(iam.projects.add({ name: `Project ${round}` }, context))
    const keys = Array.from({ length: BATCH }, (_, n) => `role-${n}`)
    const roles = keys.map((roleKey) => ({ roleKey, displayName: roleKey }))
    await orThrow(iam.projectRoles.addMany({ projectId, roles }, context))
    const removed = keys.slice(0, BATCH / 2)
    for (const roleKey of removed)
      await orThrow(iam.projectRoles.remove({ projectId, roleKey }, context))
    made += 1 + BATCH + removed.length
    await pause(Math.max(0, (made / changesPerSecond) * 1_000 - (performance.now() - began)))
  }
}

interface Logged {
  readonly position: bigint
  readonly type: string
  readonly orgId: string
}

const logOf = async (iam: Iam): Promise<readonly Logged[]> => {
  const log: Logged[] = []
  for await (const { position, type, metadata } of iam.subscribe({ until: 'head' }))
    log.push({ position, type, orgId: metadata.resourceOwner })
  return log
}

/** Waits until all live endpoints have taken everything up to a position. */
const settled = async (
  ask: () => Promise<readonly EndpointStatus[]>,
  last: bigint,
  tell: (text: string) => void,
): Promise<void> => {
  const dead = new Set(ENDPOINTS.filter(({ death }) => death).map(({ id }) => id))
  for (;;) {
    const behind = (await ask()).filter(
      ({ endpoint, position = 0n, held }) =>
        !dead.has(endpoint) && (position < last || held.length > 0),
    )
    if (behind.length === 0) return
    tell(`behind: ${behind.map(({ endpoint, held }) => `${endpoint} (${held.length})`).join(', ')}`)
    await pause(1_000)
  }
}

/** Holds what arrived to the log: each message of its filter, in order within each organization. */
const compare = (log: readonly Logged[], { firsts }: ReceiverReport) => {
  const problems: string[] = []
  let messages = 0
  for (const { id, orgId, types, death } of ENDPOINTS) {
    if (death) continue
    const due = log.filter(
      (event) =>
        (orgId === undefined || orgId === event.orgId) &&
        (types === undefined || types.some((type) => type === event.type)),
    )
    messages += due.length
    const arrived = firsts[id] ?? {}
    const byOrg = Object.groupBy(due, (event) => event.orgId)
    for (const org of new Set([...Object.keys(byOrg), ...Object.keys(arrived)])) {
      const expected = (byOrg[org] ?? []).map(({ position }) => String(position)).join()
      if (expected !== (arrived[org] ?? []).join())
        problems.push(`${id} has not what ${org} changed, in order`)
    }
  }
  return { messages, problems }
}
