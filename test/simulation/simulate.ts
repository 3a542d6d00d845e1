// Loaded before a run: the first import() of a module takes longer than the next, and a seed would not repeat.
import '../../src/adapters/memory/read-model.js'
import '../../src/application/access/explain-access.js'
import '../../src/application/access/live-checks.js'
import '../../src/application/access/past-access.js'
import '../../src/application/desired-state/apply-desired.js'
import '../../src/application/desired-state/plan-desired.js'
import '../../src/application/setup-links/redeem-setup-link.js'
import '../../src/application/user-grants/remove-all.js'
import '../../src/application/writing/dry-run.js'
import type { LiveChecks } from '../../src/application/access/live-checks.js'
import type { KnownEvent } from '../../src/ports/known-event.js'
import { type Chance, chanceOf } from './chance.js'
import { type Judge, judgeOf, Violation } from './judge.js'
import { nameOf } from './model.js'
import { type Process, type Scheduler, schedulerOf } from './scheduler.js'
import { inMemory, NO_FAULTS, type Server, type System } from './system.js'
import { type Endpoint, endpointOf } from './webhooks.js'
import {
  type Answer,
  FIRST_OPERATIONS,
  hasMore,
  isByToken,
  type Operation,
  operationByToken,
  operationOf,
  perform,
  varied,
} from './workload.js'

/** One run of the simulated system. */
export interface Simulated {
  readonly seed: number
  /** Operations that clients have asked for. */
  readonly operations: number
  /** What happened, a line each. */
  readonly trace: readonly string[]
  /** What the library must never do, and did. */
  readonly violation?: Error
}

/** How much happens in a run: shrinking takes some of it away. */
export interface Plan {
  /** Numbers of the operations to perform. */
  readonly operations: readonly number[]
  readonly hasFaults: boolean
  readonly hasCrashes: boolean
}

const OPERATIONS = 120

/** Numbers of the operations that come once faults have ended: each must succeed, or be refused by a rule. */
const LAST_OPERATIONS = Array.from({ length: 12 }, (_, number) => OPERATIONS + number)

const WHOLE: Plan = {
  operations: Array.from({ length: OPERATIONS }, (_, number) => number),
  hasFaults: true,
  hasCrashes: true,
}

interface Instance extends ReturnType<Server['open']> {
  readonly process: Process
  readonly crash: () => void
  /** Resolves when it crashes. */
  readonly crashed: Promise<void>
  /** The moment that its eventual answers have shown, since the server last went back. */
  seen: { moment: number }
  /** Absent until they have caught up. */
  live?: LiveChecks
  /** The moment that its live checks have shown, or that a write through it has made. */
  liveFrom: number
}

/** The system while it runs. */
interface Run {
  readonly seed: number
  readonly plan: Plan
  readonly chance: Chance
  readonly scheduler: Scheduler
  readonly judge: Judge
  readonly server: Server
  readonly instances: Instance[]
  readonly tell: (line: string) => void
  /** Whether faults have ended, and every instance has recovered. */
  hasRecovered: boolean
  /** Operations that were answered as certainly not recorded. */
  readonly disowned: Set<string>
  /** Of the links that clients have been given, by link. */
  readonly tokens: Map<string, string>
  /** Absent where nobody has webhooks. */
  readonly endpoint: Endpoint | undefined
  readonly hasLiveChecks: boolean
  /** What callers expected of the objects that they changed, by operation. */
  readonly expected: Map<string, bigint>
  /** Position of the last event of each object, by its name in the model. */
  readonly sequences: Map<string, bigint>
  /** When each moment began. */
  readonly began: { readonly moment: number; readonly at: number }[]
}

