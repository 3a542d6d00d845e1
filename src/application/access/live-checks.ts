import { err, ok, type Result, ResultAsync } from 'neverthrow'
import { checkOptions, type KnownOptions, TEXT } from '../../check-options.js'
import { isRequiredText } from '../../domain/values.js'
import type { AccessQuery } from '../../ports/access-reads.js'
import type { Position } from '../../ports/event-store.js'
import { IN_PROCESS_BATCH, type Projection } from '../../ports/projection.js'
import { presentAccess } from '../../projections/present-access.js'
import { isOfObject, readEvents } from '../../projections/read-events.js'
import { compareCodePoints } from '../../projections/row-order.js'
import type { Moment, RoleQuestion } from '../../projections/world.js'
import type { ReadError } from '../errors/errors.js'
import { catchFaults, Fault } from '../errors/fault.js'
import { catchUpToHead, type FollowedLog, isWorthRetrying, run } from '../following/catch-up.js'
import { appendSignal, LOG_OPTIONS } from '../following/log-pages.js'
import { type AccessCheck, judgeAccess, needsRoleOnResource } from '../grant-rules/judge-access.js'
import { isPosition, POSITION_IN_WORDS } from '../method/input.js'
import type { Runtime } from '../runtime.js'
import { raceAbort, within } from '../waiting.js'
import type { CheckAccessInput, Misread, QuestionFields } from './check-access.js'
import type { LiveScopesQuestion, Scope } from './scopes.js'

/** How live checks follow the log. */
export interface LiveOptions {
  /** Ends the live checks. After that, they refuse everything. */
  readonly signal: AbortSignal
  /**
   * How long the checks keep answering while the store does not respond, in milliseconds: 50 to 3,600,000. Default:
   * 5,000. The log is read at least four times in this time, and at least once a second.
   */
  readonly maxLag?: number | undefined
}

/** The input of `access.check` without `at`, and the organization of the user. */
export type LiveQuestion = CheckAccessInput & {
  /** The organization of the user. */
  readonly orgId: string
  /** Absent: live checks are always as of now. */
  readonly at?: never
}

/** The type of each field of a question, if it is given. */
interface LiveQuestionFields extends Omit<QuestionFields, 'at'> {
  readonly orgId: string
}

/** Checks the access of one user to one project. As in {@link AskAccess}, only `projectOrgId` and `resource` may be undefined. */
export type AskLive<Answer> = <Question extends LiveQuestion>(
  question: Question & Misread<Question, LiveQuestionFields>,
) => Answer

/**
 * Checks that answer at once from memory. For the host itself: they have no caller and need no permission. They include
 * every write of this `createIam`, and writes of others as soon as the store reports them. They refuse everything after
 * `maxLag` milliseconds without reading the log, and at once when an event cannot be read, the store has a bug or it has
 * lost events. They try again and recover.
 */
export interface LiveChecks {
  /**
   * Returns whether `check` allows the access.
   *
   * @throws TypeError when a field of the question is unknown or missing, `roleKey` or `permission` is undefined, or
   *   both are given
   */
  readonly can: AskLive<boolean>
  /**
   * Returns the result of `access.check`; a "no" with the reason `Stale` when the log cannot be followed. @throws as
   * `can`
   */
  readonly check: AskLive<AccessCheck>
  /**
   * Returns the scopes of `access.scopesOf`, all of them, in its order; none when the log cannot be followed. Takes as long
   * as a check for each project that the organization owns or was granted.
   *
   * @throws TypeError when a field of the question is unknown or missing, or not exactly one of `permission` and
   *   `roleKey` is given
   */
  readonly scopesOf: (question: LiveScopesQuestion) => readonly Scope[]
  /**
   * Returns those of `rows` for which `can` allows the access that `scopeOf` asks for, in their order.
   *
   * @example
   * const shown = live.filter(invoices, ({ projectId }) => ({ orgId, userId, projectId, permission: 'invoice.read' }))
   *
   * @throws as `can`
   */
  readonly filter: <Row>(
    rows: readonly Row[],
    scopeOf: (row: Row) => LiveQuestion,
  ) => readonly Row[]
  /** Position of the last event that the checks include. */
  readonly position: Position
  /**
   * Waits until the checks include the event at `position`, such as `details.sequence` of a write in another process.
   *
   * @returns the position reached; or `Unavailable` when the log cannot be read at the moment, the error of an event
   *   that cannot be read, or `Cancelled` when a signal aborts
   * @throws TypeError when the position is not one, or an option is unknown or of a wrong type
   */
  readonly reached: (
    position: Position,
    options?: {
      /** Ends the wait. */
      readonly signal?: AbortSignal | undefined
    },
  ) => ResultAsync<Position, ReadError>
  /**
   * Milliseconds since the checks were last known to be up to date: up to a second when nothing is written, `Infinity`
   * after the end, and while the log cannot be read for another reason than a store that does not respond.
   */
  readonly lag: number
}

