import { err, type Result, ResultAsync } from 'neverthrow'
import type * as z from 'zod/mini'
import type { Permission } from '../../domain/values.js'
import type { Affected } from '../../ports/access-reads.js'
import type { NewEvent, RecordedEvent } from '../../ports/event-store.js'
import type { Host, PermissionQuestion } from '../../ports/host.js'
import type { FieldChange, ObjectDetails } from '../../ports/read-model.js'
import type { IamError, PermissionDenied, ReadError, WriteError } from '../errors/errors.js'
import { errorOf, fromPort, unavailable } from '../errors/fault.js'
import { type Hooks, type Observer, observed } from '../hooks.js'
import { raceAbort } from '../waiting.js'
import {
  type AdmittedCall,
  admit,
  type Context,
  type DryRunContext,
  type LongContext,
  type Refused,
  type WriteContext,
} from './context.js'
import { readInput } from './input.js'
import type { Target } from './target.js'

/**
 * A method that only reads. It refuses the fields of a context that are for writes.
 *
 * @typeParam Also - errors that it answers with besides a {@link ReadError}
 */
export type Read<Input, Answer, Also = never> = (
  input: Input,
  context: Context,
) => ResultAsync<Answer, ReadError | Also>

/**
 * A method that changes one object; a dry run answers what it would change. One signature instead of two
 * overloads, so that a compiler reports what is wrong with the input, and an editor shows the documentation. It answers
 * with a {@link WriteError}; its type says `IamError`, so that wrappers which hosts of 0.1 wrote keep compiling.
 */
export type Write<Input, Ids> = <DryRun extends boolean = false>(
  input: Input,
  context: WriteContext<DryRun>,
) => ResultAsync<[DryRun] extends [true] ? Planned : Written & Ids, IamError>

/** A method that makes several appends; each is recorded in full or not at all. It has no dry run. */
export type BatchWrite<Input, Report> = (
  input: Input,
  context: Context,
) => ResultAsync<Report, WriteError>

/** A {@link BatchWrite} that may take long, and reports its progress. */
export type LongWrite<Input, Progress, Report> = (
  input: Input,
  context: LongContext<Progress>,
) => ResultAsync<Report, WriteError>

/** What a write did. */
export interface Written {
  /** The object after the write. */
  readonly details: ObjectDetails
  /** False when the write changes nothing; then no event was recorded. */
  readonly changed: boolean
  /** As recorded, in order. */
  readonly events: readonly RecordedEvent[]
}

/** What a write would do: the answer of a dry run. */
export interface Planned {
  /** False when the write would change nothing. */
  readonly changed: boolean
  /** As they would be recorded, in order, except generated ids and sealed values. */
  readonly events: readonly NewEvent[]
  /**
   * The fields that would change, as history would show them: of a secret only that it changes. Of several objects,
   * each field with the place of its object in the input, such as `roles[0].displayName`.
   */
  readonly changes: readonly FieldChange[]
  /**
   * The object as it is now; absent when it does not exist. When the idempotency key was used for the same
   * command: as that was answered, since a repeat would change nothing.
   */
  readonly details?: ObjectDetails
  /**
   * The roles of users that would stop counting, and begin to count. Absent of a write that can do neither, and where the
   * caller lacks `user.grant.read` on the project: a caller who may not ask who has a role does not learn it here.
   */
  readonly impact?: Impact
}

/** The roles of users that a write ends and begins, of those that count at this moment. */
export interface Impact {
  /** Those that would stop counting. `first` has at most 20. */
  readonly loses: Affected
  /** Those that would begin to count. `first` has at most 20. */
  readonly gains: Affected
}

/** Most roles that either side of an {@link Impact} names. */
export const MAX_NAMED = 20

/** The answer of a write: what it did, with the ids of its object, or what it would do. */
export type Outcome<Ids> = (Written & Ids) | Planned

/** A permission that a call needs, and on which object and roles; without an object, in the whole organization. */
export type NeededPermission = Pick<PermissionQuestion, 'permission' | 'object' | 'roleKeys'>

/** What a method needs of its host for the checks. */
interface MethodHost extends Pick<Host, 'authorize' | 'environment'> {
  readonly hooks?: Hooks | undefined
}

/** What a method checks before it runs. */
export interface MethodSpec<Schema extends z.ZodMiniType> {
  /** Name of the method for the host, such as `projects.add`. */
  readonly method: string
  /** All are needed. */
  readonly permissions: readonly Permission[]
  /** Further permissions, where they depend on the input: parsed, or as given when it is malformed. */
  readonly permissionsFor?: (input: unknown, orgId: string) => readonly NeededPermission[]
  readonly schema: Schema
  /** The object of `permissions`, from the input: parsed, or as given when it is malformed. */
  readonly target?: Target
  /**
   * Whether an input may take seconds to parse. The permissions for it as it was given are then asked about first, and
   * those for what was parsed afterwards.
   */
  readonly isLarge?: (input: unknown) => boolean
  /** Fields of the context that this write does not support, besides those that no method of its type supports. */
  readonly refuses?: readonly Refused[]
}

type Run<Schema extends z.ZodMiniType, Answer, Failure> = (
  call: AdmittedCall,
  input: z.output<Schema>,
) => Promise<Result<Answer, Failure>>

