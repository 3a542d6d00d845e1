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
import { ask } from './ask.js'
import { chanceOf } from './chance.js'
import { follow, healed } from './endings.js'
import { judgeOf, Violation } from './judge.js'
import { nameOf } from './model.js'
import type { Instance, Plan, Run } from './run.js'
import { type Process, schedulerOf } from './scheduler.js'
import { inMemory, NO_FAULTS, type System } from './system.js'
import { endpointOf } from './webhooks.js'
import { isWide, widened, withKeys } from './wide.js'
import {
  FIRST_OPERATIONS,
  hasMore,
  namesIn,
  type Operation,
  operationByToken,
  operationOf,
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

const OPERATIONS = 120

/** Longest pause of most clients, in milliseconds. */
const SHORT_PAUSE = 8

/** The same where a run takes as long as live checks may answer without reading the log. */
const LONG_PAUSE = 1_500

/** Numbers of the operations that come once faults have ended: each must succeed, or be refused by a rule. */
const LAST_OPERATIONS = Array.from({ length: 12 }, (_, number) => OPERATIONS + number)

const WHOLE: Plan = {
  operations: Array.from({ length: OPERATIONS }, (_, number) => number),
  hasFaults: true,
  hasCrashes: true,
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
  const isAnyWide = isWide(seed)
  const isVaried = isAnyWide || (hasMore(seed) && system.hasLiveChecks)
  const askedAt = (number: number): Operation => {
    const operation = operationOf(chanceOf(seed * 1_000 + number), seed, number)
    if (number < FIRST_OPERATIONS || !isVaried) return operation
    const more = chanceOf(-(seed * 1_000 + number))
    const other = varied(more, operation, system)
    return isAnyWide ? widened(more, other, system) : other
  }
  const drawn = numbers.map(askedAt)
  const operations = isAnyWide ? withKeys(drawn) : drawn
  const rivals = operations.flatMap(({ rival }) => rival ?? [])
  const asked = new Map([...operations, ...rivals].map((each) => [each.id, each]))
  const isShared = chance.happens(0.5)
  const isLong = isAnyWide && system.hasClock && chance.happens(0.3)
  const batchSize = isAnyWide && !isLong ? chance.pick([undefined, 3, 10]) : undefined
  if (isAnyWide && system.hasClock) scheduler.syncClocks()
  let violation: Error | undefined
  const begins: Run['began'] = []
  const expected: Run['expected'] = new Map()
  const sequences: Run['sequences'] = new Map()
  const server = system.serverOf({
    scheduler,
    chance,
    ...{ isShared, isLong, batchSize },
    hasRow: (id) => asked.get(id)?.hasRow ?? false,
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
        for (const [changed, position] of namesIn(events, name)) sequences.set(changed, position)
        const last = events.at(-1)?.position ?? 0n
        begins.push({ moment: judge.moment(), at: scheduler.now(), last })
      } catch (error) {
        violation ??= error instanceof Error ? error : new Error(String(error))
      }
    },
  })
  const endpoint =
    chance.happens(0.3) && system.hasWebhooks && !isLong
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
    hasLiveChecks: isVaried && system.hasLiveChecks,
    ...{ asked, expected, sequences, expiries: [], rowless: new Set() },
    isWide: isAnyWide,
    hasSlowed: false,
    pause: isAnyWide ? chance.pick([SHORT_PAUSE, SHORT_PAUSE, LONG_PAUSE]) : SHORT_PAUSE,
    began: begins,
  }
  tell(
    server.isShared
      ? 'The read model is in the database'
      : 'Every instance has a read model of its own',
  )
  try {
    await scheduler.run(live(run, operations, () => violation))
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
      await scheduler.wait(chance.random() * run.pause)
      const { rival } = next
      await Promise.all([ask(run, name, next), rival && ask(run, `${name}'s rival`, rival)])
    }
  }
  const pace = chance.pick([1_000, 200, 30])
  const disturb = async (): Promise<void> => {
    while (plan.hasCrashes && !isOver) {
      await scheduler.wait((10 + chance.random() * pace) * (run.pause / SHORT_PAUSE))
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

/** A crash of an instance, or of the server. */
const disturbOnce = async (run: Run): Promise<void> => {
  const { chance, scheduler, instances, server, judge, tell, sequences, expected } = run
  const which = chance.below(instances.length)
  const instance = instances[which]
  if (instance && run.isWide && chance.happens(0.15)) {
    const by = 1_000 + chance.random() * 1_400
    tell(`Answers to ${instance.process.name} take ${Math.ceil(by)} ms`)
    instance.process.slow = { by, until: scheduler.now() + 10_000 + chance.random() * 10_000 }
    run.hasSlowed = true
    return
  }
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
