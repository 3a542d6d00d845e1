import type { PoolClient } from 'pg'
import { expect, test } from 'vitest'
import { inTransaction, openPostgres } from '../../../../src/adapters/postgres/index.js'
import { context, iamOn } from '../../../application/host.js'
import { startPostgres } from '../../../postgres-server.js'
import { killed } from '../../../processes/pairs.js'
import { type Moment, tcpProxy } from '../../../tcp-proxy.js'
import { temporaryFile } from '../../sqlite/temporary-file.js'
import { postgresForPairs, sqliteForPairs } from './pairs.js'

/** How long each test kills, in milliseconds. */
const TIME_MS = Number(process.env['KILLS_MS'] ?? 20_000)

const task = () => ({ kills: 1000, processes: 3, until: Date.now() + TIME_MS })

test('Killed at random moments, processes leave no invoice without its right on SQLite.', async () => {
  await using database = await sqliteForPairs(temporaryFile())
  expect(await killed(database.place, task(), database.left)).toBeGreaterThan(10)
}, 60_000)

test('Killed at random moments, processes leave no invoice without its right on PostgreSQL.', async () => {
  await using server = await startPostgres()
  await using database = await postgresForPairs(server.connectionString)
  expect(await killed(database.place, task(), database.left)).toBeGreaterThan(10)
}, 60_000)

const TEXTS = ['BEGIN', 'INSERT INTO invoice', 'pg_advisory_xact_lock', 'COMMIT', 'unnest']
const MOMENTS: readonly Moment[] = ['before the request', 'before the answer']

test('Cut off from PostgreSQL 1,000 times at any message, writers leave no half of a pair.', async () => {
  await using server = await startPostgres({ settings: ['fsync=off'] })
  await using database = await postgresForPairs(server.connectionString)
  await using proxy = await tcpProxy(server.port)
  const connectionString = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`
  const opened = await openPostgres({ connectionString, views: true })
  const iam = iamOn(opened.store, { ...opened, authorize: () => true })
  const recorded: string[] = []
  const refused: string[] = []
  const give = async (id: string): Promise<void> => {
    const rows = inTransaction(async (client: PoolClient) => {
      await client.query('INSERT INTO invoice (id) VALUES ($1)', [id])
    })
    try {
      const given = await iam.userGrants.add(
        { userId: id, projectId: 'portal', roles: [{ roleKey: 'approver' }] },
        { ...context, inTransaction: rows },
      )
      if (given.isOk()) recorded.push(id)
      else if (given.error.kind !== 'Unavailable' || given.error.outcome === 'not_recorded')
        refused.push(id)
    } catch {
      // The function of the host was cut off.
      refused.push(id)
    }
  }
  for (let cuts = 0; cuts < 1000; cuts++) {
    const text = TEXTS[cuts % TEXTS.length] ?? ''
    proxy.cutAt(text, MOMENTS[Math.floor(cuts / TEXTS.length) % 2] ?? 'before the request')
    await Promise.all([give(`a${cuts}`), give(`b${cuts}`)])
  }
  await opened.close()
  const { invoices, events, shown } = await database.left()
  expect(events).toEqual(invoices)
  expect(shown).toEqual(invoices)
  const kept = new Set(invoices)
  expect(recorded.filter((id) => !kept.has(id))).toEqual([])
  expect(refused.filter((id) => kept.has(id))).toEqual([])
  expect(recorded.length).toBeGreaterThan(500)
  expect(refused.length).toBeGreaterThan(100)
}, 120_000)
