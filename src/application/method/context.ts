import { err, ok, type Result } from 'neverthrow'
import {
  fieldOf,
  ID_IN_WORDS,
  isId,
  isRequiredText,
  MAX_REPORTED,
  unstorable,
} from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { Caller } from '../../ports/host.js'
import {
  type InvalidArgument,
  invalid,
  type Unauthenticated,
  type Violation,
} from '../errors/errors.js'
import type { Observer } from '../hooks.js'
import { isPosition, LONGEST_NAME, POSITION_IN_WORDS } from './input.js'

interface AnyContext {
  /** The user, as the host authenticated them; when absent, the call is refused as unauthenticated. */
  readonly caller: Caller | undefined
  /**
   * Organization that owns the objects, 1 to 64 characters as in `caller`; the caller's own when
   * absent.
   */
  readonly orgId?: string | undefined
  /** Writes of one object only. The write is refused when the object's `details.sequence` differs. */
  readonly expectedSequence?: Position | undefined
  /**
   * Writes of one object only: 1 to 255 printable ASCII characters. A write is recorded at most once under a key; a
   * repeat answers what was recorded. A write that records nothing (it is refused, or changes nothing) does not use
   * up its key: a repeat is decided again. All callers of an organization share its keys, so draw them at random; keys
   * do not expire.
   */
  readonly idempotencyKey?: string | undefined
  /**
   * `strong` (default): a read sees every write that completed before it began, in every process; it costs
   * one query of the store and, when there are new events, a catch-up. `eventual`: the read model as it is;
   * `Unavailable` when it was never fed. Writes ignore it: they decide on the log.
   */
  readonly consistency?: 'strong' | 'eventual' | undefined
  /** Id by which the host traces the request; at most 255 characters, kept with the events. */
  readonly correlationId?: string | undefined
  /**
   * Writes only. Why the change is made: 1 to 500 characters (code points) of well-formed text, kept with the events and
   * shown by history. It stays in the log for ever. A repeat under an `idempotencyKey` may have another reason.
   */
  readonly reason?: string | undefined
  /** Ends the call early; an append that was sent is waited for, and stays recorded. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The caller, the organization and the options of a call. `undefined` counts as absent everywhere. A method refuses
 * unknown fields, so that a misspelt one is not ignored, and fields that it does not support: a read refuses those that
 * are for writes only.
 */
export interface Context extends AnyContext {
  /** `true` decides a write without recording it. */
  readonly dryRun?: false | undefined
}

/**
 * A {@link Context} in which writes are decided on fresh state and not recorded. The type of the answer depends
 * on `dryRun`, so its value has to be known to the compiler. For a flag that is only known at run time make two
 * calls: `dryRun ? add(input, { ...context, dryRun }) : add(input, context)`.
 */
export interface DryRunContext extends AnyContext {
  /** The write is decided as usual; nothing is recorded, and no idempotency key is used up. */
  readonly dryRun: true
}

/**
 * The context of a write: a {@link DryRunContext} where `dryRun` is `true`, otherwise a {@link Context}. A value
 * that may be either is not accepted.
 */
export type WriteContext<DryRun extends boolean> = Partial<Record<'dryRun', DryRun | undefined>> &
  ([DryRun] extends [true] ? DryRunContext : Context)

/** A {@link Context} of a call that may take long, and reports its progress. */
export interface LongContext<Progress> extends Context {
  /** The call rejects with what it throws; what was recorded by then stays. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** A call with a well-formed context. */
export interface AdmittedCall {
  /** Such as `projects.add`. */
  readonly method: string
  /** Absent when the host has no hooks. */
  readonly observer?: Observer | undefined
  /** The host's own object, for `authorize`: its fields may change during the call. */
  readonly caller: Caller
  /** `userId` of the caller when the call was made. */
  readonly actorId: string
  /** `orgId` of the caller when the call was made. */
  readonly actorOrgId: string
  readonly orgId: string
  readonly expectedSequence: Position | undefined
  readonly idempotencyKey: string | undefined
  readonly dryRun: boolean
  readonly consistency: 'strong' | 'eventual'
  readonly correlationId: string | undefined
  readonly reason: string | undefined
  readonly signal: AbortSignal | undefined
  /** Of a long write: receives its progress. */
  readonly onProgress?: unknown
}

/** Fields of a context that some methods do not support, and therefore refuse. */
export type Refused = 'expectedSequence' | 'idempotencyKey' | 'dryRun' | 'reason' | 'onProgress'

/** The context of any method. */
type ContextInput = (Context | DryRunContext) & { readonly onProgress?: unknown }

const FIELDS: Readonly<Record<keyof ContextInput, true>> = {
  caller: true,
  orgId: true,
  expectedSequence: true,
  idempotencyKey: true,
  dryRun: true,
  consistency: true,
  correlationId: true,
  reason: true,
  signal: true,
  onProgress: true,
}

/**
 * Checks a context without calling any port: first that there is a caller, then that its fields are known,
 * well-formed and none of `refused`.
 */
export const admit = (
  context: ContextInput | undefined | null,
  refused: readonly Refused[],
  { method, observer }: Pick<AdmittedCall, 'method' | 'observer'>,
): Result<AdmittedCall, Unauthenticated | InvalidArgument> => {
  try {
    if (!context) return err({ kind: 'Unauthenticated' })
    // Each field is read once: a getter could answer differently after the check.
    const { caller, orgId, expectedSequence, idempotencyKey, dryRun = false } = context
    if (caller === undefined || caller === null) return err({ kind: 'Unauthenticated' })
    const { consistency = 'strong', correlationId, reason, signal, onProgress } = context
    const { userId: actorId, orgId: actorOrgId } = caller
    const call: AdmittedCall = {
      method,
      observer,
      caller,
      actorId,
      actorOrgId,
      orgId: orgId === undefined ? actorOrgId : orgId,
      expectedSequence,
      idempotencyKey,
      dryRun,
      consistency,
      correlationId,
      reason,
      signal,
      onProgress,
    }
    const { check, violations } = newChecks()
    checkActor(check, actorId, actorOrgId)
    check(orgId === undefined || isId(orgId), 'orgId', AN_ID)
    checkOptions(check, call)
    for (const name of refused) {
      if (call[name] === undefined || call[name] === false) continue
      const isReported = violations.some(({ field }) => field === name)
      check(isReported, name, 'is not accepted by this method')
    }
    for (const field of Object.keys(context).filter(isUnknown).slice(0, MAX_REPORTED)) {
      const name = field.slice(0, LONGEST_NAME).toWellFormed()
      check(false, name, 'is not a known field of a context')
    }
    return violations.length > 0 ? err({ kind: 'InvalidArgument', violations }) : ok(call)
  } catch {
    return err(invalid('', 'the context must be readable: a property of it throws'))
  }
}

/** The violations that every method would report of `caller`; for code that makes callers. */
export const checkCaller = ({ userId, orgId }: Caller): readonly Violation[] => {
  const { check, violations } = newChecks()
  checkActor(check, userId, orgId)
  return violations
}

type Check = (isMet: boolean, field: string, description: string) => void

/** A check that adds to `violations` when it is not met. */
const newChecks = (): { readonly check: Check; readonly violations: readonly Violation[] } => {
  const violations: Violation[] = []
  const check: Check = (isMet, field, description) => {
    if (!isMet) violations.push({ field, description })
  }
  return { check, violations }
}

const AN_ID = `must be ${ID_IN_WORDS}`

const checkActor = (check: Check, userId: unknown, orgId: unknown): void => {
  const description = 'must be 1 to 200 characters of well-formed text'
  check(isRequiredText(userId), 'caller.userId', description)
  check(isId(orgId), 'caller.orgId', AN_ID)
}

const PRINTABLE_ASCII = /^[\x20-\x7E]{1,255}$/

/** In code points, like every length of text. */
const UP_TO_255 = /^.{0,255}$/su
const UP_TO_500 = /^.{1,500}$/su

// Every call takes this path. A loop over a table of rules would take ten times as long.
const checkOptions = (check: Check, call: AdmittedCall): void => {
  const { expectedSequence, idempotencyKey, dryRun, consistency } = call
  const { correlationId, reason, signal, onProgress } = call
  check(
    expectedSequence === undefined || isPosition(expectedSequence),
    'expectedSequence',
    POSITION_IN_WORDS,
  )
  check(
    idempotencyKey === undefined || isTextLike(idempotencyKey, PRINTABLE_ASCII),
    'idempotencyKey',
    'must be 1 to 255 printable ASCII characters',
  )
  check(typeof dryRun === 'boolean', 'dryRun', 'must be true or false')
  check(
    consistency === 'strong' || consistency === 'eventual',
    'consistency',
    "must be 'strong' or 'eventual'",
  )
  check(
    correlationId === undefined ||
      (isTextLike(correlationId, UP_TO_255) && unstorable(correlationId) === undefined),
    'correlationId',
    'must be at most 255 characters of well-formed text',
  )
  check(
    reason === undefined || (isTextLike(reason, UP_TO_500) && unstorable(reason) === undefined),
    'reason',
    'must be 1 to 500 characters of well-formed text',
  )
  check(isSignal(signal), 'signal', 'must be an AbortSignal')
  check(
    onProgress === undefined || typeof onProgress === 'function',
    'onProgress',
    'must be a function',
  )
}

const isTextLike = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value)

/** Whether `value` is undefined or has what is used of a signal: that of a request may be of another realm. */
export const isSignal = (value: unknown): boolean =>
  value === undefined ||
  (typeof fieldOf(value, 'aborted') === 'boolean' &&
    typeof fieldOf(value, 'addEventListener') === 'function' &&
    typeof fieldOf(value, 'removeEventListener') === 'function')

const isUnknown = (field: string): boolean => !Object.hasOwn(FIELDS, field)