/** Runs a system under one seed. Everything that happens in it follows from the seed and the plan. */
export const simulate = async (
  seed: number,
  { plan = WHOLE, system = inMemory }: { readonly plan?: Plan; readonly system?: System } = {},
): Promise<Simulated> => {
  const chance = chanceOf(seed)
  const scheduler = schedulerOf(chance, system.quiet)
  const judge = judgeOf()
  const trace: string[] = []
  const began = scheduler.now()
  const tell = (line: string): void => {
    trace.push(`${(scheduler.now() - began).toFixed(1).padStart(9)} ms  ${line}`)
  }
  const numbers = [...plan.operations, ...LAST_OPERATIONS]
  const isVaried = hasMore(seed) && system.hasLiveChecks
  const askedAt = (number: number): Operation => {
    const operation = operationOf(chanceOf(seed * 1_000 + number), seed, number)
    const isFirst = number < FIRST_OPERATIONS || !isVaried
    return isFirst ? operation : varied(chanceOf(-(seed * 1_000 + number)), operation)
  }
  const asked = new Map(numbers.map((number) => [`op${number}`, askedAt(number)]))
  const isShared = chance.happens(0.5)
  let violation: Error | undefined
  const begins: Run['began'] = []
  const expected: Run['expected'] = new Map()
  const sequences: Run['sequences'] = new Map()
  const server = system.serverOf({
    scheduler,
    chance,
    isShared,
    onEvent: tell,
    onCommit: (events) => {
      const id = events[0]?.metadata.correlationId ?? ''
      const operation = asked.get(id) ?? operationByToken(events)
      tell(`  recorded: ${id}, ${events.map(({ type }) => type).join()}`)
      try {
        judge.committed(events, operation)
        const name = operation ? nameOf(operation.command) : ''
        const wanted = expected.get(id)
        if (wanted !== undefined && wanted !== sequences.get(name))
          throw new Violation(`${id} changes another state of ${name} than it expects`)
        sequences.set(name, events.at(-1)?.position ?? 0n)
        begins.push({ moment: judge.moment(), at: scheduler.now() })
      } catch (error) {
        violation ??= error instanceof Error ? error : new Error(String(error))
      }
    },
  })
  const endpoint =
    chance.happens(0.3) && system.hasWebhooks
      ? endpointOf(scheduler, chance, { server, tell })
      : undefined
  const run: Run = {
    seed,
    plan,
    chance,
    scheduler,
    judge,
    server,
    instances: [],
    tell,
    hasRecovered: false,
    disowned: new Set(),
    tokens: new Map(),
    endpoint,
    hasLiveChecks: isVaried,
    ...{ expected, sequences },
    began: begins,
  }
  tell(
    server.isShared
      ? 'The read model is in the database'
      : 'Every instance has a read model of its own',
  )
  try {
    await scheduler.run(live(run, [...asked.values()], () => violation))
  } catch (error) {
    violation ??= error instanceof Error ? error : new Error(String(error))
  }
  await server.end?.()
  if (violation) tell(`VIOLATION: ${violation.message}`)
  return { seed, operations: numbers.length, trace, ...(violation && { violation }) }
}

/** From the first operation until everything has been answered, faults have ended and the last property is checked. */
const live = async (
  run: Run,
  operations: readonly Operation[],
  violated: () => Error | undefined,
): Promise<void> => {
  const { chance, scheduler, server, plan, instances, tell } = run
  const count = 1 + chance.below(4)
  for (let number = 0; number < count; number++) open(run, `node${number}`)
  for (const { ready } of instances) if (ready) await ready
  if (plan.hasFaults) {
    const rate = chance.pick([0, 0.01, 0.05, 0.15])
    server.setFaults({
      before: rate,
      after: rate,
      late: chance.pick([0, 0.02, 0.1]),
      hint: chance.pick([0, 0.5, 1]),
    })
  }
  const follower = follow(run)
  const queue = operations.slice(0, plan.operations.length)
  let isOver = false
  const client = async (name: string): Promise<void> => {
    for (let next = queue.shift(); next && !violated(); next = queue.shift()) {
      await scheduler.wait(chance.random() * 8)
      await ask(run, name, next)
    }
  }
  const pace = chance.pick([1_000, 200, 30])
  const disturb = async (): Promise<void> => {
    while (plan.hasCrashes && !isOver) {
      await scheduler.wait(10 + chance.random() * pace)
      if (!isOver) await disturbOnce(run)
    }
  }
  for (const one of queue.splice(0, FIRST_OPERATIONS)) await ask(run, 'founder', one)
  const clients = Array.from({ length: 1 + chance.below(6) }, (_, number) =>
    client(`client${number}`),
  )
  const disturbing = disturb()
  await Promise.all(clients)
  isOver = true
  const error = violated()
  if (error) throw error
  server.setFaults(NO_FAULTS)
  run.endpoint?.heal()
  tell('Faults end')
  await disturbing
  await scheduler.wait(30_000)
  await healed(run)
  // Before the first event no read model is fed, and eventual reads are refused.
  run.hasRecovered = server.log().length > 0
  for (const one of operations.slice(plan.operations.length)) await ask(run, 'client', one)
  const last = violated()
  if (last) throw last
  await scheduler.wait(30_000)
  follower.check()
  await run.endpoint?.check()
  for (const { crash } of instances) crash()
}

