import { err, ok, type Result } from 'neverthrow'
import { fieldOf } from '../../domain/field-of.js'
import { ID_IN_WORDS, isId, isRequiredText, MAX_REPORTED, unstorable } from '../../domain/values.js'
import type { Caller } from '../../ports/authorize.js'
import type { Position } from '../../ports/event-store.js'
import {
  type InvalidArgument,
  invalid,
  type Unauthenticated,
  type Violation,
} from '../errors/errors.js'
import type { Observer } from '../observing/observer.js'
import { isPosition, POSITION_IN_WORDS } from './bounds.js'
import { LONGEST_NAME } from './violations.js'

interface AnyContext {
  /** As the host authenticated them; absent, the call is refused as unauthenticated. */
  readonly caller: Caller | undefined
  /**
   * Organization whose objects are meant, 1 to 64 characters as in `caller`; the caller's own when
   * absent. Spec: Authentication.
   */
  readonly orgId?: string | undefined
  /** Refuses a write when the object's `details.sequence` is another one. */
  readonly expectedSequence?: Position | undefined
  /**
   * 1 to 255 printable ASCII characters: a write is recorded at most once under a key, and repeated, answers
   * what it recorded. What recorded nothing (a refusal, or a write that changed nothing) uses up no key: repeated,
   * it is decided anew. The key is one for all callers of the organization and for ever, so draw it at random.
   */
  readonly idempotencyKey?: string | undefined
  /**
   * `strong` (default): a read sees every write that completed before it began, in every process;
   * costs a question to the store and, if there is news, a catch-up. `eventual`: what is there;
   * `Unavailable` when nothing is, since nobody has fed the read model yet.
   */
  readonly consistency?: 'strong' | 'eventual' | undefined
  /** What the host traces the request by; at most 255 characters, kept with the events. */
  readonly correlationId?: string | undefined
  /** Ends the call early; an append that was sent is waited for, and stands. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Who calls, on whose objects, and how. `undefined` counts as absent everywhere. Any other property of the
 * object itself is refused, so that a misspelt one is not ignored.
 */
export interface Context extends AnyContext {
  /** `true` decides a write without recording anything. */
  readonly dryRun?: false | undefined
}

/**
 * A {@link Context} in which writes are decided on fresh state and not recorded. What is answered goes by
 * `dryRun`, so the compiler has to know it. A flag that is known only at run time tells which of two
 * calls is made: `dryRun ? add(input, { ...context, dryRun }) : add(input, context)`.
 */
export interface DryRunContext extends AnyContext {
  /** The write is decided as it would be without it; nothing is recorded, no idempotency key used up. */
  readonly dryRun: true
}

/**
 * The context of a write: a {@link DryRunContext} where `dryRun` is `true`, else a {@link Context}. What
 * may be either is neither.
 */
export type WriteContext<DryRun extends boolean> = Partial<Record<'dryRun', DryRun | undefined>> &
  ([DryRun] extends [true] ? DryRunContext : Context)

/** Which method was called, and who watches. */
export interface Call {
  /** Such as `projects.add`. */
  readonly method: string
  /** Absent when the host has no hooks. */
  readonly observer?: Observer | undefined
}

/** A context that was found well-formed. */
export interface AdmittedCall extends Call {
  /** The host's own object, for `authorize`: what it says may change while the call waits. */
  readonly caller: Caller
  /** Who acts, as the caller was when the call was made. */
  readonly actorId: string
  readonly actorOrgId: string
  readonly orgId: string
  readonly expectedSequence: Position | undefined
  readonly idempotencyKey: string | undefined
  readonly dryRun: boolean
  readonly consistency: 'strong' | 'eventual'
  readonly correlationId: string | undefined
  readonly signal: AbortSignal | undefined
  /** Of a method that takes long; takes its progress. */
  readonly onProgress?: unknown
}

/** Fields of a context that some writes can make no sense of, and therefore refuse. */
export type Refused = 'expectedSequence' | 'idempotencyKey' | 'dryRun'

/** The context of any method; some have to be told how to report how far they are. */
type GivenContext = (Context | DryRunContext) & { readonly onProgress?: unknown }

const PRINTABLE_ASCII = /^[\x20-\x7E]{1,255}$/

/** In code points, as all text is measured. */
const UP_TO_255 = /^.{0,255}$/su

type GivenField = keyof GivenContext

const FIELDS: Readonly<Record<GivenField, true>> = {
  caller: true,
  orgId: true,
  expectedSequence: true,
  idempotencyKey: true,
  dryRun: true,
  consistency: true,
  correlationId: true,
  signal: true,
  onProgress: true,
}

const violationsOf = (context: Copied): Violation[] => {
  const { userId, callerOrgId, orgId, expectedSequence, idempotencyKey } = context
  const { dryRun, consistency, correlationId, signal, onProgress } = context
  const violations: Violation[] = []
  // Every call of every method takes this path; a table of rules that is looped over costs ten times as much.
  const check = (isMet: boolean, field: string, description: string): void => {
    if (!isMet) violations.push({ field, description })
  }
  violations.push(...callerViolations(userId, callerOrgId))
  check(orgId === undefined || isId(orgId), 'orgId', AN_ID)
  check(
    expectedSequence === undefined || isPosition(expectedSequence),
    'expectedSequence',
    POSITION_IN_WORDS,
  )
  check(isKey(idempotencyKey), 'idempotencyKey', 'must be 1 to 255 printable ASCII characters')
  check(isOneOf(dryRun, true, false), 'dryRun', 'must be true or false')
  check(isOneOf(consistency, 'strong', 'eventual'), 'consistency', "must be 'strong' or 'eventual'")
  check(
    isCorrelationId(correlationId),
    'correlationId',
    'must be at most 255 characters of well-formed text',
  )
  check(isSignal(signal), 'signal', 'must be an AbortSignal')
  check(
    onProgress === undefined || typeof onProgress === 'function',
    'onProgress',
    'must be a function',
  )
  return violations
}

const AN_ID = `must be ${ID_IN_WORDS}`

const NO_VIOLATIONS: readonly Violation[] = []

const callerViolations = (userId: unknown, orgId: unknown): readonly Violation[] => {
  const isUserFine = isRequiredText(userId)
  const isOrganizationFine = isId(orgId)
  if (isUserFine && isOrganizationFine) return NO_VIOLATIONS
  const description = 'must be 1 to 200 characters of well-formed text'
  return [
    ...(isUserFine ? [] : [{ field: 'caller.userId', description }]),
    ...(isOrganizationFine ? [] : [{ field: 'caller.orgId', description: AN_ID }]),
  ]
}

/** What every method would find wrong with `caller`; empty when it is well-formed. For those who make callers. */
export const checkCaller = ({ userId, orgId }: Caller): readonly Violation[] =>
  callerViolations(userId, orgId)

const isKey = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && PRINTABLE_ASCII.test(value))

