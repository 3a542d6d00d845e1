import { err, type Result, ResultAsync } from 'neverthrow'
import type * as z from 'zod/mini'
import type { Permission, PermissionQuestion } from '../../ports/authorize.js'
import type { Host } from '../../ports/host.js'
import type { IamError, PermissionDenied } from '../errors/errors.js'
import { errorOf, fromPort, unavailable } from '../errors/fault.js'
import type { Hooks } from '../observing/hooks.js'
import { observed } from '../observing/observer.js'
import { raceAbort } from '../waiting/race-abort.js'
import {
  type AdmittedCall,
  admit,
  type Call,
  type Context,
  type DryRunContext,
  type Refused,
  type WriteContext,
} from './context.js'
import type { Outcome, Planned, Written } from './outcome.js'
import { readInput } from './parse.js'
import type { Target } from './target.js'

/** A permission that is needed, and for which object; without one, for all of the organization. */
export type NeededPermission = Pick<PermissionQuestion, 'permission' | 'object'>

/** What a method needs of its host before it does what it is for. */
export interface MethodHost extends Pick<Host, 'authorize'> {
  /** Absent when nobody watches. */
  readonly hooks?: Hooks | undefined
}

/** What every method checks before it does what it is for. */
export interface MethodSpec<Schema extends z.ZodMiniType> {
  /** What the host calls it by, such as `projects.add`. */
  readonly method: string
  /** All are needed. */
  readonly permissions: readonly Permission[]
  /** What is needed beside `permissions`, where that depends on the input: parsed, or malformed as given. */
  readonly permissionsFor?: (input: unknown) => readonly NeededPermission[]
  readonly schema: Schema
  /** Which object of the input, parsed or malformed as given, the permission is needed for. */
  readonly target?: Target
  /** Fields of the context that the method can make no sense of. */
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

/** A {@link Context} of a call that takes long enough to report how far it is. */
export interface LongContext<Progress> extends Context {
  /** The call rejects with what it throws; what was recorded by then stays. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * A method that changes something; a dry run answers what it would change. One signature and not two, so
 * that a compiler tells what is wrong with the input, and an editor shows what the method does.
 */
export type Write<Input, Ids> = <DryRun extends boolean = false>(
  input: Input,
  context: WriteContext<DryRun>,
) => ResultAsync<[DryRun] extends [true] ? Planned : Written & Ids, IamError>

/** A method that makes many writes of its own, each for itself. */
export type LongWrite<Input, Progress, Report> = (
  input: Input,
  context: LongContext<Progress>,
) => ResultAsync<Report, IamError>

/** A method that only reads. */
export type Read<Input, Answer> = (input: Input, context: Context) => ResultAsync<Answer, IamError>

/**
 * Makes a public method of `run`. In this order: the context is well-formed, the caller is
 * permitted, the input is well-formed; nobody learns what exists without the right to see it.
 */
export const method =
  <Schema extends z.ZodMiniType, Answer>(
    host: MethodHost,
    spec: MethodSpec<Schema>,
    run: Run<Schema, Answer>,
  ): Read<z.input<Schema>, Answer> =>
  (input, context) =>
    new ResultAsync(begin(host, spec, { input, context, run }))

/** {@link method}, for a `run` that records nothing: an abort ends it wherever it waits. */
export const read = <Schema extends z.ZodMiniType, Answer>(
  host: MethodHost,
  spec: MethodSpec<Schema>,
  run: Run<Schema, Answer>,
): Read<z.input<Schema>, Answer> =>
  method(host, spec, (call, input) => raceAbort(run(call, input), call.signal))

/** {@link method}, for a `run` that reports how far it is. */
export const longWrite =
  <Schema extends z.ZodMiniType, Progress, Report>(
    host: MethodHost,
    spec: MethodSpec<Schema>,
    run: LongRun<Schema, Report, Progress>,
  ): LongWrite<z.input<Schema>, Progress, Report> =>
  (input, context) => {
    const reporting: Run<Schema, Report> = (call, parsed) =>
      // Casts: it was checked to be a function, and only the type of the context says of what.
      run(call, parsed, call.onProgress as LongContext<Progress>['onProgress'])
    return new ResultAsync(begin(host, spec, { input, context, run: reporting }))
  }

/** {@link method}, for a `run` that answers with an {@link Outcome}. */
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

const NOTHING: readonly Refused[] = []

/** One call of a method. */
interface Arguments<Schema extends z.ZodMiniType, Answer> {
  readonly input: unknown
  readonly context: Context | DryRunContext
  readonly run: Run<Schema, Answer>
}

/** {@link perform}, watched only when somebody wants to know. */
const begin = <Schema extends z.ZodMiniType, Answer>(
  host: MethodHost,
  spec: MethodSpec<Schema>,
  given: Arguments<Schema, Answer>,
): Promise<Result<Answer, IamError>> =>
  host.hooks
    ? observed(host.hooks, spec.method, (observer) => perform(host, spec, { ...given, observer }))
    : perform(host, spec, given)

/**
 * The input is read once, before anybody is needed: what `authorize` decides on is what is done, also when the
 * input changes meanwhile. That it is malformed is answered only to a permitted caller. Synchronous as long
 * as the host is, since every call takes this path.
 */
const perform = <Schema extends z.ZodMiniType, Answer>(
  host: MethodHost,
  spec: MethodSpec<Schema>,
  { context, input, observer, run }: Arguments<Schema, Answer> & Pick<Call, 'observer'>,
): Promise<Result<Answer, IamError>> => {
  try {
    const { method, schema, refuses = NOTHING } = spec
    const opened = admit(context, refuses, { method, observer })
    if (opened.isErr()) return Promise.resolve(err(opened.error))
    const call = opened.value
    const given = readInput(schema, input)
    const answer = () => ('value' in given ? begun(call, given.value, run) : err(given.refusal()))
    const needed =
      'value' in given ? questionsOf(spec, given.value) : questionsOfMalformed(spec, input)
    const denied = firstDenied(host, call, needed)
    if (denied === undefined) return Promise.resolve(answer()).catch(toError)
    if (typeof denied === 'string') return Promise.resolve(err(refusal(call, denied)))
    return raceAbort(denied, call.signal)
      .then((permission) => (permission === undefined ? answer() : err(refusal(call, permission))))
      .catch(toError)
  } catch (thrown) {
    return Promise.reject(thrown).catch(toError)
  }
}

/** What a permitted call with a well-formed input does. */
const begun = <Input, Answer>(
  call: AdmittedCall,
  input: Input,
  run: (call: AdmittedCall, input: Input) => Promise<Result<Answer, IamError>>,
): Promise<Result<Answer, IamError>> | Result<Answer, IamError> =>
  call.signal?.aborted ? err({ kind: 'Cancelled' }) : run(call, input)

const refusal = ({ orgId }: AdmittedCall, permission: Permission): PermissionDenied => ({
  kind: 'PermissionDenied',
  permission,
  orgId,
})

/** @throws what is none of a host's faults */
const toError = (thrown: unknown): Result<never, IamError> => err(errorOf(thrown))

const questionsOf = (
  { permissions, permissionsFor, target }: MethodSpec<z.ZodMiniType>,
  input: unknown,
): readonly NeededPermission[] => {
  const object = target?.(input)
  const needed = permissions.map((permission) => (object ? { permission, object } : { permission }))
  return permissionsFor ? [...needed, ...permissionsFor(input)] : needed
}

/** A malformed input may be one that cannot even be read: it then names no object. */
const questionsOfMalformed = (
  spec: MethodSpec<z.ZodMiniType>,
  input: unknown,
): readonly NeededPermission[] => {
  try {
    return questionsOf(spec, input)
  } catch {
    return questionsOf(spec, undefined)
  }
}

/** The first permission that is lacking of those `needed`; at once as long as the host answers at once. */
const firstDenied = (
  host: MethodHost,
  call: AdmittedCall,
  needed: readonly NeededPermission[],
  from = 0,
): Permission | undefined | Promise<Permission | undefined> => {
  for (let index = from; ; index++) {
    const question = needed[index]
    if (question === undefined) return undefined
    const answer = isPermitted(host, call, question)
    if (typeof answer !== 'boolean') {
      return answer.then((isAllowed) =>
        isAllowed === true ? firstDenied(host, call, needed, index + 1) : question.permission,
      )
    }
    if (!answer) return question.permission
  }
}

/** Answers at once where the host does: most look at what they hold in memory. */
export const isPermitted = (
  { authorize }: MethodHost,
  { caller, orgId }: AdmittedCall,
  needed: NeededPermission,
): boolean | Promise<boolean> => {
  try {
    const { permission, object } = needed
    const answer = authorize(
      object ? { caller, permission, orgId, object } : { caller, permission, orgId },
    )
    return typeof answer === 'boolean' ? answer : fromPort(() => answer)
  } catch (cause) {
    throw unavailable(cause, 'not_recorded')
  }
}
