import { fieldOf } from '../../domain/values.js'
import { type InTransaction, InTransactionFailed } from '../../ports/event-store.js'
import type { Verdict } from './group-commit.js'

/** The function of a host for the stores of one kind. @throws TypeError when `run` is not a function */
export const inTransactionOf = (
  transactions: string,
  run: (client: never) => unknown,
): InTransaction => {
  if (typeof run !== 'function') throw new TypeError('inTransaction takes a function')
  return { transactions, run }
}

/** Rolls back the transaction of a refused append. */
class Refused extends Error {
  override readonly name = 'Refused'
  readonly verdict: Verdict

  constructor(verdict: Verdict) {
    super('The append was refused')
    this.verdict = verdict
  }
}

/** The verdict of the one append of a transaction. @throws Refused, which rolls the transaction back */
export const orRollBack = (verdict: Verdict | undefined): Verdict => {
  if (verdict === undefined) throw new Error('The append was left unanswered')
  if (verdict.isErr()) throw new Refused(verdict)
  return verdict
}

/** The verdict of `transaction`, which ends with {@link orRollBack}. */
export const verdictOf = async (transaction: Promise<Verdict>): Promise<Verdict> => {
  try {
    return await transaction
  } catch (thrown) {
    if (thrown instanceof Refused) return thrown.verdict
    throw thrown
  }
}

/**
 * Runs a function of the host in a synchronous transaction that has begun.
 *
 * @throws InTransactionFailed when it throws, or returns a promise: its statements would run after the commit
 */
export const runSynchronously = ({ run }: InTransaction, client: unknown): void => {
  let returned: unknown
  try {
    // Cast: `inTransaction` of the subpath of this store made it for this client.
    returned = run(client as never)
  } catch (cause) {
    throw new InTransactionFailed(cause)
  }
  if (typeof fieldOf(returned, 'then') !== 'function') return
  Promise.resolve(returned).catch(() => undefined)
  throw new InTransactionFailed(
    undefined,
    'must write its rows before it returns: this store takes no function that returns a promise',
  )
}
