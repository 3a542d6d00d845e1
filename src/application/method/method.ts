import { err, type Result, ResultAsync } from 'neverthrow'
import type * as z from 'zod/mini'
import type { ObjectDetails } from '../../domain/aggregate.js'
import type { NotFound } from '../../domain/decider.js'
import { fieldOf, type Permission } from '../../domain/values.js'
import type { Affected } from '../../ports/access-reads.js'
import type { NewEvent, RecordedEvent } from '../../ports/event-store.js'
import type { Caller, Host, PermissionQuestion } from '../../ports/host.js'
import type { FieldChange } from '../../ports/read-model.js'
import type {
  IamError,
  PermissionDenied,
  ReadError,
  Violation,
  WriteError,
} from '../errors/errors.js'
import { errorOf, unavailable } from '../errors/fault.js'
import { type Hooks, type Observer, observed } from '../hooks.js'
import { fromPort, raceAbort } from '../waiting.js'
import {
  type AdmittedCall,
  admit,
  type Context,
  type DryRunContext,
  type LongContext,
  type Refused,
  type WriteContext,
} from './context.js'
import { readInput, type Target } from './input.js'

/**
 * A method that only reads. It refuses context fields that are for writes.
 *
 * @typeParam Also - errors that it returns besides {@link ReadError}
 */
export type Read<Input, Answer, Also = never> = (
  input: Input,
  context: Context,
) => ResultAsync<Answer, ReadError | Also>

/**
 * A method that changes one object; a dry run returns what it would change. One signature instead of two overloads, so
 * that the compiler reports errors in the input and editors show the documentation. Its errors are {@link WriteError}s;
 * the type says `IamError`, so that wrappers written for version 0.1 still compile.
 */
export type Write<Input, Ids> = <DryRun extends boolean = false>(
  input: Input,
  context: WriteContext<DryRun>,
) => ResultAsync<[DryRun] extends [true] ? Planned : Written & Ids, IamError>

/** A method that makes several appends. Each append is recorded completely or not at all. It has no dry run. */
export type BatchWrite<Input, Report> = (
  input: Input,
  context: Context,
) => ResultAsync<Report, WriteError>

/** A {@link BatchWrite} that may take long and reports its progress. */
export type LongWrite<Input, Progress, Report> = (
  input: Input,
  context: LongContext<Progress>,
) => ResultAsync<Report, WriteError>

/** The outcome of a write. */
export interface Written {
  /** Position, times and owner of the object after the write. */
  readonly details: ObjectDetails
  /** False if the write changed nothing; then no event was recorded. */
  readonly changed: boolean
  /** The recorded events, in order. */
  readonly events: readonly RecordedEvent[]
  /** Valid values of the input that are probably a mistake; absent without one. */
  readonly warnings?: readonly Violation[]
}

/** The outcome of a dry run: what the write would do. */
export interface Planned {
  /** False if the write would change nothing. */
  readonly changed: boolean
  /** The events that would be recorded, in order; generated ids and sealed values would differ. */
  readonly events: readonly NewEvent[]
  /**
   * The fields that would change, as history would show them; a secret shows only that it changes. For several objects,
   * a field has the path of its object in the input, such as `roles[0].displayName`.
   */
  readonly changes: readonly FieldChange[]
  /**
   * Position, times and owner of the object now; absent if it does not exist. If the idempotency key was used for the
   * same command, the `details` of its outcome, because a repeat would change nothing.
   */
  readonly details?: ObjectDetails
  /**
   * The roles that users would lose and gain. Absent if the write cannot change users' roles, or if the caller lacks
   * `user.grant.read` on the project and so may not see who has a role.
   */
  readonly impact?: Impact
  /** Valid values of the input that are probably a mistake; absent without one. */
  readonly warnings?: readonly Violation[]
}

/** The field of an outcome that has these warnings; none without one. */
export const warningsOf = (warnings: readonly Violation[] = []): Pick<Written, 'warnings'> =>
  warnings.length > 0 ? { warnings } : {}

/** The roles that users lose and gain by a write. */
export interface Impact {
  /** Roles that would stop counting. `first` has at most 20. */
  readonly loses: Affected
  /** Roles that would begin to count. `first` has at most 20. */
  readonly gains: Affected
}

/** Most roles that either side of an {@link Impact} names. */
export const MAX_NAMED = 20

/** The outcome of a write with the ids of its object, or of a dry run. */
export type Outcome<Ids> = (Written & Ids) | Planned

/** A permission that a call needs, with its object and roles; without an object, in the whole organization. */
export type NeededPermission = Pick<PermissionQuestion, 'permission' | 'object' | 'roleKeys'>

