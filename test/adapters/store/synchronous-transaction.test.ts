import { err, ok } from 'neverthrow'
import { expect, test, vi } from 'vitest'
import {
  inTransactionOf,
  orRollBack,
  runSynchronously,
  verdictOf,
} from '../../../src/adapters/store/in-transaction.js'
import { InTransactionFailed } from '../../../src/index.js'

const conflict = err({ kind: 'VersionConflict', stream: 'law-a' } as const)

test('A function of the host is for one kind of store, and must be a function', () => {
  const run = () => undefined
  expect(inTransactionOf('SQLite', run)).toEqual({ transactions: 'SQLite', run })
  expect(() => inTransactionOf('SQLite', 'x' as never)).toThrow(
    new TypeError('inTransaction takes a function'),
  )
})

test('A refused append rolls its transaction back, and is the verdict on it', async () => {
  const committed = vi.fn()
  const transaction = async () => {
    const verdict = orRollBack(conflict)
    committed()
    return verdict
  }
  expect(await verdictOf(transaction())).toBe(conflict)
  expect(committed).not.toHaveBeenCalled()
  expect(() => orRollBack(conflict)).toThrow(
    expect.objectContaining({ name: 'Refused', message: 'The append was refused' }),
  )
})

test('A recorded append is committed', async () => {
  const recorded = ok([])
  expect(await verdictOf(Promise.resolve(orRollBack(recorded)))).toBe(recorded)
})

test('What else ends the transaction is thrown as it is', async () => {
  const fault = new Error('disk full')
  await expect(verdictOf(Promise.reject(fault))).rejects.toBe(fault)
  expect(() => orRollBack(undefined)).toThrow('The append was left unanswered')
})

test('What the function of the host throws is the cause of its failure', () => {
  const cause = new Error('no stock')
  const run = () => {
    throw cause
  }
  expect(() => runSynchronously({ transactions: 'SQLite', run }, {})).toThrow(
    expect.objectContaining({ name: 'InTransactionFailed', cause, objection: undefined }),
  )
})

test('It is handed the client, and may return anything but a promise', () => {
  const client = {}
  const run = vi.fn(() => JSON.parse('{"then":"later"}'))
  runSynchronously({ transactions: 'SQLite', run }, client)
  expect(run).toHaveBeenCalledExactlyOnceWith(client)
})

test('A promise that it returns is refused, and ends nothing when it rejects', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const run = () => Promise.reject(new Error('too late'))
  expect(() => runSynchronously({ transactions: 'SQLite', run }, {})).toThrow(
    expect.objectContaining({
      objection: expect.stringMatching(/^must write its rows before it returns: .* promise$/),
    }),
  )
  expect(() => runSynchronously({ transactions: 'SQLite', run }, {})).toThrow(InTransactionFailed)
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})
