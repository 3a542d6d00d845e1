import type { Row, Statement, Steps } from '../../sql/statement.js'

/** Runs one statement. */
export type Ask = (statement: Statement) => Promise<readonly Row[]>

/** Runs statement after statement. */
export const run = async <Value>(ask: Ask, steps: Steps<Value>): Promise<Value> => {
  let step = steps.next()
  while (!step.done) step = steps.next(await ask(step.value))
  return step.value
}
