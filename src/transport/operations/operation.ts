import type { DescMethodUnary } from '@bufbuild/protobuf'
import type { ResultAsync } from 'neverthrow'
import type { Context, IamError, Page, Read, Write } from '../../index.js'
import { type MessageFields, messageFields, type Values } from '../messages/message-fields.js'
import { listInput } from './list-input.js'

/** What an rpc does, in every protocol. */
export interface Operation {
  readonly rpc: DescMethodUnary
  readonly request: MessageFields
  readonly response: MessageFields
  /** From the values of a request to those of a response. */
  readonly run: (values: Values, context: Context) => ResultAsync<object, IamError>
}

/** The operation of a method that changes something; its response has fields of what that answers. */
export const writing = <Input, Ids>(rpc: DescMethodUnary, write: Write<Input, Ids>): Operation =>
  answering<Input, object>(rpc, write, (answer) => answer)

/** The operation of a method that answers an object by itself, which is a field of the response. */
export const showing = <Input, Answer extends object>(
  rpc: DescMethodUnary,
  method: Read<Input, Answer>,
): Operation => {
  const [shown] = rpc.output.fields
  return answering(rpc, method, (answer) => ({ [shown?.jsonName ?? '']: answer }))
}

/** The operation of a method that lists objects, which are the first field of the response. */
export const listing = <Input, Item>(
  rpc: DescMethodUnary,
  method: Read<Input, Page<Item>>,
): Operation => {
  const [items] = messageFields(rpc.output).all
  if (items?.kind !== 'message') throw new TypeError(`${rpc.name} lists nothing`)
  const list: Read<Values, Page<Item>> = (values, context) =>
    // Cast: as in `answering`.
    method(listInput(items.message, values) as Input, context)
  return answering(rpc, list, (page) => ({ ...page, [items.name]: page.items }))
}

/** The operation of a method whose answer is `responseOf` before it is the response. */
export const answering = <Input, Answer>(
  rpc: DescMethodUnary,
  method: Read<Input, Answer>,
  responseOf: (answer: Answer) => object,
): Operation => ({
  rpc,
  request: messageFields(rpc.input),
  response: messageFields(rpc.output),
  // Cast: every method checks its input, whatever its type.
  run: (values, context) => method(values as Input, context).map(responseOf),
})