/** The parts of the host that a method needs for its checks. */
interface MethodHost extends Pick<Host, 'authorize' | 'environment'>, Partial<Pick<Host, 'store'>> {
  readonly hooks?: Hooks | undefined
  /** Answers in the place of the host for a caller of the library, if it has one. Absent otherwise. */
  readonly delegations?: { get(caller: Caller): Pick<Host, 'authorize'> | undefined }
  /** Adds to a refusal who granted the missing project. Absent without a read model. */
  readonly withGrantor?: WithGrantor
}

/** Returns a refusal with the organization that granted the missing project, if there is one. */
export type WithGrantor = (
  call: AdmittedCall,
  input: unknown,
  refusal: NotFound,
) => Promise<NotFound>

/** The checks of a method before it runs. */
export interface MethodSpec<Schema extends z.ZodMiniType> {
  /** Name of the method for the host, such as `projects.add`. */
  readonly method: string
  /** The caller needs all of them. */
  readonly permissions: readonly Permission[]
  /** Further permissions that depend on the input, which is parsed, or raw if malformed. */
  readonly permissionsFor?: (input: unknown, orgId: string) => readonly NeededPermission[]
  readonly schema: Schema
  /** The object of `permissions`, taken from the input, which is parsed, or raw if malformed. */
  readonly target?: Target
  /**
   * Whether an input may take seconds to parse. Then the permissions for the raw input are checked first, and those for
   * the parsed input after that.
   */
  readonly isLarge?: (input: unknown) => boolean
  /** Context fields that this write does not support, besides those that no method of its type supports. */
  readonly refuses?: readonly Refused[]
}

type Run<Schema extends z.ZodMiniType, Answer, Failure> = (
  call: AdmittedCall,
  input: z.output<Schema>,
) => Promise<Result<Answer, Failure>>

const ONE_APPEND_WRITES = ['expectedSequence', 'idempotencyKey', 'dryRun', 'inTransaction'] as const

/** Makes a {@link Read} of `run`. It ends as soon as the signal aborts. */
export const read = <Schema extends z.ZodMiniType, Answer, Also extends IamError = never>(
  host: MethodHost,
  spec: MethodSpec<Schema>,
  run: Run<Schema, Answer, ReadError | NoInfer<Also>>,
): Read<z.input<Schema>, Answer, Also> => {
  const checked = { ...spec, refuses: [...ONE_APPEND_WRITES, 'reason', 'onProgress'] as const }
  const raced: typeof run = (call, parsed) => raceAbort(run(call, parsed), call.signal)
  return (input, context) => begin(host, checked, { input, context, run: raced })
}

/** Makes a {@link Write} of `run`. */
export const write = <Schema extends z.ZodMiniType, Ids>(
  host: MethodHost,
  spec: MethodSpec<Schema>,
  run: Run<Schema, Outcome<Ids>, WriteError>,
): Write<z.input<Schema>, Ids> => {
  const checked = { ...spec, refuses: [...(spec.refuses ?? []), 'onProgress'] as const }
  type Input = z.input<Schema>
  function method(input: Input, context: DryRunContext): ResultAsync<Planned, WriteError>
  function method(input: Input, context: Context): ResultAsync<Written & Ids, WriteError>
  function method(
    input: Input,
    context: Context | DryRunContext,
  ): ResultAsync<Outcome<Ids>, WriteError> {
    return begin(host, checked, { input, context, run })
  }
  return method
}

/** Makes a {@link BatchWrite} of `run`. */
export const batchWrite = <Schema extends z.ZodMiniType, Report>(
  host: MethodHost,
  spec: MethodSpec<Schema>,
  run: Run<Schema, Report, WriteError>,
): BatchWrite<z.input<Schema>, Report> => {
  const checked = { ...spec, refuses: [...ONE_APPEND_WRITES, 'onProgress'] as const }
  return (input, context) => begin(host, checked, { input, context, run })
}

/** Makes a {@link LongWrite} of `run`. */
export const longWrite = <Schema extends z.ZodMiniType, Progress, Report>(
  host: MethodHost,
  spec: MethodSpec<Schema>,
  run: (
    call: AdmittedCall,
    input: z.output<Schema>,
    onProgress: LongContext<Progress>['onProgress'],
  ) => Promise<Result<Report, WriteError>>,
): LongWrite<z.input<Schema>, Progress, Report> => {
  const checked = { ...spec, refuses: ONE_APPEND_WRITES }
  return (input, context) =>
    begin(host, checked, {
      input,
      context,
      // Cast: it was checked to be a function, and the type of the context has its parameters.
      run: (call, parsed) => run(call, parsed, call.onProgress as typeof context.onProgress),
    })
}

interface Arguments<Schema extends z.ZodMiniType, Answer, Failure> {
  readonly input: unknown
  readonly context: Context | DryRunContext
  readonly run: Run<Schema, Answer, Failure>
  readonly observer?: Observer | undefined
}

type CheckedSpec<Schema extends z.ZodMiniType> = MethodSpec<Schema> &
  Required<Pick<MethodSpec<Schema>, 'refuses'>>