const ONE_OBJECT_WRITES = ['expectedSequence', 'idempotencyKey', 'dryRun'] as const

/** Makes a {@link Read} of `run`. It ends as soon as the signal aborts. */
export const read = <Schema extends z.ZodMiniType, Answer, Also extends IamError = never>(
  host: MethodHost,
  spec: MethodSpec<Schema>,
  run: Run<Schema, Answer, ReadError | NoInfer<Also>>,
): Read<z.input<Schema>, Answer, Also> => {
  const checked = { ...spec, refuses: [...ONE_OBJECT_WRITES, 'reason', 'onProgress'] as const }
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
  const checked = { ...spec, refuses: [...ONE_OBJECT_WRITES, 'onProgress'] as const }
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
  const checked = { ...spec, refuses: ONE_OBJECT_WRITES }
  return (input, context) =>
    begin(host, checked, {
      input,
      context,
      // Cast: it was checked to be a function, and the type of the context says what it takes.
      run: (call, parsed) => run(call, parsed, call.onProgress as typeof context.onProgress),
    })
}

interface Arguments<Schema extends z.ZodMiniType, Answer, Failure> {
  readonly input: unknown
  readonly context: Context | DryRunContext
  readonly run: Run<Schema, Answer, Failure>
  readonly observer?: Observer
}

type CheckedSpec<Schema extends z.ZodMiniType> = MethodSpec<Schema> &
  Required<Pick<MethodSpec<Schema>, 'refuses'>>

const begin = <Schema extends z.ZodMiniType, Answer, Failure extends IamError>(
  host: MethodHost,
  spec: CheckedSpec<Schema>,
  given: Arguments<Schema, Answer, Failure>,
): ResultAsync<Answer, Failure | ReadError> =>
  new ResultAsync(
    host.hooks
      ? observed({ ...host, hooks: host.hooks }, spec.method, (observer) =>
          perform(host, spec, { ...given, observer }),
        )
      : perform(host, spec, given),
  )

/**
 * Checks the context, then the permissions, then the input, in this order: without the permission a caller does not
 * learn what exists, and not even that the input is malformed. The input is read once, before `authorize`, so that
 * the method runs on what was authorized, also when the input changes meanwhile. Awaits `authorize` only when
 * it answers with a promise, since every call takes this path.
 */
const perform = async <Schema extends z.ZodMiniType, Answer, Failure>(
  host: MethodHost,
  spec: CheckedSpec<Schema>,
  { context, input, observer, run }: Arguments<Schema, Answer, Failure>,
): Promise<Result<Answer, Failure | ReadError>> => {
  try {
    const { method, schema, refuses } = spec
    const admitted = admit(context, refuses, { method, observer })
    if (admitted.isErr()) return err(admitted.error)
    const call = admitted.value
    const { orgId, signal } = call
    const early = spec.isLarge?.(input) ? neededForMalformed(spec, input, orgId) : []
    for (const question of early) {
      const refusal = await refusePermission(host, call, question)
      if (refusal) return err(refusal)
    }
    const given = readInput(schema, input)
    const needed = given.isOk()
      ? neededFor(spec, given.value, orgId)
      : neededForMalformed(spec, input, orgId)
    for (const question of notIn(early, needed)) {
      const denied = refusePermission(host, call, question)
      const refusal = denied instanceof Promise ? await denied : denied
      if (refusal) return err(refusal)
    }
    if (given.isErr()) return err(given.error())
    if (signal?.aborted) return err({ kind: 'Cancelled' })
    return await run(call, given.value)
  } catch (thrown) {
    return err(errorOf(thrown))
  }
}

const notIn = (
  asked: readonly NeededPermission[],
  needed: readonly NeededPermission[],
): readonly NeededPermission[] => {
  if (asked.length === 0) return needed
  const known = new Set(asked.map((question) => JSON.stringify(question)))
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

/** Asks the host, and refuses the call unless it answers yes. Answers synchronously where the host does. */
export const refusePermission = (
  host: MethodHost,
  call: AdmittedCall,
  question: NeededPermission,
): PermissionDenied | undefined | Promise<PermissionDenied | undefined> => {
  const { permission } = question
  const refusalOf = (isAllowed: boolean): PermissionDenied | undefined => {
    if (isAllowed === true) return undefined
    const refusal: PermissionDenied = { kind: 'PermissionDenied', permission, orgId: call.orgId }
    return question.object
      ? Object.defineProperty(refusal, 'object', { value: question.object })
      : refusal
  }
  const answer = isPermitted(host, call, question)
  return typeof answer === 'boolean'
    ? refusalOf(answer)
    : raceAbort(answer, call.signal).then(refusalOf)
}

/** Asks the host. Answers synchronously where the host does, as most do. */
export const isPermitted = (
  { authorize }: MethodHost,
  { caller, orgId }: AdmittedCall,
  needed: NeededPermission,
): boolean | Promise<boolean> => {
  try {
    const answer = authorize({ caller, orgId, ...needed })
    return typeof answer === 'boolean' ? answer : fromPort(() => answer)
  } catch (cause) {
    throw unavailable(cause, 'not_recorded')
  }
}