const open = (run: Run, name: string): Instance => {
  const process: Process = { name, isCrashed: false }
  const { promise: crashed, resolve } = Promise.withResolvers<void>()
  const opened = run.server.open(process)
  const crash = () => {
    process.isCrashed = true
    opened.crash?.()
    resolve()
  }
  const instance = {
    ...opened,
    process,
    crash,
    crashed,
    seen: { moment: 0 },
    liveFrom: 0,
  } as Instance
  run.instances.push(instance)
  const begin = () => {
    void opened.iam.run(opened.readModel)
    if (run.hasLiveChecks) void openLive(run, instance)
    run.endpoint?.serve(process, opened)
  }
  // What goes wrong is reported to those who ask it.
  if (opened.ready) opened.ready.then(begin, () => undefined)
  else begin()
  return instance
}

/** Opens the live checks of an instance; again while the log cannot be read. */
const openLive = async ({ scheduler }: Run, instance: Instance): Promise<void> => {
  for (;;) {
    const live = await instance.iam.access.live({ signal: new AbortController().signal })
    if (live.isOk()) {
      instance.live = live.value
      return
    }
    await scheduler.wait(1_000, instance.process)
  }
}

/** The default `maxLag`: live checks know what was recorded before, or refuse. */
const LIVE_LAG = 5_000

/** A live check is answered at once: by what was recorded up to five seconds ago or later, and by the instance's own writes. */
const askLive = (run: Run, client: string, operation: Operation, instance: Instance): void => {
  const { scheduler, judge, tell } = run
  const { live, process } = instance
  if (!live) return
  const { org, userId = '', projectId, roleKey = '' } = operation.command
  const question = { orgId: org, projectOrgId: 'acme', userId, projectId, roleKey }
  const { roleKeys, reasons } = live.check(question)
  const isStale = reasons.some(({ kind }) => kind === 'Stale')
  tell(`${client} checks ${operation.id} live on ${process.name}: ${isStale ? 'stale' : roleKeys}`)
  if (isStale) {
    if (run.hasRecovered) throw new Violation(`${process.name} refuses live checks for ever`)
    return
  }
  const since = scheduler.now() - LIVE_LAG
  const known = run.began.findLast(({ at }) => at < since)?.moment ?? 0
  const from = Math.max(instance.liveFrom, known)
  instance.liveFrom = judge.answered(operation, { read: roleKeys.join() }, from)
}

/** A crash of an instance, or of the server. */
const disturbOnce = async (run: Run): Promise<void> => {
  const { chance, scheduler, instances, server, judge, tell, sequences, expected } = run
  const which = chance.below(instances.length)
  const instance = instances[which]
  if (instance && chance.happens(0.2)) {
    const length = 10 + chance.random() ** 2 * 20_000
    const from = chance.pick<'server' | 'cursors'>(['server', 'cursors'])
    tell(`${instance.process.name} is cut off from the ${from} for ${Math.ceil(length)} ms`)
    instance.process.cutOff = { from, until: scheduler.now() + length }
    return
  }
  if (instance && chance.happens(0.6)) {
    tell(`${instance.process.name} crashes, and is started again`)
    instance.crash()
    instances.splice(which, 1)
    open(run, `${instance.process.name}'`)
    return
  }
  if (!server.isShared) return
  const lost = server.isLossy && chance.happens(0.5) ? 1 + chance.below(3) : 0
  judge.wentBack(await server.failOver(lost))
  run.began.push({ moment: judge.moment(), at: scheduler.now() })
  // What is lost was not the last event of its object.
  sequences.clear()
  expected.clear()
  for (const one of instances) {
    one.seen = { moment: 0 }
    one.liveFrom = 0
  }
  if (lost === 0) return
  // The guide asks for it where a standby may lack what was answered: processes remember what is lost.
  tell('Every instance is restarted')
  for (const { process, crash } of instances.splice(0)) {
    crash()
    open(run, `${process.name}'`)
  }
}

