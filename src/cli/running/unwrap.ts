import type { AnyError } from 'claviger'
import type { Result } from 'neverthrow'
import { Failed } from './command.js'
import { explain } from './explain.js'

/** The value of a result. @throws Failed that says why there is none */
export const unwrap = <Value, Failure extends AnyError>(answer: Result<Value, Failure>): Value => {
  if (answer.isErr()) throw new Failed(explain(answer.error), { cause: answer.error })
  return answer.value
}
