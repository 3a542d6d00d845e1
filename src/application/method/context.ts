import { err, ok, type Result } from 'neverthrow'
import { SIGNAL } from '../../check-options.js'
import {
  fieldOf,
  ID_IN_WORDS,
  isId,
  isRequiredText,
  MAX_REPORTED,
  type OrgId,
  unstorable,
} from '../../domain/values.js'
import type { InTransaction, Position } from '../../ports/event-store.js'
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
  /** The user, as the host authenticated them. Undefined: the call is refused as `Unauthenticated`. */
  readonly caller: Caller | undefined
  /**
   * Organization that owns the objects: 1 to 64 characters as in `caller`. Default: the caller's own. The caller needs
   * the permissions in this organization.
   */
  readonly orgId?: string | undefined
  /**
   * Only for writes of one object. The write is refused as `SequenceMismatch` when the object's `details.sequence`
   * differs.
   */
  readonly expectedSequence?: Position | undefined
  /**
   * Only for writes of one object: 1 to 255 printable ASCII characters. A write is recorded at most once under a key,
   * and a repeat returns the recorded outcome. A write that records nothing (because it is refused or changes nothing)
   * does not use its key: a repeat is decided again. All callers of an organization share its keys, so make them
   * random. Keys do not expire.
   */
  readonly idempotencyKey?: string | undefined
  /**
   * `strong` (default): a read sees every write that completed before it began, in every process. It costs one query of
   * the store and, if there are new events, a catch-up. `eventual`: reads the read model as it is; `Unavailable` if it
   * has never been updated. Writes ignore this option, because they decide on the log.
   */
  readonly consistency?: 'strong' | 'eventual' | undefined
  /** The host's id of the request, for tracing: at most 255 characters, stored with the events. */
  readonly correlationId?: string | undefined
  /**
   * Only for writes: why the change is made, 1 to 500 characters (code points) of well-formed text. It is stored with
   * the events and shown by history; it stays in the log forever. A repeat under an `idempotencyKey` may have another
   * reason.
   */
  readonly reason?: string | undefined
  /** Ends the call early. If an append was sent already, the call waits for it, and it stays recorded. */
  readonly signal?: AbortSignal | undefined
  /**
   * Only for writes of one append, on PostgreSQL, SQLite and Durable Objects: a function that writes your own rows in
   * the transaction that records the events. Both are committed or neither. Make it with `inTransaction` of the
   * subpath of your store.
   *
   * The function runs once the write is decided, and again after a lost race, so it must only write rows. It also runs
   * for a write that changes nothing; not for a refused write, or for a repeat under an `idempotencyKey` that was
   * recorded. If it throws, nothing is recorded and the call rejects with the value thrown, unless another call under
   * the same key has been recorded meanwhile: its outcome is then returned.
   */
  readonly inTransaction?: InTransaction | undefined
}

/**
 * The caller, the organization and the options of a call. `undefined` counts as absent everywhere. A method refuses
 * unknown fields, and fields that it does not support: reads refuse fields for writes.
 */
export interface Context extends AnyContext {
  /** `true` makes a dry run: the write is decided but not recorded. */
  readonly dryRun?: false | undefined
}

/**
 * A {@link Context} for a dry run: writes are decided on fresh state and not recorded. The type of the outcome depends
 * on `dryRun`, so the compiler must know its value. For a flag that is only known at run time, make two calls:
 * `dryRun ? add(input, { ...context, dryRun }) : add(input, context)`.
 */
export interface DryRunContext extends AnyContext {
  /** The write is decided as usual, but nothing is recorded and no idempotency key is used. */
  readonly dryRun: true
}

/**
 * The context of a write: a {@link DryRunContext} if `dryRun` is `true`, otherwise a {@link Context}. A value that may
 * be either does not compile.
 */
export type WriteContext<DryRun extends boolean> = Partial<Record<'dryRun', DryRun | undefined>> &
  ([DryRun] extends [true] ? DryRunContext : Context)

/** A {@link Context} of a call that may take long and reports its progress. */
export interface LongContext<Progress> extends Context {
  /** If it throws, the call rejects with the error; events recorded by then stay. */
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
  readonly orgId: OrgId
  readonly expectedSequence: Position | undefined
  readonly idempotencyKey: string | undefined
  readonly dryRun: boolean
  readonly consistency: 'strong' | 'eventual'
  readonly correlationId: string | undefined
  readonly reason: string | undefined
  readonly signal: AbortSignal | undefined
  readonly inTransaction: InTransaction | undefined
  /** Receives the progress of a long write. */
  readonly onProgress?: unknown
}

/** Fields of a context that some methods do not support, and therefore refuse. */
export type Refused =
  | 'expectedSequence'
  | 'idempotencyKey'
  | 'dryRun'
  | 'reason'
  | 'inTransaction'
  | 'onProgress'

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
  inTransaction: true,
  onProgress: true,
}

/**
 * Checks a context without calling any port: first that there is a caller, then that its fields are known, well-formed
 * and supported.
 */
export const admit = (
  context: ContextInput | undefined | null,
  refused: readonly Refused[],
  { method, observer, transactions }: AdmittedBy,
): Result<AdmittedCall, Unauthenticated | InvalidArgument> => {
  try {
    if (!context) return err({ kind: 'Unauthenticated' })
    // Each field is read once: a getter could answer differently after the check.
    const { caller, orgId, expectedSequence, idempotencyKey, dryRun = false } = context
    if (caller === undefined || caller === null) return err({ kind: 'Unauthenticated' })
    const { consistency = 'strong', correlationId, reason, signal, onProgress } = context
    const { inTransaction } = context
    const { userId: actorId, orgId: actorOrgId } = caller
    const call: AdmittedCall = {
      method,
      observer,
      caller,
      actorId,
      actorOrgId,
      // Brand: it is checked before the call is admitted.
      orgId: (orgId === undefined ? actorOrgId : orgId) as OrgId,
      expectedSequence,
      idempotencyKey,
      dryRun,
      consistency,
      correlationId,
      reason,
      signal,
      inTransaction,
      onProgress,
    }
    const { check, violations } = newChecks()
    checkActor(check, actorId, actorOrgId)
    check(orgId === undefined || isId(orgId), 'orgId', AN_ID)
    checkOptions(check, call)
    if (inTransaction !== undefined) checkInTransaction(check, call, transactions)
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

/** What a call is admitted with. @property transactions - the kind of transactions that the store runs */
interface AdmittedBy extends Pick<AdmittedCall, 'method' | 'observer'> {
  readonly transactions?: string | undefined
}

const checkInTransaction = (
  check: Check,
  { inTransaction, dryRun }: AdmittedCall,
  transactions: string | undefined,
): void => {
  const kind = fieldOf(inTransaction, 'transactions')
  const isMade = typeof kind === 'string' && typeof fieldOf(inTransaction, 'run') === 'function'
  const field = 'inTransaction'
  if (!isMade) check(false, field, 'must be made by inTransaction of the subpath of your store')
  else if (transactions === undefined)
    check(false, field, 'is not accepted: the store cannot write rows of the host')
  else if (kind !== transactions)
    check(false, field, `is for a store of ${kind.slice(0, LONGEST_NAME)}, not of ${transactions}`)
  else check(!dryRun, field, 'is not accepted by a dry run')
}

/** The violations that every method would report about `caller`; for code that makes callers. */
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

const [looksLikeSignal] = SIGNAL

/** Whether `value` is undefined or looks like a signal. */
export const isSignal = (value: unknown): boolean => value === undefined || looksLikeSignal(value)

const isUnknown = (field: string): boolean => !Object.hasOwn(FIELDS, field)
