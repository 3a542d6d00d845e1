import { err, type Result, ResultAsync } from 'neverthrow'
import type * as z from 'zod/mini'
import type { Permission } from '../../domain/values.js'
import type { NewEvent, RecordedEvent } from '../../ports/event-store.js'
import type { Host, PermissionQuestion } from '../../ports/host.js'
import type { FieldChange, ObjectDetails } from '../../ports/read-model.js'
import type { IamError } from '../errors/errors.js'
import { errorOf, fromPort, unavailable } from '../errors/fault.js'
import { type Hooks, type Observer, observed } from '../hooks.js'
import { raceAbort } from '../waiting.js'
import {
  type AdmittedCall,
  admit,
  type Context,
  type DryRunContext,
  type Refused,
  type WriteContext,
} from './context.js'
import { readInput } from './input.js'
import type { Target } from './target.js'

/** A permission that a call needs, and on which object; without one, in the whole organization. */
export type NeededPermission = Pick<PermissionQuestion, 'permission' | 'object'>

/** What a method needs of its host for the checks. */
export interface MethodHost extends Pick<Host, 'authorize'> {
  readonly hooks?: Hooks | undefined
}

/** What a method checks before it runs. */
export interface MethodSpec<Schema extends z.ZodMiniType> {
  /** Name that the host calls it by, such as `projects.add`. */
  readonly method: string
  /** All are needed. */
  readonly permissions: readonly Permission[]
  /** Further permissions, where they depend on the input: parsed, or as given when it is malformed. */
  readonly permissionsFor?: (input: unknown, orgId: string) => readonly NeededPermission[]
  readonly schema: Schema
  /** The object of `permissions`, from the input: parsed, or as given when it is malformed. */
  readonly target?: Target
  /** Fields of the context that the method does not support. */
  readonly refuses?: readonly Refused[]
}

type Run<Schema extends z.ZodMiniType, Answer> = (
  call: AdmittedCall,
  input: z.output<Schema>,
) => Promise<Result<Answer, IamError>>

type LongRun<Schema extends z.ZodMiniType, Report, Progress> = (
  call: AdmittedCall,
  input: z.output<Schema>,
  onProgress: LongContext<Progress>['onProgress'],
) => Promise<Result<Report, IamError>>