const begin = <Schema extends z.ZodMiniType, Answer, Failure extends IamError>(
  host: MethodHost,
  spec: CheckedSpec<Schema>,
  args: Arguments<Schema, Answer, Failure>,
): ResultAsync<Answer, Failure | ReadError> =>
  new ResultAsync(
    // Without hooks, a call saves this step.
    host.hooks
      ? observed(host, spec.method, (observer) => perform(host, spec, { ...args, observer }))
      : perform(host, spec, args),
  )

/**
 * Checks the context, then the permissions, then the input, in this order: without the permission a caller learns
 * neither what exists nor that the input is malformed. The input is read once, before `authorize`, so that the method
 * runs on the authorized input even if the caller changes it meanwhile. Awaits `authorize` only if it returns a
 * promise, because every call takes this path.
 */
const perform = async <Schema extends z.ZodMiniType, Answer, Failure>(
  host: MethodHost,
  spec: CheckedSpec<Schema>,
  { context, input, observer, run }: Arguments<Schema, Answer, Failure>,
): Promise<Result<Answer, Failure | ReadError>> => {
  try {
    const { method, schema, refuses } = spec
    const { transactions } = host.store ?? {}
    const admitted = admit(context, refuses, { method, observer, transactions })
    if (admitted.isErr()) return err(admitted.error)
    const call = admitted.value
    const { orgId, signal } = call
    const early = spec.isLarge?.(input) ? neededForMalformed(spec, input, orgId) : undefined
    for (const question of early ?? []) {
      const refusal = await refusePermission(host, call, question)
      if (refusal) return err(refusal)
    }
    const parsed = readInput(schema, input)
    const needed = parsed.isOk()
      ? neededFor(spec, parsed.value, orgId)
      : neededForMalformed(spec, input, orgId)
    for (const question of early ? notIn(early, needed) : needed) {
      const denied = refusePermission(host, call, question)
      const refusal = denied instanceof Promise ? await denied : denied
      if (refusal) return err(refusal)
    }
    if (parsed.isErr()) return err(parsed.error())
    if (signal?.aborted) return err({ kind: 'Cancelled' })
    const answer = await run(call, parsed.value)
    return host.withGrantor && answer.isErr() && isNotFound(answer.error)
      ? err(await host.withGrantor(call, parsed.value, answer.error))
      : answer
  } catch (thrown) {
    return err(errorOf(thrown))
  }
}

const isNotFound = (error: unknown): error is NotFound => fieldOf(error, 'kind') === 'NotFound'

const notIn = (
  checked: readonly NeededPermission[],
  needed: readonly NeededPermission[],
): readonly NeededPermission[] => {
  const known = new Set(checked.map((question) => JSON.stringify(question)))
  return needed.filter((question) => !known.has(JSON.stringify(question)))
}

const neededFor = (
  { permissions, permissionsFor, target }: MethodSpec<z.ZodMiniType>,
  input: unknown,
  orgId: string,
): readonly NeededPermission[] => {
  const object = target?.(input, orgId)
  const needed = permissions.map((permission) => (object ? { permission, object } : { permission }))
  return permissionsFor ? [...needed, ...permissionsFor(input, orgId)] : needed
}

/** A malformed input that cannot be read names no object. */
const neededForMalformed = (
  spec: MethodSpec<z.ZodMiniType>,
  input: unknown,
  orgId: string,
): readonly NeededPermission[] => {
  try {
    return neededFor(spec, input, orgId)
  } catch {
    return neededFor(spec, undefined, orgId)
  }
}

/** Calls `authorize` and refuses the call unless it allows it. Synchronous if `authorize` is. */
export const refusePermission = (
  host: MethodHost,
  call: AdmittedCall,
  question: NeededPermission,
): PermissionDenied | undefined | Promise<PermissionDenied | undefined> => {
  const answer = isPermitted(host, call, question)
  return typeof answer === 'boolean'
    ? refusalOf(answer, call, question)
    : raceAbort(answer, call.signal).then((isAllowed) => refusalOf(isAllowed, call, question))
}

const refusalOf = (
  isAllowed: boolean,
  { orgId }: AdmittedCall,
  { permission, object }: NeededPermission,
): PermissionDenied | undefined => {
  if (isAllowed === true) return undefined
  const refusal: PermissionDenied = { kind: 'PermissionDenied', permission, orgId }
  return object ? Object.defineProperty(refusal, 'object', { value: object }) : refusal
}

/** Calls `authorize`. Synchronous if `authorize` is, as in most hosts. */
export const isPermitted = (
  host: MethodHost,
  { caller, orgId }: AdmittedCall,
  needed: NeededPermission,
): boolean | Promise<boolean> => {
  try {
    const { authorize } = host.delegations?.get(caller) ?? host
    const answer = authorize({ caller, orgId, ...needed })
    return typeof answer === 'boolean' ? answer : fromPort(() => answer)
  } catch (cause) {
    throw unavailable(cause, 'not_recorded')
  }
}
