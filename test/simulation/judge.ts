import { fieldOf } from '../../src/domain/values.js'
import { type RecordedEvent, timeOf } from '../../src/ports/event-store.js'
import {
  looksUp,
  mappingsOf,
  nameOf,
  nothing,
  perform,
  projectState,
  rolesOf,
  routeOf,
  type State,
} from './model.js'
import { countingRoles, countingWays, impactBetween, rolesBetween } from './rights.js'
import type { Answer, Operation } from './workload.js'

/** Something that the library must never do. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/** Judges every answer by the states that the system was in while it was asked for. */
export interface Judge {
  /** The number of the present state. */
  readonly moment: () => number
  /** An operation is asked for: the number of the present state. */
  readonly asked: (operation: Operation) => number
  /** Takes what was recorded. @throws Violation when the model would have refused it, or has it already */
  readonly committed: (events: readonly RecordedEvent[], operation: Operation | undefined) => void
  /** The server has gone back to its first `events`. */
  readonly wentBack: (events: number) => void
  /** @throws Violation when the answer was right at no moment from `from` to now; otherwise the first such moment */
  readonly answered: (operation: Operation, answer: Answer, from: number, times: Times) => number
  /** Nothing failed in a call that was answered. @throws Violation when a report still misses a mapping that stands before it in the log */
  readonly unfailing: (operation: Operation) => void
}

/** When an operation was asked and answered, and the time that it asks about if that is past; in milliseconds. */
export interface Times {
  readonly asked: number
  readonly answered: number
  readonly at?: number | undefined
}

interface Moment {
  readonly state: State
  /** When it began, by the clock of the server. */
  readonly time: number
  /** The moment that it followed. */
  readonly before?: Moment
  /** Events in the log. */
  readonly events: number
  /** What operations have recorded. */
  readonly done: ReadonlyMap<string, Recorded>
}

interface Recorded {
  /** Of a report. */
  readonly groups: readonly unknown[]
  /** Mappings before it in the log of groups that a report leaves out, each with its number. */
  readonly missed: ReadonlyMap<string, number>
}

/** @see Judge */
export const judgeOf = (): Judge => {
  const first: Moment = { state: nothing, time: 0, events: 0, done: new Map() }
  const moments: Moment[] = [first]
  const present = (): Moment => moments.at(-1) ?? first
  const expiries = new Set<number>()
  let born = 0
  const begun = new Map<string, number>()
  const moment = () => moments.length - 1

  return {
    moment,
    asked: ({ id }) => {
      begun.set(id, moment())
      return moment()
    },
    committed: (events, operation) => {
      const { state, events: before, done } = present()
      if (!operation) throw new Violation('An append that nobody asked for')
      const { id, command } = operation
      const groups = groupsOf(events)
      const once = done.get(id)
      // A report that missed a mapping before it in the log is recorded again, with its group. A desired state may take
      // several appends.
      if (once && !command.desired && !(isReport(command) && isWithin(once.groups, groups)))
        throw new Violation(`${id} is recorded a second time`)
      born++
      if (command.expiresAt !== undefined) expiries.add(command.expiresAt)
      const from = looksUp(command) ? begun.get(id) : moment()
      const possible = moments.slice(from).map((seen) => perform(state, command, born, seen.state))
      const isRecorded = isRecordedBy(events, operation)
      const after = possible.find((each) => each !== state && isRecorded(each)) ?? possible.at(-1)
      if (after === undefined) throw new Violation(`${id} is recorded, though it was not asked for`)
      if (typeof after === 'string')
        throw new Violation(`${id} is recorded, though it is to be refused as ${after}`)
      if (after === state) throw new Violation(`${id} is recorded, though it changes nothing`)
      if (!isRecorded(after))
        throw new Violation(`${id} is recorded with groups that were not mapped so`)
      const mapped = isReport(command) ? mappingsOf(state, command) : []
      const missed = mapped.filter(({ group }) => !groups.includes(group))
      const recorded = { groups, missed: new Map(missed.map(({ name, born }) => [name, born])) }
      moments.push({
        state: after,
        before: present(),
        time: events.reduce((last, { position }) => Math.max(last, timeIn(position)), 0),
        events: before + events.length,
        done: new Map(done).set(id, recorded),
      })
    },
    wentBack: (events) => {
      const kept = moments.findLast((moment) => moment.events === events)
      if (!kept) throw new Error('The log cannot end within an append')
      moments.push(kept)
    },
    answered: (operation, answer, from, { asked, answered, at }) => {
      const within = moments.slice(from)
      const isBetween = (expiry: number) => expiry > asked && expiry <= answered
      const { expiresAt } = operation.command
      const ends = expiresAt === undefined ? [...expiries] : [...expiries, expiresAt]
      const times = at === undefined ? [asked, ...ends.filter(isBetween)] : [at]
      const hasTwo = looksUp(operation.command) || operation.command.method.endsWith('.complete')
      const index = within.findIndex((moment, last) =>
        (hasTwo ? within.slice(0, last + 1) : [moment]).some((seen) =>
          times.some((now) => isRight(momentAt(moment, at), operation, answer, seen.state, now)),
        ),
      )
      if (index >= 0) return from + index
      const shown = JSON.stringify(answer, (_, value) =>
        typeof value === 'bigint' ? `${value}` : value,
      )
      throw new Violation(
        `${operation.id} was answered ${shown}, which was right at no moment of the call`,
      )
    },
    unfailing: ({ id, command }) => {
      const { state, done } = present()
      const missed = done.get(id)?.missed
      for (const { name, group, born } of mappingsOf(state, command))
        if (missed?.get(name) === born && !state.get(nameOf(command))?.groups?.includes(group))
          throw new Violation(`${id} misses ${name}, which was added before it`)
    },
  }
}

