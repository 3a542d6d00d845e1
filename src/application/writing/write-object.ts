import { err, ok, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import { type AnyAggregate, aggregates } from '../../domain/aggregates.js'
import { exists, type NotFound } from '../../domain/decider.js'
import type { Message } from '../../domain/message.js'
import type { ObjectRef } from '../../domain/values.js'
import type { NewEvent, RecordedEvent } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { FieldChange, Views, ViewType } from '../../ports/read-model.js'
import { fieldChanges } from '../../projections/history-entries.js'
import { aggregateOf, isOfObject, readBatch, readEvents } from '../../projections/read-events.js'
import { rowAfter } from '../../projections/rows.js'
import type { WriteError } from '../errors/errors.js'
import { errorOf, Fault, fromPort } from '../errors/fault.js'
import type { ObjectChange } from '../granting/impact.js'
import { withCurrentRoles } from '../granting/shown-roles.js'
import type { AdmittedCall } from '../method/context.js'
import { type MethodSpec, type Outcome, type Write, type Written, write } from '../method/method.js'
import { writeTargetOf } from '../method/target.js'
import { storedKey } from '../recording/metadata.js'
import {
  type AnyStreamState,
  change,
  detailsOf,
  type StreamChange,
  StreamState,
} from '../recording/stream-state.js'
import { type Streams, streamsAt } from '../recording/streams.js'
import {
  type Applied,
  asExpected,
  type Decision,
  transact,
  unprotected,
} from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { sha256 } from '../sha256.js'
import { raceAbort } from '../waiting.js'

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
  ): Write<z.input<Schema>, Ids> =>
    write(runtime, specOf(aggregate, spec), (call, input) =>
      recordCommand(runtime, call, {
        aggregate,
        input,
        command: commandOf(input),
        isNew: spec.isNew,
        ids,
      }),
    )

  return {
    /** The method that adds an object. */
    add: <Schema extends z.ZodMiniType<object>>(
      method: string,
      schema: Schema,
      commandOf: (input: z.output<Schema>) => Command,
    ) => writeOf({ method, schema, isNew: true }, commandOf),

    /** The method that changes an object, or removes it. */
    change: <Input extends z.ZodMiniType<object>>(
      method: string,
      { shape }: CommandSchema<Command, Input>,
    ) => {
      const [type = ''] = shape.type.def.values
      return writeOf({ method, schema: shape.data, isNew: false }, (data) => ({ type, data }))
    },
  }
}

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
  extends Pick<ObjectWrite<Ids>, 'input' | 'isSameSecret'> {
  readonly aggregate: AggregateOf<Ref>
  /** One of `aggregate`. */
  readonly command: Message
  /** Whether it adds the object. */
  readonly isNew: boolean
  /** The ids of the object in the outcome. */
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

/** A command whose outcome is one object. */
export interface ObjectWrite<Ids> {
  /** The parsed input without secrets, which tells commands of one method with the same idempotency key apart. */
  readonly input: object
  readonly aggregate: AnyAggregate
  /** Decides what to record; the last change is the object's. */
  readonly decide: (streams: Streams) => Promise<Result<readonly StreamChange[], WriteError>>
  /** The ids of the object, given the recorded events, which may be empty. */
  readonly ids: (recorded: readonly RecordedEvent[]) => Ids
  /** For a command that adds several objects: the path of each in the input, such as `roles[0].`. */
  readonly pathOf?: (index: number) => string
  /** Whether the recorded secret is the command's; absent without a secret. */
  readonly isSameSecret?: (recorded: readonly KnownEvent[]) => Promise<boolean>
}

/** Records a command, at most once under an idempotency key, and returns its object; or plans it in a dry run. */
export const writeObject = <Ids>(
  runtime: Runtime,
  call: AdmittedCall,
  write: ObjectWrite<Ids>,
): Promise<Result<Outcome<Ids>, WriteError>> => {
  const earlier = () => earlierOutcome(runtime, call, write)
  if (call.dryRun) return raceAbort(planned(runtime, call, { write, earlier }), call.signal)
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
  { ids }: Pick<ObjectWrite<Ids>, 'ids'>,
  { events, streams }: Applied<Decision>,
): Written & Ids => {
  const object = streams.at(-1)
  if (object === undefined) throw new Error(NO_CHANGE)
  return { ...ids(events), details: detailsOf(object, orgId), changed: events.length > 0, events }
}

const NO_CHANGE = 'A command that answers with an object must change its stream'

/** Decides on the state at the end of the log. Everything in the outcome, including the impact, is of that position. */
const planned = async <Ids>(
  runtime: Runtime,
  call: AdmittedCall,
  {
    write,
    earlier,
  }: {
    readonly write: ObjectWrite<Ids>
    readonly earlier: () => ReturnType<typeof earlierOutcome<Ids>>
  },
): Promise<Result<Outcome<Ids>, WriteError>> => {
  const { store } = runtime
  const before = call.idempotencyKey === undefined ? undefined : await earlier()
  if (before) return before
  const at = await fromPort(() => store.lastPosition())
  const streams = streamsAt(store, call.orgId, at)
  call.observer?.deciding(1)
  const decision = (await write.decide(streams)).map((changes) => ({ changes }))
  const decided = unprotected(undefined, asExpected(call, decision))
  if (decided.isErr()) return err(decided.error)
  const { changes } = decided.value
  const object = changes.at(-1)?.before
  if (object === undefined) throw new Error(NO_CHANGE)
  const events = changes.flatMap((each) => each.events)
  const { fields, ...shown } = await shownChange(runtime, call, { streams, object, events, write })
  const { aggregate, input: ids } = write
  const isAdded = events.some((event) => aggregate.effectOf(event) === 'adds')
  // Loaded at the first dry run, so that other hosts do not load it.
  const { impactOf } = await import('../granting/impact.js')
  const impact = await impactOf(runtime, call, { aggregate, ids, ...shown, isAdded, streams, at })
  return ok({
    changed: events.length > 0,
    events,
    changes: fields,
    ...(exists(object.state) && { details: detailsOf(object, call.orgId) }),
    ...(impact && { impact }),
  })
}

/** The object of a dry run before and after its events, and the fields that they would change. */
const shownChange = async <Ids>(
  { store, metadataOf }: Runtime,
  call: AdmittedCall,
  given: {
    readonly streams: Streams
    readonly object: AnyStreamState
    readonly events: readonly NewEvent[]
    readonly write: Pick<ObjectWrite<Ids>, 'aggregate' | 'input' | 'pathOf'>
  },
): Promise<
  Pick<ObjectChange, 'before' | 'after'> & { readonly fields: readonly FieldChange[] }
> => {
  const { streams, object, events, write } = given
  const metadata = metadataOf(call)
  const known = readEvents(
    events.filter(isOfObject).map(({ type, schemaVersion, data }): RecordedEvent => {
      const stream = aggregateOf(type).stream(call.orgId, data)
      return { type, schemaVersion, data, appendId: '', stream, version: 1, position: 0n, metadata }
    }),
  )
  let row: Views[ViewType] | undefined
  if (exists(object.state)) {
    const past = await fromPort(() => store.readStream(object.name))
    row = readEvents(past.slice(0, object.version)).reduce(rowAfter, row)
    row &&= await withCurrentRoles(streams, write.aggregate.ref(write.input), row)
  }
  const before = row
  const fields = known.flatMap((event, index) => {
    const earlier = exists(object.state) ? row : undefined
    row = rowAfter(earlier, event)
    const path = write.pathOf?.(index) ?? ''
    return fieldChanges(event, { before: earlier, after: row }).map((change) => ({
      ...change,
      field: `${path}${change.field}`,
    }))
  })
  return { before, after: row, fields }
}

/**
 * The outcome of the same command when it was recorded under this idempotency key; in a dry run too. Refused when the
 * key was used for another command. Undefined when it was not used.
 */
const earlierOutcome = async <Ids>(
  { store }: Runtime,
  { method, orgId, idempotencyKey = '', signal, dryRun }: AdmittedCall,
  { input, aggregate, ids, isSameSecret }: ObjectWrite<Ids>,
): Promise<Result<Outcome<Ids>, WriteError> | undefined> => {
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
  const details = detailsOf(new StreamState(aggregate, last.stream).replay(past), orgId)
  if (dryRun) return ok({ details, changed: false, events: [], changes: [] })
  return ok({ details, changed: true, events, ...ids(events) })
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