const DEFAULT_MAX_LAG_MS = 5_000

/** How often the head of the log is read within `maxLag`, so that one late or failed read does not matter. */
const LOOKS = 4

/** Longest time that a write waits until live checks see it, in milliseconds. */
const LONGEST_WRITE_WAIT_MS = 1_000

/** @see AccessChecks.live */
export const followed = async (
  { store, hooks, now, recorded, environment }: Runtime,
  { signal, maxLag = DEFAULT_MAX_LAG_MS }: LiveOptions,
): Promise<Result<LiveChecks, ReadError>> => {
  let present = presentAccess()
  const appends = appendSignal({ store, environment }, maxLag / LOOKS)
  let position = 0n
  /** The head of the log that was last read. */
  let head = 0n
  /** When the log last had no event above `position`, by the environment's clock. */
  let atHead = Number.NEGATIVE_INFINITY
  /** The last write of this process that returned before it was seen here, and when it did. */
  let unseen = { position: 0n, at: 0 }
  let isReady = false
  /** Why the log cannot be read any more, or not until a retry. */
  let fault: ReadError | undefined
  let waiting: ((error: ReadError | undefined) => void)[] = []

  const refuse = (): void => {
    atHead = Number.NEGATIVE_INFINITY
  }
  /** A failover lost events that were applied here: the log is read again from its start. */
  const beginAgain = (): void => {
    refuse()
    present = presentAccess()
    position = 0n
  }
  const log: FollowedLog = {
    // With the event at `after`: if it is gone, later events of others may hide that from the head.
    readAll: async (after, limit) => {
      if (after === 0n) return store.readAll(after, limit)
      const [seen, ...events] = await store.readAll(after - 1n, limit + 1)
      if (seen === undefined || seen.position === after) return events
      beginAgain()
      throw new Error('The store has lost events: the log is read again from its start')
    },
    lastPosition: async () => {
      const before = position
      head = await store.lastPosition()
      if (head < before) beginAgain()
      return head
    },
  }
  const projection: Projection = {
    name: 'live-access',
    batchSize: IN_PROCESS_BATCH,
    checkpoint: async () => position,
    apply: async (from, events) => {
      if (from !== position) return false
      for (const event of readEvents(events)) {
        if (isOfObject(event)) present.apply(event)
        position = event.position
      }
      return true
    },
    reset: async () => {
      throw new Error('The live checks have ended: call access.live again')
    },
  }

  /** Waits until the event at `wanted` was applied. @throws Fault when the log cannot be read */
  const reach = async (wanted: Position): Promise<Position> => {
    if (position < wanted) appends.hint()
    while (position < wanted) {
      const error = fault ?? (await new Promise((resolve) => waiting.push(resolve)))
      if (error) throw new Fault(error)
    }
    return position
  }
  const isSeen = async (written: Position): Promise<boolean> => {
    const wait = () => within(environment, LONGEST_WRITE_WAIT_MS, reach(written))
    return isReady && (await catchFaults(async () => ok(await wait()))).isOk()
  }
  /** A write returns once it is seen here. If that takes too long, every check refuses until it is seen. */
  const awaitApplied = async (written: Position): Promise<void> => {
    if (!(await isSeen(written)) && written > unseen.position)
      unseen = { position: written, at: environment.elapsed() }
  }
  const isLate = (): boolean => environment.elapsed() - atHead > maxLag
  const isStale = (): boolean => isLate() || position < unseen.position

  const onPoll = (outcome: Result<Position, ReadError>, begin: number): void => {
    const error = outcome.isErr() ? outcome.error : undefined
    fault = error && !isWorthRetrying(error) ? error : undefined
    if (fault) refuse()
    else if (!error && position >= head && !signal.aborted) {
      atHead = begin
      // The log has no such write any more.
      if (begin > unseen.at) unseen = { position: 0n, at: 0 }
    }
    const woken = waiting
    waiting = []
    for (const resolve of woken) resolve(error)
  }
  const end = (error: ReadError): void => {
    refuse()
    recorded.delete(awaitApplied)
    signal.removeEventListener('abort', refuse)
    appends.end()
    onPoll(err(error), 0)
    fault = error
  }

  const read = (question: LiveQuestion) => {
    requireKnown(question)
    const { orgId, userId, projectId, projectOrgId = orgId, resource } = question
    return { orgId, userId, projectId, projectOrgId, resource }
  }
  const check = (query: AccessQuery, { roleKey, permission }: RoleQuestion): AccessCheck => {
    const isOwn = query.projectOrgId === query.orgId
    const question = { isOwn, roleKey, permission, now: now() }
    const found = present.access(query)
    if (!needsRoleOnResource(found, question)) return judgeAccess(found, question)
    const hasRoleOnResource = present.hasRoleOnResource(query, question)
    return judgeAccess(found, { ...question, hasRoleOnResource })
  }
  /** The time is asked for only if a role expires. */
  const moment: Moment = {
    get now() {
      return now()
    },
  }

  recorded.add(awaitApplied)
  signal.addEventListener('abort', refuse)
  const following = { signal, hooks, environment }
  // A first catch-up longer than `maxLag` ends out of date, so another one follows, which takes less time.
  let from = position
  do {
    const begin = environment.elapsed()
    from = position
    const caughtUp = await catchUpToHead(log, projection, following)
    if (caughtUp.isErr()) {
      end(caughtUp.error)
      return err(caughtUp.error)
    }
    onPoll(caughtUp, begin)
  } while (isLate() && position > from)
  isReady = true
  const running = run(log, projection, {
    ...following,
    method: 'access.live',
    appends,
    longestPoll: maxLag,
    retriesAll: true,
    onPoll,
  })
  running.finally(() => end({ kind: 'Cancelled' }))
  await awaitApplied(unseen.position)

  const can = (question: LiveQuestion): boolean => {
    const query = read(question)
    if (isStale()) return false
    return question.roleKey === undefined && question.permission === undefined
      ? check(query, question).allowed
      : present.hasRole(query, question, moment)
  }

  return ok({
    can,
    filter: (rows, scopeOf) => rows.filter((row) => can(scopeOf(row))),
    scopesOf: (question) => {
      const { projectId } = question
      requireScopes(question)
      if (isStale()) return []
      return present
        .scopesWith(question, question, moment)
        .filter((scope) => projectId === undefined || scope.projectId === projectId)
        .sort(byScope)
    },
    check: (question) => {
      const query = read(question)
      return isStale() ? stale() : check(query, question)
    },
    get position() {
      return position
    },
    get lag() {
      return environment.elapsed() - atHead
    },
    reached: (wanted, options = {}) => {
      checkOptions('reached', options, { optional: { signal: LOG_OPTIONS.signal } })
      if (!isPosition(wanted)) throw new TypeError(`position ${POSITION_IN_WORDS}`)
      return new ResultAsync(
        catchFaults(async () => ok(await raceAbort(reach(wanted), options.signal))),
      )
    },
  })
}