/** The moment at a time, as it is known at a later one. */
const momentAt = (moment: Moment, at: number | undefined): Moment => {
  let found = moment
  while (at !== undefined && found.before && found.time > at) found = found.before
  return found
}

const timeIn = (position: bigint): number => timeOf(position).getTime()

const isReport = ({ method }: Operation['command']) => method === 'memberships.report'

/** Whether a state may be what was recorded: a report has the same groups in both. */
const isRecordedBy =
  (events: readonly RecordedEvent[], { command }: Operation) =>
  (after: State | string): boolean =>
    typeof after !== 'string' &&
    String(groupsOf(events)) === String(after.get(nameOf(command))?.groups ?? [])

/** The groups of a recorded report; none of other events. */
const groupsOf = ([event]: readonly RecordedEvent[]): readonly unknown[] => {
  const groups = fieldOf(event?.data, 'groups')
  return Array.isArray(groups) ? groups : []
}

/** Whether `more` has all of `groups`, and another one. */
const isWithin = (groups: readonly unknown[], more: readonly unknown[]): boolean =>
  more.length > groups.length && groups.every((group) => more.includes(group))

/** What a dry run would add is newer than everything that was ever added. */
const UNBORN = Number.POSITIVE_INFINITY

/** Errors that say something of the state. */
const JUDGED = /^(NotFound|AlreadyExists|ProofNotFound|Unauthenticated|Protected)$/

const isRight = (
  { state, done }: Moment,
  { id, command, isRead }: Operation,
  answer: Answer,
  seen: State,
  now: number,
): boolean => {
  if ('read' in answer) return readOf(state, command, seen, now) === answer.read
  if ('changed' in answer && answer.changed) return done.has(id)
  if ('planned' in answer) {
    const after = perform(state, command, UNBORN, seen)
    if (typeof after === 'string' || (after !== state) !== answer.planned) return false
    const { impact, roles } = answer
    if (roles !== undefined && roles !== rolesBetween(state, after, command)) return false
    return impact === undefined || impact === impactBetween(state, after, now)
  }
  if (isRead)
    return (
      'refused' in answer &&
      (answer.refused !== 'NotFound' || projectState(state, command.projectId) === 'gone')
    )
  // Faults and lost races say nothing of the state; a write that was answered so is judged by the log.
  if ('refused' in answer && !JUDGED.test(answer.refused)) return true
  const after = perform(state, command, 0, seen)
  return 'refused' in answer ? after === answer.refused : after === state
}

/** What a read shows in a state; undefined when the object is not there. @param seen - a state before, in the same call */
const readOf = (
  state: State,
  command: Operation['command'],
  seen: State,
  now: number,
): string | undefined => {
  const { method, projectId, roleKey = '', domain = '', linkId } = command
  const project = projectState(state, projectId)
  const isOpen = (at: State) => at.get(nameOf(command))?.isActive === true
  const ways = () => countingWays(state, command, now)
  switch (method) {
    case 'projects.get':
      return project === 'gone' ? undefined : project
    case 'projectRoles.list':
      return rolesOf(state, projectId).join()
    case 'access.whoHas':
      return ways()
        .filter((way) => way.split(/[ @]/)[0] === roleKey)
        .join()
    case 'access.rolesOf':
      return ways().join()
    case 'domains.route':
      return routeOf(state, domain)
    case 'setupLinks.redeem':
      return isOpen(state) ? `acme setup-link:${linkId}` : undefined
    case 'setupLinks.complete':
      return isOpen(seen) && !isOpen(state) ? linkId : undefined
    case 'access.explain':
      return String(countingRoles(state, command, now).includes(roleKey))
    default:
      return countingRoles(state, command, now).join()
  }
}
