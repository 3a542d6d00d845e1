import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import { inTransaction as forDurableObjects } from '../../../src/adapters/cloudflare/index.js'
import { inTransaction as forPostgres } from '../../../src/adapters/postgres/index.js'
import { inTransaction, openSqlite } from '../../../src/adapters/sqlite/index.js'
import {
  type Context,
  type EventStore,
  type InTransaction,
  StoreFault,
} from '../../../src/index.js'
import {
  addSamples,
  badFields,
  context,
  good,
  type Iam,
  iamOn,
  logOf,
  refusal,
  start,
} from '../host.js'

let database: DatabaseSync
let store: EventStore
let iam: Iam
let runs: number

beforeEach(async () => {
  database = new DatabaseSync(':memory:')
  const { store: opened, readModel } = openSqlite(database)
  store = opened
  iam = iamOn(store, { readModel })
  await addSamples(iam)
  database.exec('CREATE TABLE invoice (id TEXT)')
  runs = 0
})

/** Adds an invoice beside what is recorded. */
const invoice = (id: string): InTransaction =>
  inTransaction((handle: DatabaseSync) => {
    runs++
    handle.prepare('INSERT INTO invoice (id) VALUES (?)').run(id)
  })
const withInvoice = (id: string, more: Partial<Context> = {}): Context => ({
  ...context,
  ...more,
  inTransaction: invoice(id),
})
const invoices = () =>
  database
    .prepare('SELECT id FROM invoice')
    .all()
    .map(({ id }) => id)

const grant = { userId: 'ada', projectId: 'portal', roles: [{ roleKey: 'editor' }] }

describe('A write with rows of the host', () => {
  test('commits both, and the read model shows the object', async () => {
    const { changed } = await good(iam.userGrants.add(grant, withInvoice('i1')))
    expect(changed).toBe(true)
    expect(invoices()).toEqual(['i1'])
    const { items } = await good(iam.userGrants.list({}, context))
    expect(items.map(({ userId }) => userId)).toEqual(['ada'])
  })

  test('runs the function if it changes nothing, on the state that it decided on', async () => {
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    const { changed, events } = await good(
      iam.projects.deactivate({ id: 'portal' }, withInvoice('i1')),
    )
    expect({ changed, events }).toEqual({ changed: false, events: [] })
    expect(invoices()).toEqual(['i1'])
  })

  test('decides again when a write that changes nothing loses a race', async () => {
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    const other = iamOn(store)
    let isFirst = true
    const slow: EventStore = {
      ...store,
      append: async (append) => {
        if (isFirst) {
          isFirst = false
          await good(other.projects.reactivate({ id: 'portal' }, context))
        }
        return store.append(append)
      },
    }
    const { changed } = await good(
      iamOn(slow).projects.deactivate({ id: 'portal' }, withInvoice('i1')),
    )
    expect(changed).toBe(true)
    expect(invoices()).toEqual(['i1'])
    expect(runs).toBe(2)
  })

  test('does not run the function if it is refused', async () => {
    const missing = { ...grant, projectId: 'missing' }
    expect((await refusal(iam.userGrants.add(missing, withInvoice('i1')))).kind).toBe('NotFound')
    expect(runs).toBe(0)
  })

  test('runs the function again after a lost race, and keeps the rows of the last run', async () => {
    const other = iamOn(store)
    let races = 2
    const racing: EventStore = {
      ...store,
      append: async (append) => {
        if (races-- > 0) {
          const editor = { projectId: 'portal', roleKey: 'editor', displayName: `${races}` }
          await good(other.projectRoles.update({ ...editor, group: '' }, context))
        }
        return store.append(append)
      },
    }
    const editor = { projectId: 'portal', roleKey: 'editor', displayName: 'Mine', group: '' }
    await good(iamOn(racing).projectRoles.update(editor, withInvoice('i1')))
    expect(runs).toBe(3)
    expect(invoices()).toEqual(['i1'])
  })

  test('does not run the function again for a repeat under its idempotency key', async () => {
    const idempotencyKey = 'key'
    const first = await good(iam.userGrants.add(grant, withInvoice('i1', { idempotencyKey })))
    const again = await good(iam.userGrants.add(grant, withInvoice('i2', { idempotencyKey })))
    expect(again.details).toEqual(first.details)
    const deactivate = iamOn(store).userGrants.add(grant, withInvoice('i3', { idempotencyKey }))
    expect((await good(deactivate)).details).toEqual(first.details)
    expect(invoices()).toEqual(['i1'])
    expect(runs).toBe(1)
  })

  test('returns the outcome of its repeat when both write the same row at once', async () => {
    database.exec('CREATE UNIQUE INDEX one_invoice ON invoice (id)')
    const once = withInvoice('i1', { idempotencyKey: 'k1' })
    const both = await Promise.all([1, 2].map(() => good(iam.userGrants.add(grant, once))))
    expect(both[0]?.details).toEqual(both[1]?.details)
    expect(runs).toBe(2)
    expect(invoices()).toEqual(['i1'])
    const other = withInvoice('i1', { idempotencyKey: 'k2' })
    await expect(iam.userGrants.give({ ...grant, userId: 'bob' }, other)).rejects.toThrow('UNIQUE')
  })

  test('records nothing when nobody can tell whether its idempotency key was used', async () => {
    const cause = new StoreFault('away', 'unknown')
    const process = iamOn({ ...store, findAppend: () => Promise.reject(cause) })
    const call = process.userGrants.add(grant, withInvoice('i1', { idempotencyKey: 'key' }))
    expect(await refusal(call)).toEqual({ kind: 'Unavailable', outcome: 'not_recorded', cause })
    expect(runs).toBe(0)
  })

  test('does not run the function for a repeat whose command would change nothing now', async () => {
    const idempotencyKey = 'key'
    const id = { id: 'portal' }
    await good(iam.projects.deactivate(id, withInvoice('i1', { idempotencyKey })))
    const again = await good(iam.projects.deactivate(id, withInvoice('i2', { idempotencyKey })))
    expect(again.changed).toBe(true)
    expect(invoices()).toEqual(['i1'])
  })

  test.each([new Error('no stock'), 'no stock', undefined, { kind: 'NoStock' }])(
    'rejects with %s that the function throws, and records nothing',
    async (reason) => {
      const before = await logOf(store)
      const failing = inTransaction((handle: DatabaseSync) => {
        handle.exec("INSERT INTO invoice (id) VALUES ('i1')")
        throw reason
      })
      const rejected = await iam.userGrants.add(grant, { ...context, inTransaction: failing }).then(
        () => 'resolved',
        (thrown: unknown) => ({ thrown }),
      )
      expect(rejected).toEqual({ thrown: reason })
      expect(Object(rejected).thrown).toBe(reason)
      expect(invoices()).toEqual([])
      expect(await logOf(store)).toEqual(before)
    },
  )

  test('is refused if the function returns a promise', async () => {
    // @ts-expect-error: it does not compile either.
    const late = inTransaction(async () => undefined)
    const call = iam.userGrants.add(grant, { ...context, inTransaction: late })
    expect(await badFields(call)).toEqual(['inTransaction'])
  })
})

