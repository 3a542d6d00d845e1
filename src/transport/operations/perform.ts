import type { Caller } from '../../index.js'
import type { Call } from '../errors/call.js'
import { refused } from '../errors/unexpected.js'
import type { Values } from '../messages/message-fields.js'
import type { ResolvedOptions } from '../options.js'
import { contextOf } from './call-context.js'
import type { Operation } from './operation.js'

/** What a call asks for. */
interface Asked {
  readonly operation: Operation
  readonly values: Values
  readonly caller: Caller | undefined
}

/** The values of the response. @throws ConnectError that is the answer instead */
export const perform = async (
  options: ResolvedOptions,
  call: Call,
  asked: Asked,
): Promise<object> => {
  const answer = await asked.operation.run(asked.values, contextOf(options, call, asked))
  if (answer.isErr()) throw refused(options, call, answer.error)
  tagWithSequence(call, answer.value)
  return answer.value
}

/** By what was written, or by the one object that was read. */
const tagWithSequence = ({ responseHeader }: Call, answer: object): void => {
  for (const part of 'details' in answer ? [answer] : Object.values(answer)) {
    const sequence = fieldOf(fieldOf(part, 'details'), 'sequence')
    if (typeof sequence === 'bigint') responseHeader.set('etag', `"${sequence}"`)
  }
}

/** A field of a value that may be anything; undefined when it has none. */
const fieldOf = (value: unknown, field: string): unknown => Reflect.get(Object(value), field)
