import { err, ok, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import { exists } from '../../domain/aggregate.js'
import { type AnyAggregate, aggregates } from '../../domain/aggregates.js'
import type { NotFound } from '../../domain/decider.js'
import type { Message } from '../../domain/message.js'
import type { ObjectRef } from '../../domain/values.js'
import type { RecordedEvent } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import { readBatch } from '../../projections/read-events.js'
import type { Violation, WriteError } from '../errors/errors.js'
import { errorOf, Fault } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import { writeTargetOf } from '../method/input.js'
import {
  type MethodSpec,
  type Outcome,
  type Write,
  type Written,
  warningsOf,
  write,
} from '../method/method.js'
import {
  type AnyStreamState,
  change,
  detailsOf,
  StreamState,
  storedKey,
} from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import { type Applied, type Decision, transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { sha256 } from '../sha256.js'
import { awaitFollowers, fromPort, raceAbort } from '../waiting.js'
import type { ObjectCommand } from './dry-run.js'

/** An aggregate whose references have their type. */
type AggregateOf<Ref extends ObjectRef> = { ref(ids: object): Ref } & AnyAggregate

/** An aggregate whose commands and references have their types. */
type CommandedAggregate<Command extends Message, Ref extends ObjectRef> = AggregateOf<Ref> & {
  readonly decider: { decide(command: Command, state: never): unknown }
}

/** The schema of a `Command` whose data are the input of its method. */
interface CommandSchema<Command extends Message, Input extends z.ZodMiniType>
  extends z.ZodMiniType<Command> {
  readonly shape: { readonly type: z.ZodMiniLiteral<string>; readonly data: Input }
}

interface CommandSpec<Schema extends z.ZodMiniType> {
  /** Such as `projects.add`. */
  readonly method: string
  readonly schema: Schema
  /** Whether the command adds the object. */
  readonly isNew: boolean
}

/** Makes the methods that record one command on an object of `aggregate` and return its `ids`. */
export const writesOf = <Command extends Message, Ref extends ObjectRef, Ids>(
  runtime: Runtime,
  aggregate: CommandedAggregate<Command, Ref>,
  ids: (ref: Ref) => Ids,
) => {
  const writeOf = <Schema extends z.ZodMiniType<object>>(
    spec: CommandSpec<Schema>,
    commandOf: (input: z.output<Schema>) => Message,
    warnings?: (input: z.output<Schema>, before: AnyStreamState) => readonly Violation[],
  ): Write<z.input<Schema>, Ids> =>
    write(runtime, specOf(aggregate, spec), (call, input) =>
      recordCommand(runtime, call, {
        aggregate,
        input,
        command: commandOf(input),
        isNew: spec.isNew,
        ids,
        ...(warnings && { warnings: (before) => warnings(input, before) }),
      }),
    )

  return {
    add: <Schema extends z.ZodMiniType<object>>(
      method: string,
      schema: Schema,
      commandOf: (input: z.output<Schema>) => Command,
    ) => writeOf({ method, schema, isNew: true }, commandOf),

    /** The method that changes an object, or removes it. */
    change: <Input extends z.ZodMiniType<object>>(
      method: string,
      { shape }: CommandSchema<Command, Input>,
      warnings?: (input: z.output<Input>, before: AnyStreamState) => readonly Violation[],
    ) => {
      const [type = ''] = shape.type.def.values
      const commandOf = (data: z.output<Input>): Message => ({ type, data })
      return writeOf({ method, schema: shape.data, isNew: false }, commandOf, warnings)
    },
  }
}

/** Makes the methods that record what a function decides on an object of `aggregate` and return its `ids`. */
export const changesOf =
  <Key extends object, Ids>(runtime: Runtime, aggregate: AnyAggregate, ids: (key: Key) => Ids) =>
  <Schema extends z.ZodMiniType<Key>>(
    method: string,
    schema: Schema,
    decide: (
      streams: Streams,
      input: z.output<Schema>,
      call: AdmittedCall,
    ) => ReturnType<ObjectCommand['decide']>,
  ): Write<z.input<Schema>, Ids> =>
    write(runtime, specOf(aggregate, { method, schema, isNew: false }), (call, input) =>
      writeObject(runtime, call, {
        input,
        aggregate,
        decide: (streams) => decide(streams, input, call),
        ids: () => ids(input),
      }),
    )

/** The checks of a method that records a command of `aggregate`. */
export const specOf = <Schema extends z.ZodMiniType>(
  aggregate: Pick<AnyAggregate, 'permissions' | 'target' | 'writeTarget'>,
  { method, schema, isNew }: CommandSpec<Schema>,
): MethodSpec<Schema> => ({
  method,
  permissions: [aggregate.permissions.write],
  schema,
  target: writeTargetOf(aggregate),
  refuses: isNew ? ['expectedSequence'] : [],
})

/** A command, and the outcome to return. */
interface Commanded<Ref extends ObjectRef, Ids>
  extends Pick<ObjectWrite<Ids>, 'input' | 'isSameSecret' | 'warnings'> {
  readonly aggregate: AggregateOf<Ref>
  /** One of `aggregate`. */
  readonly command: Message
  /** Whether it adds the object. */
  readonly isNew: boolean
  readonly ids: (ref: Ref) => Ids
}

/** Records a command, if the container of its object exists and stays unchanged meanwhile. */
export const recordCommand = <Ref extends ObjectRef, Ids>(
  runtime: Runtime,
  call: AdmittedCall,
  { aggregate, command, isNew, ids, ...write }: Commanded<Ref, Ids>,
) => {
  const { data } = command
  return writeObject(runtime, call, {
    ...write,
    aggregate,
    decide: async (streams) => {
      const missing = await missingContainer(streams, aggregate, data)
      if (missing) return err(missing)
      const before = await streams.read(aggregate, data, {
        load: isNew ? 'assume-empty' : 'cached',
      })
      return aggregate.decider
        .decide(command, before.state)
        .map((events) => [change(before, events)])
    },
    ids: (recorded) => ids(aggregate.ref(recorded.at(-1)?.data ?? data)),
  })
}

/** The refusal when the container of the object does not exist. */
export const missingContainer = async (
  streams: Streams,
  { container }: Pick<AnyAggregate, 'container'>,
  ids: object,
): Promise<NotFound | undefined> => {
  if (!container) return undefined
  const object = container.ref(ids)
  const { state } = await streams.read(aggregates[container.type], object)
  return exists(state) ? undefined : { kind: 'NotFound', object }
}

export interface ObjectWrite<Ids> extends ObjectCommand {
  /** The ids of the object, given the recorded events, which may be empty. */
  readonly ids: (recorded: readonly RecordedEvent[]) => Ids
  /** Whether the recorded secret is the command's; absent without a secret. */
  readonly isSameSecret?: (recorded: readonly KnownEvent[]) => Promise<boolean>
}

// Loaded at the first dry run, so that hosts without one do not load it.
const dryRuns = () => import('./dry-run.js')

/** Records a command, at most once under an idempotency key, and returns its object; or plans it in a dry run. */
export const writeObject = <Ids>(
  runtime: Runtime,
  call: AdmittedCall,
  write: ObjectWrite<Ids>,
): Promise<Result<Outcome<Ids>, WriteError>> => {
  const earlier = () => earlierOutcome(runtime, call, write)
  if (call.dryRun) {
    const plan = async () => {
      const before = call.idempotencyKey === undefined ? undefined : await earlier()
      return before ?? (await dryRuns()).planned(runtime, call, write)
    }
    return raceAbort(plan(), call.signal)
  }
  const decide = async (streams: Streams) =>
    (await write.decide(streams)).map((changes) => ({ changes }))
  const answer = (applied: Applied<Decision>) => outcomeOf(call, write, applied)
  if (call.idempotencyKey === undefined) return transact(runtime, call, { decide, answer })
  return transact(runtime, call, {
    decide,
    answer,
    commandHash: () => sha256([call.method, write.input]),
    earlier: (isUsed) => (isUsed ? mayBeRecorded(earlier) : earlier()),
  })
}

const outcomeOf = <Ids>(
  { orgId }: AdmittedCall,
  { ids, warnings }: Pick<ObjectWrite<Ids>, 'ids' | 'warnings'>,
  { decided, events, streams }: Applied<Decision>,
): Written & Ids => {
  const object = streams.at(-1)
  const before = decided.changes.at(-1)?.before
  if (object === undefined || before === undefined) throw new Error(NO_CHANGE)
  return {
    ...ids(events),
    details: detailsOf(object, orgId),
    changed: events.length > 0,
    events,
    ...warningsOf(warnings?.(before)),
  }
}

const NO_CHANGE = 'A command that answers with an object must change its stream'

/**
 * The outcome of the same command when it was recorded under this idempotency key; in a dry run too. Refused when the
 * key was used for another command. Undefined when it was not used.
 */
const earlierOutcome = async <Ids>(
  runtime: Runtime,
  { method, orgId, idempotencyKey = '', signal, dryRun }: AdmittedCall,
  { input, aggregate, ids, isSameSecret, warnings }: ObjectWrite<Ids>,
): Promise<Result<Outcome<Ids>, WriteError> | undefined> => {
  const { store } = runtime
  const key = storedKey(orgId, idempotencyKey)
  const finding = fromPort(() => store.findAppend({ idempotencyKey: key }))
  const events = await raceAbort(finding, signal)
  const [first] = events
  const last = events.at(-1)
  if (!first || !last) return undefined
  const { known, unreadable } = readBatch(events)
  if (unreadable) return err(unreadable)
  const isSame =
    first.metadata.commandHash === sha256([method, input]) &&
    (!isSameSecret || (await raceAbort(isSameSecret(known), signal)))
  if (!isSame) return err({ kind: 'IdempotencyKeyReused', idempotencyKey })
  const reading = fromPort(() => store.readStream(last.stream))
  const past = (await raceAbort(reading, signal)).slice(0, last.version)
  const before = new StreamState(aggregate, last.stream).replay(past.slice(0, -events.length))
  const details = detailsOf(before.replay(past.slice(-events.length)), orgId)
  const warned = warningsOf(warnings?.(before))
  if (dryRun) return ok({ details, changed: false, events: [], changes: [], ...warned })
  await awaitFollowers(runtime, details.sequence)
  return ok({ details, changed: true, events, ...ids(events), ...warned })
}

/** Marks an error of `find` as `unknown`: the key was used, so the command may be recorded. */
const mayBeRecorded = async <Answer>(find: () => Promise<Answer>): Promise<Answer> => {
  try {
    return await find()
  } catch (thrown) {
    const error = errorOf(thrown)
    throw error.kind === 'Unavailable' ? new Fault({ ...error, outcome: 'unknown' }) : thrown
  }
}