/** The longest that a call may take when no answer of the server is late, in milliseconds. */
const LONGEST = 30_000

/** Most tries of a caller who does not know what became of a write. */
const MAX_TRIES = 4

/** A client asks an instance, and the answer is judged. */
const ask = async (run: Run, client: string, operation: Operation): Promise<void> => {
  const { chance, instances, judge, server, scheduler, tell, disowned } = run
  const begin = judge.asked(operation)
  const { expected, sequences } = run
  const sequence = operation.isExpecting ? sequences.get(nameOf(operation.command)) : undefined
  if (sequence !== undefined) {
    expected.set(operation.id, sequence)
    // A form that is open for a while.
    await scheduler.wait(chance.random() * 50)
  }
  let mayBeRecorded = false
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const instance = instances[chance.below(instances.length)]
    if (!instance) throw new Error('No instance is left')
    const { iam, process, crashed, ready } = instance
    if (ready) await Promise.race([ready, crashed])
    if (operation.isLive) return askLive(run, client, operation, instance)
    disowned.delete(operation.id)
    tell(`${client} asks ${process.name}: ${story(operation)}`)
    const isEventual = operation.isRead && operation.consistency === 'eventual'
    const { seen } = instance
    const shownBefore = seen.moment
    const asked = scheduler.now()
    const failures = server.failures()
    const answer = await Promise.race([perform(iam, operation, run.tokens, sequence), crashed])
    if (!answer) {
      tell(`${client} has no answer about ${operation.id}`)
      if (operation.idempotencyKey === undefined) return
      mayBeRecorded = true
      continue
    }
    tell(`${client} is answered about ${operation.id}: ${shown(answer, server)}`)
    // The read model may go back during the call, and show again what it has shown long before.
    const eventually = instance.seen === seen ? shownBefore : 0
    const right = judge.answered(operation, answer, isEventual ? eventually : begin)
    if (server.failures() === failures) judge.unfailing(operation)
    if (isEventual) seen.moment = Math.max(seen.moment, right)
    // A write returns once the live checks of its process know it. The server may have gone back meanwhile.
    if ('changed' in answer && answer.changed && instance.seen === seen)
      instance.liveFrom = Math.max(instance.liveFrom, right)
    const outcome = 'refused' in answer ? answer.outcome : undefined
    if (outcome === 'not_recorded' && !mayBeRecorded) disowned.add(operation.id)
    if (scheduler.now() - asked > LONGEST && server.isPrompt())
      throw new Violation(`${operation.id} took ${LONGEST} ms, though every answer is prompt`)
    // An eventual read is refused while the read model of a new instance is empty.
    const refused = 'refused' in answer ? answer.refused : undefined
    if (refused === 'Unavailable' && (run.hasRecovered || !(isEventual || server.failures() > 0)))
      throw new Violation(`${operation.id} is refused as Unavailable, though nothing fails`)
    if (refused === 'Aborted' && server.isPrompt())
      throw new Violation(
        `${operation.id} has lost races for ten seconds, though every answer is prompt`,
      )
    const recordedAs = isByToken(operation.command) ? '' : operation.id
    if (outcome === 'unknown' && !mayBeRecorded && !server.unknown.has(recordedAs))
      throw new Violation(
        `${operation.id} is said to be unknown, though no answer of the store was lost`,
      )
    mayBeRecorded ||= outcome !== 'not_recorded'
    // A caller with a key asks again: when it has to, and sometimes when it does not.
    if (operation.idempotencyKey === undefined) return
    if (outcome !== 'unknown' && !chance.happens(0.3)) return
    await scheduler.wait(chance.random() * 50)
  }
}

