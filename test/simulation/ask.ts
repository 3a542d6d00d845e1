import type { AccessCause } from '../../src/application/access/explain-access.js'
import type { LiveChecks } from '../../src/application/access/live-checks.js'
import { timeOf } from '../../src/ports/event-store.js'
import { Violation } from './judge.js'
import { type Command, nameOf } from './model.js'
import type { Instance, Run } from './run.js'
import type { Server } from './system.js'
import { type Answer, isByToken, type Operation, perform } from './workload.js'

/** The longest that a call may take when no answer of the server is late, in milliseconds. */
const LONGEST = 30_000

/** Most tries of a caller who does not know what became of a write. */
const MAX_TRIES = 4

/** A client asks an instance, and the answer is judged. */
export const ask = async (run: Run, client: string, drawn: Operation): Promise<void> => {
  const { chance, judge, server, scheduler, tell, disowned, expected, sequences } = run
  const begin = judge.asked(drawn)
  const begun = scheduler.now()
  const { operation, at } = dated(run, drawn)
  const { id, command, idempotencyKey } = operation
  const name = nameOf(command)
  const sequence = operation.isExpecting ? sequences.get(name) : undefined
  if (sequence !== undefined) {
    expected.set(id, sequence)
    // A form that is open for a while.
    if (!operation.rival) await scheduler.wait(chance.random() * 50)
  }
  let mayBeRecorded = false
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const asking = instancesFor(run, operation)
    const instance = asking[chance.below(asking.length)]
    if (!instance) throw new Error('No instance is left')
    const { iam, process, crashed, ready } = instance
    if (ready) await Promise.race([ready, crashed])
    if (operation.isLive) return askLive(run, client, operation, instance)
    disowned.delete(id)
    run.rowless.delete(id)
    tell(`${client} asks ${process.name}: ${story(operation)}`)
    const isEventual = operation.isRead && operation.consistency === 'eventual'
    const { seen } = instance
    const shownBefore = seen.moment
    const asked = scheduler.now()
    const failures = server.failures()
    const caller = callerOf(run, attempt === 1 ? operation.patience : undefined)
    let causes: readonly AccessCause[] = []
    const answer = await Promise.race([
      perform(iam, operation, {
        tokens: run.tokens,
        expectedSequence: sequence,
        at: at === undefined ? undefined : new Date(at),
        signal: caller?.signal,
        inTransaction: operation.hasRow ? server.writingRow?.(id) : undefined,
        pause: () => scheduler.wait(chance.random() * 20),
        onCauses: (found) => {
          causes = found
        },
      }).catch((thrown) => failureOf(thrown, operation, server)),
      crashed,
    ])
    if (!answer) {
      tell(`${client} has no answer about ${id}`)
      if (idempotencyKey === undefined) return
      mayBeRecorded = true
      continue
    }
    tell(`${client} is answered about ${id}: ${shown(answer, server)}`)
    const wentBack = instance.seen !== seen
    // The read model may go back during the call, and show again what it has shown long before.
    const eventually = wentBack ? 0 : shownBefore
    const times = { asked: Math.floor(begun), answered: Math.floor(scheduler.now()), at }
    const right = judge.answered(operation, answer, isEventual ? eventually : begin, times)
    if (server.failures() === failures) judge.unfailing(operation)
    if (isEventual) seen.moment = Math.max(seen.moment, right)
    // A write returns once the live checks of its process know it. The server may have gone back meanwhile.
    if ('changed' in answer && answer.changed && !wentBack)
      instance.liveFrom = Math.max(instance.liveFrom, right)
    if (!wentBack) requireCauses(server, id, causes)
    caller?.requirePrompt(operation)
    const outcome = 'refused' in answer ? answer.outcome : undefined
    const refused = 'refused' in answer ? answer.refused : undefined
    if (refused === 'Cancelled' && !caller?.hasGivenUp())
      throw new Violation(`${id} is refused as Cancelled, though its caller waits`)
    // What a desired state recorded before stays.
    const isUnrecorded = (outcome === 'not_recorded' || refused === 'Cancelled') && !command.desired
    if (isUnrecorded && !mayBeRecorded) disowned.add(id)
    if (refused && outcome !== 'unknown' && !mayBeRecorded) run.rowless.add(id)
    const isPrompt = server.isPrompt() && !run.hasSlowed
    if (scheduler.now() - asked > LONGEST && isPrompt)
      throw new Violation(`${id} took ${LONGEST} ms, though every answer is prompt`)
    // An eventual read is refused while the read model of a new instance is empty.
    if (refused === 'Unavailable' && (run.hasRecovered || !(isEventual || server.failures() > 0)))
      throw new Violation(`${id} is refused as Unavailable, though nothing fails`)
    if (refused === 'Aborted' && isPrompt)
      throw new Violation(`${id} has lost races for ten seconds, though every answer is prompt`)
    const isAsExpected = sequence !== undefined && sequences.get(name) === sequence
    if (refused && isWrong(refused, operation, isAsExpected))
      throw new Violation(`${id} is refused as ${refused}, for which there is no reason`)
    const recordedAs = isByToken(command) ? '' : id
    if (outcome === 'unknown' && !mayBeRecorded && !server.unknown.has(recordedAs))
      throw new Violation(`${id} is said to be unknown, though no answer of the store was lost`)
    mayBeRecorded ||= outcome !== 'not_recorded'
    // A caller with a key asks again: when it has to, and sometimes when it does not.
    if (idempotencyKey === undefined) return
    if (outcome !== 'unknown' && !chance.happens(0.3)) return
    await scheduler.wait(chance.random() * 50)
  }
}