const isOneOf = (value: unknown, one: unknown, other: unknown): boolean =>
  value === undefined || value === one || value === other

/** Whether `value` is a signal or absent, by what is used of it: that of a request may be of another realm. */
export const isSignal = (value: unknown): boolean =>
  value === undefined ||
  (typeof fieldOf(value, 'aborted') === 'boolean' &&
    typeof fieldOf(value, 'addEventListener') === 'function' &&
    typeof fieldOf(value, 'removeEventListener') === 'function')

const isCorrelationId = (value: unknown): boolean =>
  value === undefined ||
  (typeof value === 'string' && UP_TO_255.test(value) && unstorable(value) === undefined)

/** A context of which every field was read once: a getter cannot answer differently after the check. */
interface Copied extends Omit<GivenContext, 'caller'> {
  readonly caller: Caller
  readonly userId: string
  readonly callerOrgId: string
}

/** Undefined when the context names no caller. */
const copyOf = (context: GivenContext | undefined | null): Copied | undefined => {
  if (!context) return undefined
  const { caller, orgId, expectedSequence, idempotencyKey, dryRun, consistency } = context
  if (caller === undefined || caller === null) return undefined
  const { correlationId, signal, onProgress } = context
  const { userId, orgId: callerOrgId } = caller
  const options = { orgId, expectedSequence, idempotencyKey, dryRun, consistency }
  return { caller, userId, callerOrgId, ...options, correlationId, signal, onProgress }
}

const unknownFieldsOf = (context: object): readonly Violation[] =>
  Object.keys(context)
    .filter((field) => !Object.hasOwn(FIELDS, field))
    .slice(0, MAX_REPORTED)
    .map((field) => ({
      field: field.slice(0, LONGEST_NAME).toWellFormed(),
      description: 'is not a known field of a context',
    }))

/**
 * Checks a context as far as that can be done without asking anybody: that there is a caller, then
 * that its fields are known, well-formed and none of `refused`.
 */
export const admit = (
  context: GivenContext | undefined | null,
  refused: readonly Refused[],
  { method, observer }: Call,
): Result<AdmittedCall, Unauthenticated | InvalidArgument> => {
  try {
    const given = copyOf(context)
    if (!given || !context) return err({ kind: 'Unauthenticated' })
    const violations = violationsOf(given)
    for (const field of refused)
      if (given[field] !== undefined && given[field] !== false)
        violations.push({ field, description: 'is not accepted by this method' })
    violations.push(...unknownFieldsOf(context))
    if (violations.length > 0) return err({ kind: 'InvalidArgument', violations })
    return ok(admittedCall(given, { method, observer }))
  } catch {
    return err(invalid('', 'the context must be readable: a property of it throws'))
  }
}

const admittedCall = (
  { userId, callerOrgId, orgId = callerOrgId, dryRun = false, ...given }: Copied,
  { method, observer }: Call,
): AdmittedCall => ({
  method,
  observer,
  caller: given.caller,
  actorId: userId,
  actorOrgId: callerOrgId,
  orgId,
  expectedSequence: given.expectedSequence,
  idempotencyKey: given.idempotencyKey,
  dryRun,
  consistency: given.consistency ?? 'strong',
  correlationId: given.correlationId,
  signal: given.signal,
  onProgress: given.onProgress,
})
