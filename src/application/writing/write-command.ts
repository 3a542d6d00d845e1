import { err } from 'neverthrow'
import type * as z from 'zod/mini'
import type { AnyAggregate } from '../../domain/aggregates.js'
import type { Message } from '../../domain/message.js'
import type { ObjectRef } from '../../domain/values.js'
import type { AdmittedCall } from '../method/context.js'
import { type MethodSpec, type Write, write } from '../method/method.js'
import { targetOf } from '../method/target.js'
import { record } from '../recording/snapshot.js'
import type { Runtime } from '../runtime.js'
import { missingContainer } from './missing-container.js'
import { type ObjectWrite, writeObject } from './write-object.js'

/** A kind whose references have their type. */
type KindOf<Ref extends ObjectRef> = { ref(ids: object): Ref } & AnyAggregate

/** A kind whose commands and references have their types. */
type CommandedKind<Command extends Message, Ref extends ObjectRef> = KindOf<Ref> & {
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

/** Makes the methods that record one command of an object of `kind`, and answer with its `ids`. */
export const writesOf = <Command extends Message, Ref extends ObjectRef, Ids>(
  runtime: Runtime,
  kind: CommandedKind<Command, Ref>,
  ids: (ref: Ref) => Ids,
) => {
  const writeOf = <Schema extends z.ZodMiniType<object>>(
    spec: CommandSpec<Schema>,
    commandOf: (input: z.output<Schema>) => Message,
  ): Write<z.input<Schema>, Ids> =>
    write(runtime, specOf(kind, spec), (call, input) =>
      recordCommand(runtime, call, {
        kind,
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

/** What a method checks that records a command of `kind`. */
export const specOf = <Schema extends z.ZodMiniType>(
  kind: Pick<AnyAggregate, 'permissions' | 'target'>,
  { method, schema, isNew }: CommandSpec<Schema>,
): MethodSpec<Schema> => ({
  method,
  permissions: [kind.permissions.write],
  schema,
  target: targetOf(kind),
  refuses: isNew ? ['expectedSequence'] : [],
})

/** A command, and how it is answered. */
interface Commanded<Ref extends ObjectRef, Ids>
  extends Pick<ObjectWrite<Ids>, 'input' | 'isSameSecret'> {
  readonly kind: KindOf<Ref>
  /** One of `kind`. */
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
  { kind, command, isNew, ids, ...write }: Commanded<Ref, Ids>,
) => {
  const { data } = command
  return writeObject(runtime, call, {
    ...write,
    kind,
    decide: (view) => {
      const missing = missingContainer(view, kind, data)
      if (missing) return err(missing)
      const before = isNew ? view.readNew(kind, data) : view.read(kind, data)
      return kind.decider.decide(command, before.state).map((events) => [record(before, events)])
    },
    ids: (recorded) => ids(kind.ref(recorded.at(-1)?.data ?? data)),
  })
}