/** Callers avoid a slow instance; live checks, which take no time there, do not. */
const instancesFor = (
  { instances, scheduler }: Run,
  { isLive }: Operation,
): readonly Instance[] => {
  const isSlow = ({ process: { slow } }: Instance) => slow && slow.until > scheduler.now()
  const found = instances.filter((instance) => (isLive ? isSlow(instance) : !isSlow(instance)))
  return found.length > 0 ? found : instances
}

/** What a statement of the host has thrown, which rejects the call: nothing is recorded. */
const failureOf = (thrown: unknown, { hasRow }: Operation, server: Server): Answer => {
  if (!hasRow || server.failures() === 0) throw thrown
  return { refused: String(thrown), outcome: 'not_recorded' }
}

/** A role that was given until a time, in milliseconds. */
export interface Expiry {
  readonly at: number
  readonly command: Command
}

/** The operation, with the time when the roles that it gives expire; and the time that it asks about, if that is past. */
const dated = (
  { asked, expiries, scheduler, server }: Run,
  operation: Operation,
): { readonly operation: Operation; readonly at?: number | undefined } => {
  const { id, command, lifetime, past } = operation
  if (lifetime !== undefined) {
    const expiresAt = Math.ceil(scheduler.now()) + lifetime
    const expiring = { ...operation, command: { ...command, expiresAt } }
    asked.set(id, expiring)
    expiries.push({ at: expiresAt, command: expiring.command })
    return { operation: expiring }
  }
  if (past === undefined) return { operation }
  const recorded = server.log().map(({ position }) => timeOf(position).getTime())
  const last = recorded.at(-1) ?? 0
  // More was recorded since, so that nothing is recorded at that time any more.
  const isOver = (time: number) => time < last && time <= scheduler.now()
  const over = expiries.filter((expiry) => isOver(expiry.at))
  const expired = past < 0.3 ? over[Math.floor((past / 0.3) * over.length)] : undefined
  if (expired) return { operation: about(operation, expired), at: expired.at }
  const times = recorded.filter(isOver)
  return { operation, at: times[Math.floor(past * times.length)] }
}

/** The question about the user whose role expires. */
const about = (operation: Operation, { command }: Expiry): Operation => {
  const { org, userId = '', projectId, resource, roleKeys = [] } = command
  const [roleKey = ''] = roleKeys
  const on = { ...(resource !== undefined && { resource }) }
  return {
    ...operation,
    command: { method: operation.command.method, org, userId, projectId, roleKey, ...on },
  }
}

/** A caller who gives up after a while. */
const callerOf = ({ scheduler }: Run, patience: number | undefined) => {
  if (patience === undefined) return undefined
  const ending = new AbortController()
  let end: number | undefined
  void scheduler.wait(patience).then(() => {
    end = scheduler.now()
    ending.abort()
  })
  return {
    signal: ending.signal,
    hasGivenUp: () => end !== undefined,
    /** @throws Violation when a read was answered only later */
    requirePrompt: ({ id, isRead, isDryRun }: Operation): void => {
      if (!(isRead || isDryRun) || end === undefined || scheduler.now() - end < 1) return
      throw new Violation(`${id} goes on after its caller has given up`)
    },
  }
}

/** Refusals that have a reason only in some operations. */
const isWrong = (
  refused: string,
  { lifetime, isPlanned, isExpecting }: Operation,
  isAsExpected: boolean,
): boolean => {
  switch (refused) {
    case 'IdempotencyKeyReused':
      return true
    // The roles that it gives have expired meanwhile.
    case 'InvalidArgument':
      return lifetime === undefined
    case 'PlanOutdated':
      return !isPlanned
    case 'SequenceMismatch':
      return !isExpecting || isAsExpected
    default:
      return false
  }
}

