import type { EventStore, InTransaction } from '../../ports/event-store.js'
import { InTransactionFailed } from '../../ports/event-store.js'
import { BrokenLaw, demand, demandEqual, type Law } from '../law.js'
import {
  appendOf,
  type EventStoreHarness,
  firstOf,
  record,
  verdict,
  wholeLog,
  write,
} from './harness.js'

/** How the laws of `inTransaction` write rows of a host next to a store. */
export interface InTransactionHarness extends EventStoreHarness {
  /**
   * Inserts `row` into a table of the host with one text column, and then calls `then`, whose errors it throws. The table
   * is empty for each store that `open` returns, and has no constraint.
   */
  insert(row: string, then?: () => void): InTransaction
  /** The rows of that table beside `store`, in the order inserted. */
  rows(store: EventStore): Promise<readonly string[]>
}

/** A promise of a store that writes rows of the host in the transaction of an append. */
export type InTransactionLaw = Law<InTransactionHarness>

type Check = (store: EventStore, harness: InTransactionHarness) => Promise<void>

const laws = (checks: Readonly<Record<string, Check>>): readonly InTransactionLaw[] =>
  Object.entries(checks).map(([name, check]) => ({
    name,
    check: async (harness) => check(await harness.open(), harness),
  }))

/** What the log and the rows of the host are expected to hold. */
const demandBoth = async (
  { rows }: InTransactionHarness,
  store: EventStore,
  expected: { readonly events: number; readonly rows: readonly string[] },
): Promise<void> => {
  demandEqual('the number of events', (await wholeLog(store)).length, expected.events)
  demandEqual('the rows of the host', await rows(store), expected.rows)
}

/** The failure with which `store` rejects `append`. */
const failureOf = async (store: EventStore, append: Parameters<EventStore['append']>[0]) => {
  try {
    await store.append(append)
  } catch (failure) {
    demand(failure instanceof InTransactionFailed, `an InTransactionFailed, not ${failure}`)
    return failure
  }
  throw new BrokenLaw('Expected the append to be rejected')
}

/**
 * The promises of a store that has `transactions`: rows of the host and events are committed together or not at all.
 *
 * @example
 * ```ts
 * for (const { name, check } of inTransactionLaws) test(name, () => check({ open, reopen, insert, rows }))
 * ```
 */
export const inTransactionLaws: readonly InTransactionLaw[] = laws({
  'Rows of the host are committed with the events of an append.': async (store, harness) => {
    const append = { ...firstOf('law-a'), inTransaction: harness.insert('a') }
    demandEqual('the kind', append.inTransaction.transactions, store.transactions)
    const recorded = await record(store, append)
    demandEqual('what append returns', recorded, await wholeLog(store))
    demandEqual('what findAppend returns', await store.findAppend({ id: append.id }), recorded)
    const many = appendOf([write('law-b', 0, {}, {}), write('law-c', 0, {}), write('law-a', 1)])
    await record(store, { ...many, inTransaction: harness.insert("b '\\ $1 E'") })
    await demandBoth(harness, store, { events: 4, rows: ['a', "b '\\ $1 E'"] })
  },
  'The function runs once for an append, before anything is recorded.': async (store, harness) => {
    let runs = 0
    const count = () => {
      runs++
    }
    const fail = () => {
      throw new Error('no')
    }
    await record(store, { ...firstOf('law-a'), inTransaction: harness.insert('a', count) })
    demandEqual('its runs', runs, 1)
    // Had the append come first, another one would have been told of it.
    await failureOf(store, { ...firstOf('law-b'), inTransaction: harness.insert('b', fail) })
    demandEqual('the events of the stream', await store.readStream('law-b'), [])
  },
  'Data of events that look like SQL are recorded as they are.': async (store, harness) => {
    const data = {
      text: `$1 $2 'x' \\ E'' "; COMMIT; $$ $body$ \u2028 \u{1f511} --`,
      list: ['{', '}', ','],
    }
    const append = appendOf([write('law-a', 0, data)], { idempotencyKey: `'\\$1`, reason: "it's" })
    const [event] = await record(store, { ...append, inTransaction: harness.insert('a') })
    demandEqual('the data', event?.data, data)
    demandEqual('the metadata', event?.metadata, append.metadata)
  },
  'A lost race rolls the rows back.': async (store, harness) => {
    await record(store, firstOf('law-a'))
    for (const writes of [
      [write('law-a', 0, {})],
      [write('law-b', 0, {}), write('law-a', 0)],
      [write('law-a', 2, {})],
      [write('law-b', 1)],
    ]) {
      const inTransaction = harness.insert('lost')
      const stream = writes.at(-1)?.stream
      const refused = await verdict(store, { ...appendOf(writes), inTransaction })
      demandEqual('its verdict', refused, { kind: 'VersionConflict', stream })
    }
    await demandBoth(harness, store, { events: 1, rows: [] })
  },
  'A used idempotency key rolls the rows back.': async (store, harness) => {
    const idempotencyKey = 'key'
    await record(store, {
      ...firstOf('law-a', { idempotencyKey }),
      inTransaction: harness.insert('first'),
    })
    const inTransaction = harness.insert('second')
    const refused = await verdict(store, { ...firstOf('law-b', { idempotencyKey }), inTransaction })
    demandEqual('its verdict', refused, { kind: 'IdempotencyKeyUsed' })
    await demandBoth(harness, store, { events: 1, rows: ['first'] })
  },
  'An append without events commits the rows if its streams are as expected.': async (
    store,
    harness,
  ) => {
    await record(store, firstOf('law-a'))
    const unchanged = appendOf([write('law-a', 1), write('law-b', 0)])
    const recorded = await record(store, { ...unchanged, inTransaction: harness.insert('a') })
    demandEqual('the events', recorded, [])
    await demandBoth(harness, store, { events: 1, rows: ['a'] })
  },
  'What the function throws is the cause of the rejection, and nothing is recorded.': async (
    store,
    harness,
  ) => {
    for (const reason of [new Error('no'), 'no', undefined, null]) {
      const inTransaction = harness.insert('a', () => {
        throw reason
      })
      const { cause, outcome, objection } = await failureOf(store, {
        ...firstOf('law-a'),
        inTransaction,
      })
      demand(Object.is(cause, reason), `the cause to be ${reason}, not ${cause}`)
      demandEqual('the outcome', outcome, 'not_recorded')
      demandEqual('the objection', objection, undefined)
    }
    await demandBoth(harness, store, { events: 0, rows: [] })
    await record(store, { ...firstOf('law-a'), inTransaction: harness.insert('after') })
    await demandBoth(harness, store, { events: 1, rows: ['after'] })
  },
  'Of appends that race for one stream, one commits its row.': async (store, harness) => {
    const other = await harness.reopen(store)
    const verdicts = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        verdict(n % 2 === 0 ? store : other, {
          ...firstOf('law-a'),
          inTransaction: harness.insert(`${n}`),
        }),
      ),
    )
    const winner = verdicts.indexOf(1)
    demandEqual('the winners', verdicts.filter((each) => each === 1).length, 1)
    await demandBoth(harness, store, { events: 1, rows: [`${winner}`] })
  },
})
