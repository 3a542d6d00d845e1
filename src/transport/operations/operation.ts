import type { DescMethodUnary } from '@bufbuild/protobuf'
import type { Result } from 'neverthrow'
import type { Context, IamError, Page, Read, Write } from '../../index.js'
import { type MessageFields, messageFields, type Values } from '../messages/message-fields.js'
import { listInput } from './reading/list-input.js'

/** What an rpc does, in every protocol. */
export interface Operation {
  readonly rpc: DescMethodUnary
  readonly request: MessageFields
  readonly response: MessageFields
  /** What it changes: at most what one command does, or all that an organization has. */
  readonly effect: 'none' | 'command' | 'organization'
  /** From the values of a request to those of a response. */
  readonly run: (values: Values, context: Context) => PromiseLike<Result<object, IamError>>
}

/**
 * The operation of a method that changes something; its response has fields of the answer, and what `idsOf` makes of it.
 * With `validateOnly` it is a dry run.
 */
export const writing = <Input, Ids>(
  rpc: DescMethodUnary,
  write: Write<Input, Ids>,
  idsOf: (ids: Ids) => object = () => ({}),
): Operation => {
  const recording = answering(
    rpc,
    (input: Input, context) => write(input, context),
    (written) => ({ ...written, ...idsOf(written) }),
  )
  const planning = answering(
    rpc,
    (input: Input, context) => write(input, { ...context, dryRun: true }),
    ({ details, ...planned }) => ({ details, planned }),
  )
  return {
    ...recording,
    effect: 'command',
    run: ({ validateOnly, ...values }, context) =>
      (validateOnly === true ? planning : recording).run(values, context),
  }
}

/** The operation of a method that answers one object, which is the first field of the response. */
export const showing = <Input, Shown>(rpc: DescMethodUnary, get: Read<Input, Shown>): Operation => {
  const [field] = rpc.output.fields
  const name = field?.jsonName ?? ''
  return answering(rpc, get, (shown) => ({ [name]: shown }))
}

/** The operation of a method that lists objects, which are the first field of the response. */
export const listing = <Input, Item>(
  rpc: DescMethodUnary,
  list: Read<Input, Page<Item>>,
): Operation => {
  const [field] = rpc.output.fields
  const name = field?.jsonName ?? ''
  const items = field?.message && messageFields(field.message)
  const operation = answering(rpc, list, (page) => ({ ...page, [name]: page.items }))
  return {
    ...operation,
    run: (values, context) => operation.run(items ? listInput(items, values) : values, context),
  }
}

/** The operation of a method that changes nothing, from whose answer `responseOf` makes the response. */
export const answering = <Input, Answer>(
  rpc: DescMethodUnary,
  method: Read<Input, Answer, IamError>,
  responseOf: (answer: Answer) => object,
): Operation => ({
  rpc,
  request: messageFields(rpc.input),
  response: messageFields(rpc.output),
  effect: 'none',
  // Cast: every method checks its input, whatever its type.
  run: (values, context) =>
    method(values as Input, context).then((answer) => answer.map(responseOf)),
})