/** A {@link Context} of a call that takes long enough to report its progress. */
export interface LongContext<Progress> extends Context {
  /** The call rejects with what it throws; what was recorded by then stays. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * A method that changes something; a dry run answers what it would change. One signature instead of two
 * overloads, so that a compiler reports what is wrong with the input, and an editor shows the documentation.
 */
export type Write<Input, Ids> = <DryRun extends boolean = false>(
  input: Input,
  context: WriteContext<DryRun>,
) => ResultAsync<[DryRun] extends [true] ? Planned : Written & Ids, IamError>

/** A method that makes many independent writes. */
export type LongWrite<Input, Progress, Report> = (
  input: Input,
  context: LongContext<Progress>,
) => ResultAsync<Report, IamError>

/** A method that only reads. */
export type Read<Input, Answer> = (input: Input, context: Context) => ResultAsync<Answer, IamError>

/**
 * Makes a public method of `run`. It checks the context, then the permissions, then the input, in this order:
 * without the permission a caller does not learn what exists.
 */
export const method =
  <Schema extends z.ZodMiniType, Answer>(
    host: MethodHost,
    spec: MethodSpec<Schema>,
    run: Run<Schema, Answer>,
  ): Read<z.input<Schema>, Answer> =>
  (input, context) =>
    new ResultAsync(begin(host, spec, { input, context, run }))

/** {@link method} for a `run` that records nothing: it ends as soon as the signal aborts. */
export const read = <Schema extends z.ZodMiniType, Answer>(
  host: MethodHost,
  spec: MethodSpec<Schema>,
  run: Run<Schema, Answer>,
): Read<z.input<Schema>, Answer> =>
  method(host, spec, (call, input) => raceAbort(run(call, input), call.signal))

/** {@link method} for a `run` that reports its progress. */
export const longWrite = <Schema extends z.ZodMiniType, Progress, Report>(
  host: MethodHost,
  spec: MethodSpec<Schema>,
  run: LongRun<Schema, Report, Progress>,
): LongWrite<z.input<Schema>, Progress, Report> =>
  method(host, spec, (call, input) =>
    // Cast: it was checked to be a function, and the type of the context says of what.
    run(call, input, call.onProgress as LongContext<Progress>['onProgress']),
  )

/** {@link method} for a `run` that answers with an {@link Outcome}. */
export const write = <Schema extends z.ZodMiniType, Ids>(
  host: MethodHost,
  spec: MethodSpec<Schema>,
  run: Run<Schema, Outcome<Ids>>,
): Write<z.input<Schema>, Ids> => {
  function method(input: z.input<Schema>, context: DryRunContext): ResultAsync<Planned, IamError>
  function method(input: z.input<Schema>, context: Context): ResultAsync<Written & Ids, IamError>
  function method(
    input: z.input<Schema>,
    context: Context | DryRunContext,
  ): ResultAsync<Outcome<Ids>, IamError> {
    return new ResultAsync(begin(host, spec, { input, context, run }))
  }
  return method
}

interface Arguments<Schema extends z.ZodMiniType, Answer> {
  readonly input: unknown
  readonly context: Context | DryRunContext
  readonly run: Run<Schema, Answer>
  readonly observer?: Observer
}

const begin = <Schema extends z.ZodMiniType, Answer>(
  host: MethodHost,
  spec: MethodSpec<Schema>,
  given: Arguments<Schema, Answer>,
): Promise<Result<Answer, IamError>> =>
  host.hooks
    ? observed(host.hooks, spec.method, (observer) => perform(host, spec, { ...given, observer }))
    : perform(host, spec, given)

const NONE: readonly Refused[] = []

/**
 * Reads the input once and before `authorize`, so that the method runs on what was authorized, also when the
 * input changes meanwhile. Only a permitted caller learns that it is malformed. Awaits `authorize` only when
 * it answers with a promise, since every call takes this path.
 */
const perform = async <Schema extends z.ZodMiniType, Answer>(
  host: MethodHost,
  spec: MethodSpec<Schema>,
  { context, input, observer, run }: Arguments<Schema, Answer>,
): Promise<Result<Answer, IamError>> => {
  try {
    const { method, schema, refuses = NONE } = spec
    const admitted = admit(context, refuses, { method, observer })
    if (admitted.isErr()) return err(admitted.error)
    const call = admitted.value
    const { orgId, signal } = call
    const given = readInput(schema, input)
    const needed = given.isOk()
      ? neededFor(spec, given.value, orgId)
      : neededForMalformed(spec, input, orgId)
    for (const question of needed) {
      const answer = isPermitted(host, call, question)
      const isAllowed = typeof answer === 'boolean' ? answer : await raceAbort(answer, signal)
      const { permission } = question
      if (isAllowed !== true) return err({ kind: 'PermissionDenied', permission, orgId })
    }
    if (given.isErr()) return err(given.error())
    if (signal?.aborted) return err({ kind: 'Cancelled' })
    return await run(call, given.value)
  } catch (thrown) {
    return err(errorOf(thrown))
  }
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

/** Asks the host. Answers synchronously where the host does, as most do. */
export const isPermitted = (
  { authorize }: MethodHost,
  { caller, orgId }: AdmittedCall,
  { permission, object }: NeededPermission,
): boolean | Promise<boolean> => {
  try {
    const answer = authorize(
      object ? { caller, permission, orgId, object } : { caller, permission, orgId },
    )
    return typeof answer === 'boolean' ? answer : fromPort(() => answer)
  } catch (cause) {
    throw unavailable(cause, 'not_recorded')
  }
}

/** What a write did. */
export interface Written {
  /** The object after the write. Spec: Common response object `details`. */
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
}

/** The answer of a write: what it did, with the ids of its object, or what it would do. */
export type Outcome<Ids> = (Written & Ids) | Planned
