import pg from 'pg'
import { describe, expect, it, vi } from 'vitest'
import {
  openPostgres,
  type PostgresDriver,
  postgresCursors,
} from '../../../src/adapters/postgres/index.js'
import { checkPostgresOptions } from '../../../src/adapters/postgres/options.js'

const connectionString = 'postgres://localhost/database'

const naming = (option: string) => ({
  name: 'TypeError',
  message: expect.stringMatching(new RegExp(`^${option}.* must be `)),
})

describe('Opening PostgreSQL', () => {
  it.each([
    [[]],
    [[null]],
    [[connectionString]],
    [[{}]],
    [[{ connectionString: undefined }]],
    [[{ connectionString: '' }]],
    [[{ connectionString: 5432 }]],
    [[{ pool: {} }]],
    [[{ pool: connectionString }]],
  ])('connects nowhere without an address: %j', async (given) => {
    const opening: Promise<unknown> = Reflect.apply(openPostgres, undefined, given)
    await expect(opening).rejects.toMatchObject(naming('connectionString'))
  })

  it.each(['hello world', 'host=localhost', 'localhost:5432/database', 'user:secret@localhost/db'])(
    'takes %s for no address, where the driver would look for a host called base, and does not show it',
    async (text) => {
      const opening = openPostgres({ connectionString: text })
      await expect(opening).rejects.toMatchObject(naming('connectionString'))
      await expect(opening).rejects.not.toThrow(text)
      const listening = openPostgres({ connectionString, listenConnectionString: text })
      await expect(listening).rejects.toMatchObject(naming('listenConnectionString'))
      await expect(listening).rejects.not.toThrow(text)
    },
  )

  it.each([
    'postgres://user:secret@one:5432,two:5432/database',
    'postgres://user:secret@localhost:99999/database',
    'postgres://user:secret%ff@localhost/database',
  ])('takes %s for no address, of which the driver makes nothing', async (text) => {
    for (const [option, given] of [
      ['connectionString', { connectionString: text }],
      ['listenConnectionString', { connectionString, listenConnectionString: text }],
    ] as const) {
      await expect(openPostgres(given)).rejects.toMatchObject(naming(option))
      await expect(openPostgres(given)).rejects.not.toThrow('secret')
    }
  })

  it('refuses text for `migrate`, which would count as true', async () => {
    const opening = openPostgres({ connectionString, migrate: 'false' as never })
    await expect(opening).rejects.toMatchObject(naming('migrate'))
  })

  it('reports why opening failed when closing then fails, too', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const driver: PostgresDriver = {
      connect: () => Promise.reject(new Error('away')),
      close: () => Promise.reject(new Error('late')),
    }
    await expect(openPostgres({ driver })).rejects.toThrow('away')
    await new Promise(setImmediate)
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('says which file is missing that an address names', async () => {
    const opening = openPostgres({ connectionString: `${connectionString}?sslrootcert=/nowhere` })
    await expect(opening).rejects.toThrow('/nowhere')
  })

  it.each([
    ['url', { url: connectionString }],
    ['connectionstring', { connectionstring: connectionString }],
    ['conectTimeout', { connectionString, conectTimeout: undefined }],
    ['Schema, migrations', { pool: new pg.Pool(), Schema: 'claviger', migrations: false }],
  ])('names options that it does not have: %s', async (names, given) => {
    const opening = openPostgres(given as never)
    await expect(opening).rejects.toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(new RegExp(`^openPostgres has no option ${names};`)),
    })
  })

  it('listens nowhere without an address', async () => {
    for (const listenConnectionString of ['', 5432, {}]) {
      const opening = openPostgres({ connectionString, listenConnectionString } as never)
      await expect(opening).rejects.toMatchObject(naming('listenConnectionString'))
    }
  })

  it.each([
    'postgres://user:secret@localhost:5432/database?sslmode=require',
    'postgresql:///database?host=/var/run/postgresql',
    'postgresql+other://localhost/database',
    'POSTGRES://%2Fvar%2Frun/database',
    'postgres://user:50%secret@localhost/database',
    'postgres://user:secret@/database?host=/var/run',
    '/var/run/postgresql database',
    'socket:/var/run/postgresql?db=database',
  ])('takes %s for an address', (address) => {
    expect(() => checkPostgresOptions({ connectionString: address })).not.toThrow()
    expect(() =>
      checkPostgresOptions({ pool: new pg.Pool(), listenConnectionString: address }),
    ).not.toThrow()
  })

  it.each(['maxConnections', 'connectTimeout', 'statementTimeout'])(
    'takes nothing but a number for %s',
    async (option) => {
      for (const wrong of ['5', null, {}, Number.NaN]) {
        const opening = openPostgres({ connectionString, [option]: wrong } as never)
        await expect(opening).rejects.toMatchObject(naming(option))
      }
    },
  )

  it.each([
    ['replica.connectionString', {}],
    ['replica.connectionString', { connectionString: 'localhost:5432' }],
    ['replica.connectionString', { pool: {} }],
    ['replica.maxConnections', { connectionString, maxConnections: '5' }],
    ['replica', 'postgres://standby/database'],
    ['replica', null],
  ])('takes no other %s: %j', async (option, replica) => {
    const opening = openPostgres({ connectionString, replica } as never)
    await expect(opening).rejects.toMatchObject(naming(option))
  })

  const connect = () => Promise.reject(new Error('away'))
  const [pool, driver] = [new pg.Pool(), { connect }]
  it.each([
    ['pool', { driver, pool }],
    ['connectionString', { driver, connectionString }],
    ['connectTimeout', { driver, connectTimeout: 5 }],
    ['connectionString', { pool, connectionString }],
    ['ssl', { pool, ssl: true }],
    ['maxConnections', { pool, maxConnections: 5 }],
    ['statementTimeout', { pool, statementTimeout: 5 }],
    ['pool', { connectionString, pool: {} }],
    ['driver', { connectionString, driver: {} }],
    ['replica.pool', { pool, replica: { driver, pool } }],
    ['replica.maxConnections', { pool, replica: { pool, maxConnections: 5 } }],
  ])('ignores no %s beside another way to the database', async (option, given) => {
    await expect(openPostgres(given as never)).rejects.toMatchObject(naming(option))
    if ('replica' in given) return
    expect(() => postgresCursors(given as never)).toThrow(expect.objectContaining(naming(option)))
  })

  it('takes an option that is undefined for one that is absent', () => {
    const absent = { connectionString: undefined, ssl: undefined, maxConnections: undefined }
    expect(() => checkPostgresOptions({ ...absent, pool, driver: undefined })).not.toThrow()
    expect(() => checkPostgresOptions({ ...absent, driver, pool: undefined })).not.toThrow()
  })

  it('names options that a replica does not have', async () => {
    for (const unknown of ['schema', 'migrate', 'listenConnectionString', 'maxWait']) {
      const replica = { connectionString, [unknown]: undefined }
      await expect(openPostgres({ connectionString, replica } as never)).rejects.toMatchObject({
        name: 'TypeError',
        message: expect.stringMatching(new RegExp(`^replica has no option ${unknown};`)),
      })
    }
  })
})
