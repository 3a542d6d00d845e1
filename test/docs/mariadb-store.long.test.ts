import mysql, { type Pool } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mariadbStore } from '../../docs/examples/mariadb-store.js'
import { aesGcmCipher, createIam, type EventStore } from '../../src/index.js'
import { eventStoreLaws } from '../../src/laws/index.js'
import { type MariadbServer, startMariadb, withoutMariadb } from '../mariadb-server.js'
import { command } from '../processes/commands.js'
import type { Answer } from '../processes/writer.js'
import { checkLog } from '../processes/writing.js'

describe.skipIf(withoutMariadb)('The example of a store on MariaDB', () => {
  let server: MariadbServer
  let count = 0
  const pools: Pool[] = []
  const databases = new Map<EventStore, string>()

  beforeAll(async () => {
    server = await startMariadb()
  }, 60_000)

  afterAll(async () => {
    for (const pool of pools) await pool.end()
    await server[Symbol.asyncDispose]()
  })

  const poolOf = (database?: string): Pool => {
    const pool = mysql.createPool({
      host: '127.0.0.1',
      port: server.port,
      user: 'root',
      ...(database !== undefined && { database }),
    })
    pools.push(pool)
    return pool
  }

  const openAs = async (database: string): Promise<EventStore> => {
    const store = await mariadbStore(poolOf(database))
    databases.set(store, database)
    return store
  }

  const open = async (): Promise<EventStore> => {
    const database = `law_${++count}`
    await poolOf().query(`CREATE DATABASE ${database}`)
    return openAs(database)
  }

  const reopen = (store: EventStore) => openAs(databases.get(store) ?? '')

  test.each(eventStoreLaws)('$name', ({ check }) => check({ open, reopen }))

  test('Sixteen writers on four handles lose nothing, and each role is added once.', async () => {
    const first = await open()
    const stores = [first, await reopen(first), await reopen(first), await reopen(first)]
    const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
    const iams = stores.map((store) => createIam({ store, secrets, authorize: () => true }))
    const context = { caller: { userId: 'u1', orgId: 'acme' } }
    const shared = await iams[0]?.projects.add({ id: 'shared', name: 'Shared' }, context)
    expect(shared?.isOk()).toBe(true)

    const answers: Answer[] = []
    const write = async (writer: number): Promise<void> => {
      const iam = iams[writer % iams.length]
      for (let n = 0; iam && n < 60; n++) {
        const name = `w${writer}`
        const outcome = await command(iam, name, n)
        if (outcome.isOk()) {
          const positions = outcome.value.events.map(({ position }) => String(position))
          answers.push({ key: `${name}-${n}`, positions })
        } else {
          expect(outcome.error.kind).toMatch(/AlreadyExists|Aborted/)
        }
      }
    }
    await Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)))

    await checkLog(first, answers)
    const won = answers.filter(({ key }) => Number(key.split('-').at(-1)) % 4 === 3)
    expect(won.map(({ key }) => key.split('-').at(-1)).toSorted()).toEqual(
      Array.from({ length: 15 }, (_, n) => String(4 * n + 3)).toSorted(),
    )
  }, 120_000)
})