/** @throws Violation when an explanation rests on what was not recorded so, or not in this order */
const requireCauses = (server: Server, id: string, causes: readonly AccessCause[]): void => {
  const log = new Map(server.log().map(({ position, type }) => [position, type]))
  let last = 0n
  for (const { sequence, type } of causes) {
    if (log.get(sequence) !== type || sequence <= last)
      throw new Violation(`${id} is explained by ${type} at ${sequence}, which is not there`)
    last = sequence
  }
}

const story = ({ id, command, isRead, consistency, idempotencyKey }: Operation): string => {
  const { method, roleKey, roleKeys = [], groups = [], desired } = command
  if (desired) {
    const { roleKeys, granted, protect } = desired
    const declared = `${roleKeys.join('+')}, granted ${granted.join('+')}`
    return `${id}, ${method} ${declared}${protect ? ', protected' : ''}`
  }
  const given = /(Grants|Mappings)\.(add|update|removeRoles)/.test(method) ? roleKeys : []
  const keys = method.endsWith('.report') ? groups : given
  const asked = method === 'access.whoHas' ? roleKey : keys.join('+')
  const how = isRead ? consistency : (idempotencyKey ?? '')
  return [`${id},`, method, nameOf(command), asked, how].filter(Boolean).join(' ')
}

/** Without positions, which follow a real clock: events are numbered. */
export const shown = (answer: Answer, server: Server): string => {
  if ('refused' in answer) return `${answer.refused} ${answer.outcome ?? ''}`.trimEnd()
  if ('read' in answer) return `'${answer.read}'`
  if ('planned' in answer) {
    const { planned, roles, impact } = answer
    return planned
      ? ['would change', roles, impact].filter(Boolean).join(' ')
      : 'would change nothing'
  }
  const numberOf = (at: bigint) => server.log().findIndex(({ position }) => position === at) + 1
  return answer.changed
    ? `recorded as event ${answer.positions.map(numberOf).join()}`
    : 'nothing to change'
}

/** The default `maxLag`: live checks know what was recorded before, or refuse. */
const LIVE_LAG = 5_000

/** A live check is answered at once: by what was recorded up to five seconds ago or later, and by the instance's own writes. */
export const askLive = async (
  run: Run,
  client: string,
  operation: Operation,
  instance: Instance,
): Promise<void> => {
  const { scheduler, judge, tell } = run
  const { live, process } = instance
  if (!live) return
  const asked = await untilExpiry(run, operation)
  requireLag(run, process.name, live)
  const { org, userId = '', projectId, roleKey = '', resource } = asked.command
  const on = { ...(resource !== undefined && { resource }) }
  const question = { orgId: org, projectOrgId: 'acme', userId, projectId, roleKey, ...on }
  const { roleKeys, reasons } = live.check(question)
  const isStale = reasons.some(({ kind }) => kind === 'Stale')
  tell(`${client} checks ${operation.id} live on ${process.name}: ${isStale ? 'stale' : roleKeys}`)
  if (live.can(question) !== roleKeys.includes(roleKey))
    throw new Violation(`${process.name} has two answers to the live check ${operation.id}`)
  if (isStale) {
    if (run.hasRecovered) throw new Violation(`${process.name} refuses live checks for ever`)
    return
  }
  if (live.lag > LIVE_LAG)
    throw new Violation(`${process.name} answers a live check though it lags by ${live.lag} ms`)
  const now = Math.floor(scheduler.now())
  const known = run.began.findLast(({ at }) => at < scheduler.now() - LIVE_LAG)?.moment ?? 0
  const from = Math.max(instance.liveFrom, known)
  const times = { asked: now, answered: now }
  instance.liveFrom = judge.answered(asked, { read: roleKeys.join() }, from, times)
}

/** @throws Violation when live checks say that they were up to date after an event that they do not include */
const requireLag = ({ began, scheduler, server }: Run, name: string, live: LiveChecks): void => {
  const missed = server.log().find(({ position }) => position > live.position)
  const recorded = missed && began.find(({ last = 0n }) => last >= missed.position)
  if (recorded && live.lag < scheduler.now() - recorded.at)
    throw new Violation(
      `${name} says that its live checks lag by ${live.lag} ms, which is too little`,
    )
}

/** Often waits for the millisecond in which the next role expires, if that is soon, and asks about it. */
const untilExpiry = async (
  { chance, scheduler, expiries }: Run,
  operation: Operation,
): Promise<Operation> => {
  const now = scheduler.now()
  const next = expiries
    .filter(({ at }) => at > now && at < now + SOON)
    .reduce<Expiry | undefined>((one, other) => (one && one.at < other.at ? one : other), undefined)
  if (!next || chance.happens(0.5)) return operation
  await scheduler.wait(next.at - now)
  return about(operation, next)
}

/** In milliseconds. */
const SOON = 3_000
