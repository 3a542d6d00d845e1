import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { inTransaction, openSqlite } from '../../../src/adapters/sqlite/index.js'
import { type InTransactionHarness, inTransactionLaws } from '../../../src/laws/index.js'
import { BrokenLaw } from '../../../src/laws/law.js'
import {
  type Append,
  type EventStore,
  type InTransaction,
  InTransactionFailed,
} from '../../../src/ports/event-store.js'

/** A store with one fault, and a law that must find it. */
interface Fault {
  readonly fault: string
  readonly law: string
  readonly append: (sound: EventStore, handle: DatabaseSync) => EventStore['append']
}

const alone = ({ inTransaction: _, ...append }: Append): Append => append

/** Runs the function of the host in a transaction of its own. */
const runAlone = (work: InTransaction, handle: DatabaseSync): void => {
  handle.exec('BEGIN')
  try {
    work.run(handle as never)
  } catch (cause) {
    handle.exec('ROLLBACK')
    throw new InTransactionFailed(cause)
  }
  handle.exec('COMMIT')
}

/** The same append with another function. */
const withWork = (append: Append, run: (work: InTransaction, handle: never) => void): Append => {
  const { inTransaction: work } = append
  return work ? { ...append, inTransaction: { ...work, run: (h: never) => run(work, h) } } : append
}

const FAULTS: readonly Fault[] = [
  {
    fault: 'appends before the function, whose failure comes too late',
    law: 'The function runs once for an append, before anything is recorded.',
    append: (sound, handle) => async (append) => {
      const recorded = await sound.append(alone(append))
      if (append.inTransaction && recorded.isOk()) runAlone(append.inTransaction, handle)
      return recorded
    },
  },
  {
    fault: 'commits the rows before the append',
    law: 'A lost race rolls the rows back.',
    append: (sound, handle) => async (append) => {
      if (append.inTransaction) runAlone(append.inTransaction, handle)
      return sound.append(alone(append))
    },
  },
  {
    fault: 'commits though the function failed',
    law: 'What the function throws is the cause of the rejection, and nothing is recorded.',
    append: (sound) => (append) =>
      sound.append(
        withWork(append, (work, handle) => {
          try {
            work.run(handle)
          } catch {
            // Forgotten.
          }
        }),
      ),
  },
  {
    fault: 'rejects with another error than the one thrown',
    law: 'What the function throws is the cause of the rejection, and nothing is recorded.',
    append: (sound) => (append) =>
      sound.append(
        withWork(append, (work, handle) => {
          try {
            work.run(handle)
          } catch (cause) {
            throw new Error('The function failed', { cause })
          }
        }),
      ),
  },
  {
    fault: 'runs the function again for a used key, and keeps its rows',
    law: 'A used idempotency key rolls the rows back.',
    append: (sound, handle) => async (append) => {
      const recorded = await sound.append(append)
      const isRepeat = recorded.isErr() && recorded.error.kind === 'IdempotencyKeyUsed'
      if (append.inTransaction && isRepeat) runAlone(append.inTransaction, handle)
      return recorded
    },
  },
  {
    fault: 'runs the function twice',
    law: 'The function runs once for an append, before anything is recorded.',
    append: (sound) => (append) =>
      sound.append(
        withWork(append, (work, handle) => {
          work.run(handle)
          work.run(handle)
        }),
      ),
  },
  {
    fault: 'leaves the function out of an append without events',
    law: 'An append without events commits the rows if its streams are as expected.',
    append: (sound) => (append) =>
      sound.append(append.writes.some(({ events }) => events.length > 0) ? append : alone(append)),
  },
  {
    fault: 'commits the rows of an append without events, whatever its streams',
    law: 'A lost race rolls the rows back.',
    append: (sound, handle) => async (append) => {
      if (!append.inTransaction || append.writes.some(({ events }) => events.length > 0))
        return sound.append(append)
      runAlone(append.inTransaction, handle)
      return sound.append(alone(append))
    },
  },
  {
    fault: 'takes $1 in data for a parameter',
    law: 'Data of events that look like SQL are recorded as they are.',
    append: (sound) => (append) =>
      sound.append({
        ...append,
        writes: append.writes.map((write) => ({
          ...write,
          events: write.events.map((event) => ({
            ...event,
            data: JSON.parse(JSON.stringify(event.data).replaceAll('$1', '1')),
          })),
        })),
      }),
  },
  {
    fault: 'leaves the function out',
    law: 'Rows of the host are committed with the events of an append.',
    append: (sound) => (append) => sound.append(alone(append)),
  },
  {
    fault: 'commits the rows of everybody who races',
    law: 'Of appends that race for one stream, one commits its row.',
    append: (sound, handle) => async (append) => {
      const recorded = await sound.append(append)
      if (append.inTransaction && recorded.isErr()) runAlone(append.inTransaction, handle)
      return recorded
    },
  },
]

/** Stores on open handles, each with a table of the host. */
const harness = (append?: Fault['append']): InTransactionHarness => {
  const handles = new Map<EventStore, DatabaseSync>()
  const openOn = (handle: DatabaseSync): EventStore => {
    const { store: sound } = openSqlite(handle)
    const store = append ? { ...sound, append: append(sound, handle) } : sound
    handles.set(store, handle)
    return store
  }
  const handleOf = (store: EventStore) => handles.get(store) ?? new DatabaseSync(':memory:')
  return {
    open: async () => {
      const handle = new DatabaseSync(':memory:')
      const store = openOn(handle)
      handle.exec('CREATE TABLE host_row (text TEXT)')
      return store
    },
    reopen: async (store) => openOn(handleOf(store)),
    insert: (row, then) =>
      inTransaction((handle: DatabaseSync) => {
        handle.prepare('INSERT INTO host_row (text) VALUES (?)').run(row)
        then?.()
      }),
    rows: async (store) =>
      handleOf(store)
        .prepare('SELECT text FROM host_row ORDER BY rowid')
        .all()
        .map(({ text }) => String(text)),
  }
}

describe('A law of transactions with rows of a host', () => {
  test.each(inTransactionLaws)('holds for a sound store: $name', ({ check }) => check(harness()))

  test.each(FAULTS)('finds a store that $fault', async ({ law, append }) => {
    const found = inTransactionLaws.find(({ name }) => name === law)
    expect(found?.name).toBe(law)
    await expect(found?.check(harness(append))).rejects.toThrow(BrokenLaw)
  })

  test('finds one of these faults, whichever law it is', () => {
    const found = new Set(FAULTS.map(({ law }) => law))
    expect(inTransactionLaws.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([])
  })
})
