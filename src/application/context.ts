import { err, ok, type Result } from 'neverthrow'
import { isId, isRequiredText } from '../domain/values.js'
import type { Caller } from '../ports/authorize.js'
import type { Position } from '../ports/event-store.js'
import type { InvalidArgument, Unauthenticated, Violation } from './errors.js'
import type { Observer } from './observer.js'

/** Who calls, on whose objects, and how. `undefined` counts as absent everywhere. */
export interface Context {
  /** As the host authenticated them; absent, the call is refused as unauthenticated. */
  readonly caller: Caller | undefined
  /** Organization whose objects are meant; the caller's own when absent. Spec: Authentication. */
  readonly orgId?: string | undefined
  /** Refuses a write when the object's `details.sequence` is another one. */
  readonly expectedSequence?: Position | undefined
  /** 1 to 255 printable ASCII characters: a write repeated under the same key takes effect once. */
  readonly idempotencyKey?: string | undefined
  /** `true` decides a write without recording anything. */
  readonly dryRun?: false | undefined
  /**
   * `strong` (default): a read sees every write that completed before it began, in every process;
   * costs a question to the store and, if there is news, a catch-up. `eventual`: what is there.
   */
  readonly consistency?: 'strong' | 'eventual' | undefined
  /** What the host traces the request by; at most 255 characters, kept with the events. */
  readonly correlationId?: string | undefined
  /** Ends the call early; no effect once an append was sent. */
  readonly signal?: AbortSignal | undefined
}

/** A {@link Context} in which writes are decided on fresh state and not recorded. */
export interface DryRunContext extends Omit<Context, 'dryRun'> {
  readonly dryRun: true
}

/** Which method was called, and who watches. */
export interface Call {
  /** Such as `projects.add`. */
  readonly method: string
  /** Absent when the host has no hooks. */
  readonly observer?: Observer | undefined
}

/** A context that was found well-formed. */
export interface Session extends Call {
  readonly caller: Caller
  readonly orgId: string
  readonly expectedSequence: Position | undefined
  readonly idempotencyKey: string | undefined
  readonly dryRun: boolean
  readonly consistency: 'strong' | 'eventual'
  readonly correlationId: string | undefined
  readonly signal: AbortSignal | undefined
}

/** Fields of a context that some writes can make no sense of, and therefore refuse. */
export type Refused = 'expectedSequence' | 'idempotencyKey' | 'dryRun'

const PRINTABLE_ASCII = /^[\x20-\x7E]{1,255}$/

/** In code points, as all text is measured. */
const UP_TO_255 = /^.{0,255}$/su

const isCorrelationId = (value: unknown): boolean =>
  typeof value === 'string' &&
  UP_TO_255.test(value) &&
  value.isWellFormed() &&
  !value.includes('\0')

const isSignal = (value: unknown): boolean => value instanceof AbortSignal

/** What a field of a context must be when it is there. */
interface Form {
  readonly field: keyof Context & keyof Session
  readonly accepts: (value: unknown) => boolean
  readonly description: string
}

const FORMS: readonly Form[] = [
  { field: 'orgId', accepts: isId, description: 'must be the id of an organization' },
  {
    field: 'expectedSequence',
    accepts: (value) => typeof value === 'bigint' && value >= 0n,
    description: 'must be a bigint of at least 0',
  },
  {
    field: 'idempotencyKey',
    accepts: (value) => typeof value === 'string' && PRINTABLE_ASCII.test(value),
    description: 'must be 1 to 255 printable ASCII characters',
  },
  {
    field: 'dryRun',
    accepts: (value) => typeof value === 'boolean',
    description: 'must be true or false',
  },
  {
    field: 'consistency',
    accepts: (value) => value === 'strong' || value === 'eventual',
    description: "must be 'strong' or 'eventual'",
  },
  {
    field: 'correlationId',
    accepts: isCorrelationId,
    description: 'must be at most 255 characters of well-formed text',
  },
  { field: 'signal', accepts: isSignal, description: 'must be an AbortSignal' },
]

const violationsOf = (context: Context | DryRunContext): Violation[] => {
  const violations: Violation[] = []
  const { caller } = context
  if (!isRequiredText(caller?.userId))
    violations.push({ field: 'caller.userId', description: 'must be 1 to 200 characters' })
  if (!isId(caller?.orgId))
    violations.push({
      field: 'caller.orgId',
      description: 'must be the id of an organization',
    })
  for (const { field, accepts, description } of FORMS) {
    const value = context[field]
    if (value !== undefined && !accepts(value)) violations.push({ field, description })
  }
  return violations
}

/**
 * Checks a context as far as that can be done without asking anybody: that there is a caller, then
 * that its fields are well-formed and none of `refused`.
 */
export const openSession = (
  context: Context | DryRunContext | undefined | null,
  refused: readonly Refused[],
  { method, observer }: Call,
): Result<Session, Unauthenticated | InvalidArgument> => {
  const caller = context?.caller
  if (!context || caller === undefined || caller === null) return err({ kind: 'Unauthenticated' })
  const violations = violationsOf(context)
  for (const field of refused)
    if (context[field] !== undefined && context[field] !== false)
      violations.push({ field, description: 'is not accepted by this method' })
  if (violations.length > 0) return err({ kind: 'InvalidArgument', violations })
  return ok({
    method,
    observer,
    caller,
    orgId: context.orgId ?? caller.orgId,
    expectedSequence: context.expectedSequence,
    idempotencyKey: context.idempotencyKey,
    dryRun: context.dryRun ?? false,
    consistency: context.consistency ?? 'strong',
    correlationId: context.correlationId,
    signal: context.signal,
  })
}