const story = ({ id, command, isRead, consistency, idempotencyKey }: Operation): string => {
  const { method, roleKey, roleKeys = [], groups = [] } = command
  const given = /(Grants|Mappings)\.(add|update|removeRoles)/.test(method) ? roleKeys : []
  const keys = method.endsWith('.report') ? groups : given
  const asked = method === 'access.whoHas' ? roleKey : keys.join('+')
  const how = isRead ? consistency : (idempotencyKey ?? '')
  return [`${id},`, method, nameOf(command), asked, how].filter(Boolean).join(' ')
}

/** Without positions, which follow a real clock: events are numbered. */
const shown = (answer: Answer, server: Server): string => {
  if ('refused' in answer) return `${answer.refused} ${answer.outcome ?? ''}`.trimEnd()
  if ('read' in answer) return `'${answer.read}'`
  if ('planned' in answer) return answer.planned ? 'would change' : 'would change nothing'
  const numberOf = (at: bigint) => server.log().findIndex(({ position }) => position === at) + 1
  return answer.changed
    ? `recorded as event ${answer.positions.map(numberOf).join()}`
    : 'nothing to change'
}

/** A subscriber from the beginning, which must have been given every event once all is quiet. */
const follow = ({ instances, server }: Run) => {
  const seen: KnownEvent[] = []
  const [first] = instances
  if (!first) throw new Error('There is no instance to follow')
  let isCrashed = false
  void first.crashed.then(() => {
    isCrashed = true
  })
  void (async () => {
    for await (const event of first.iam.subscribe()) seen.push(event)
  })()
  return {
    check: (): void => {
      if (isCrashed) return
      const positions = new Set(seen.map(({ position }) => position))
      if (positions.size !== seen.length) throw new Violation('A follower was given an event twice')
      const missed = server.log().find(({ position }) => !positions.has(position))
      if (missed) throw new Violation(`A follower has missed ${missed.type} at ${missed.position}`)
    },
  }
}

/** Once faults have ended, every instance answers, and what it says is right now. */
const healed = async (run: Run): Promise<void> => {
  const { instances, judge, disowned, server, tell } = run
  for (const event of server.log())
    if (disowned.has(event.metadata.correlationId ?? ''))
      throw new Violation(`${event.metadata.correlationId} was said not to be recorded, and is`)
  for (const instance of instances)
    for (const userId of ['ann', 'bob']) {
      const command = {
        method: 'access.check',
        org: 'globex',
        projectId: 'p',
        userId,
        roleKey: 'a',
      } as const
      const question: Operation = { id: 'the last', command, isRead: true, consistency: 'strong' }
      const { iam, process } = instance
      const from = judge.moment()
      const answer = await perform(iam, question)
      tell(`At the end ${process.name} says of ${userId}: ${shown(answer, server)}`)
      if ('refused' in answer)
        throw new Violation(`${process.name} does not recover: ${answer.refused}`)
      judge.answered(question, answer, from)
      if (run.hasLiveChecks) askLive({ ...run, hasRecovered: true }, 'the last', question, instance)
    }
}

/** Most runs that shrinking takes. */
const MAX_SHRINKS = 150

/** The smallest plan found under which the seed still fails. */
export const shrink = async (
  failed: Simulated,
  { only = /./, system = inMemory }: { readonly only?: RegExp; readonly system?: System } = {},
): Promise<Simulated> => {
  let [plan, smallest] = [WHOLE, failed]
  let runs = 0
  const tryPlan = async (smaller: Plan): Promise<boolean> => {
    if (++runs > MAX_SHRINKS) return false
    const again = await simulate(failed.seed, { plan: smaller, system })
    if (!again.violation || !only.test(again.violation.message)) return false
    ;[plan, smallest] = [smaller, again]
    return true
  }
  await tryPlan({ ...plan, hasCrashes: false })
  await tryPlan({ ...plan, hasFaults: false })
  for (let size = plan.operations.length; size >= 1; size = Math.floor(size / 2))
    for (let from = 0; from < plan.operations.length; )
      if (!(await tryPlan({ ...plan, operations: plan.operations.toSpliced(from, size) })))
        from += size
  return smallest
}