describe('inTransaction is refused', () => {
  const refusedBy = (call: Parameters<typeof badFields>[0]) =>
    expect(badFields(call)).resolves.toEqual(['inTransaction'])

  test('by reads', () => refusedBy(iam.projects.get({ id: 'portal' }, withInvoice('i1'))))
  test('by dry runs', () =>
    refusedBy(iam.userGrants.add(grant, { ...withInvoice('i1'), dryRun: true })))
  test('by methods of several appends', async () => {
    await refusedBy(iam.userGrants.removeAllOfUser({ userId: 'ada' }, withInvoice('i1')))
    await refusedBy(iam.userGrants.import({ grants: [] }, withInvoice('i1')))
    await refusedBy(iam.apply({ managedBy: 'x', version: 1 }, withInvoice('i1')))
    await refusedBy(iam.identityProviders.resealSecrets({}, withInvoice('i1')))
    expect(runs).toBe(0)
  })
  test('if it is for another store', async () => {
    for (const other of [forPostgres(async () => undefined), forDurableObjects(() => undefined)])
      await refusedBy(iam.userGrants.add(grant, { ...context, inTransaction: other }))
  })
  test('by a store that writes no rows of the host', async () => {
    await refusedBy(start().iam.projects.add({ name: 'Portal' }, withInvoice('i1')))
    const { append, readStream, readAll, lastPosition, findAppend } = store
    const custom = iamOn({ append, readStream, readAll, lastPosition, findAppend })
    await refusedBy(custom.projects.add({ name: 'Other' }, withInvoice('i1')))
  })
  test.each([{}, () => undefined, 'x', 1, null, { transactions: 'SQLite' }])(
    'if it is %s, which inTransaction did not make',
    (made) =>
      refusedBy(iam.userGrants.add(grant, { ...context, inTransaction: made as InTransaction })),
  )
  test('by inTransaction itself if it is not a function', () => {
    expect(() => inTransaction('x' as never)).toThrow(TypeError)
    expect(() => forPostgres('x' as never)).toThrow(TypeError)
    expect(() => forDurableObjects('x' as never)).toThrow(TypeError)
  })
})