/** A "no" whose only reason is `Stale`. */
const stale = (): AccessCheck => ({
  allowed: false,
  roleKeys: [],
  permissions: [],
  reasons: [{ kind: 'Stale' }],
})

const byScope = (one: Scope, other: Scope): number =>
  compareCodePoints(one.projectOrgId, other.projectOrgId) ||
  compareCodePoints(one.projectId, other.projectId) ||
  compareCodePoints(one.resource ?? '', other.resource ?? '')

const SCOPES_FIELDS: KnownOptions = {
  required: { orgId: TEXT, userId: TEXT },
  optional: { roleKey: TEXT, permission: TEXT, projectId: TEXT },
}

/** @throws TypeError */
const requireScopes = (question: LiveScopesQuestion): void => {
  checkOptions('scopesOf', question, SCOPES_FIELDS)
  if ((question.roleKey === undefined) === (question.permission === undefined))
    throw new TypeError('scopesOf needs permission or roleKey, and takes one of them')
}

const FIELDS = new Set([
  ...['orgId', 'userId', 'projectId', 'projectOrgId', 'resource'],
  ...['roleKey', 'permission'],
])

/** @throws TypeError when the question is malformed, so that a different question would be answered */
const requireKnown = (question: LiveQuestion): void => {
  for (const field in question)
    if (!FIELDS.has(field))
      throw new TypeError(
        `A live check has no field ${field}: it has orgId, userId, projectId, projectOrgId, resource, roleKey and permission`,
      )
  const { orgId, userId, projectId, roleKey, permission } = question
  if (orgId === undefined || userId === undefined || projectId === undefined)
    throw new TypeError('A live check needs orgId, userId and projectId')
  if (roleKey !== undefined && permission !== undefined)
    throw new TypeError('permission must not be given with roleKey: make two checks')
  if (question.resource !== undefined && !isRequiredText(question.resource))
    throw new TypeError('resource must be 1 to 200 characters of text')
  const isLogin = roleKey === undefined && permission === undefined
  if (isLogin && ('roleKey' in question || 'permission' in question))
    throw new TypeError('roleKey and permission must not be undefined: leave them out')
}
