import { err } from 'neverthrow'
import type * as z from 'zod/mini'
import { type AnyAggregate, aggregates } from '../../domain/aggregates.js'
import { exists, type NotFound } from '../../domain/decider.js'
import type { Message } from '../../domain/message.js'
import type { ObjectRef } from '../../domain/values.js'
import type { AdmittedCall } from '../method/context.js'
import { type MethodSpec, type Write, write } from '../method/method.js'
import { targetOf } from '../method/target.js'
import { change } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import type { Runtime } from '../runtime.js'
import { type ObjectWrite, writeObject } from './write-object.js'

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

/** Makes the methods that record one command of an object of `aggregate`, and answer with its `ids`. */
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

/** What a method checks that records a command of `aggregate`. */
export const specOf = <Schema extends z.ZodMiniType>(
  aggregate: Pick<AnyAggregate, 'permissions' | 'target'>,
  { method, schema, isNew }: CommandSpec<Schema>,
): MethodSpec<Schema> => ({
  method,
  permissions: [aggregate.permissions.write],
  schema,
  target: targetOf(aggregate),
  refuses: isNew ? ['expectedSequence'] : [],
})

/** A command, and how it is answered. */
interface Commanded<Ref extends ObjectRef, Ids>
  extends Pick<ObjectWrite<Ids>, 'input' | 'isSameSecret'> {
  readonly aggregate: AggregateOf<Ref>
  /** One of `aggregate`. */
  readonly command: Message
  /** Whether it adds the object. */
  readonly isNew: boolean
  /** The ids of the object, as its outcome calls them. */
  readonly ids: (ref: Ref) => Ids
}

/** Records a command. What its object lies in must exist, and stay unchanged until then. */
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

/** The refusal when what the object of `ids` lies in does not exist. */
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
