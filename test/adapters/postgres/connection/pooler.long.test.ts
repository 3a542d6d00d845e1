import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import { loadPg, ownDriver } from '../../../../src/adapters/postgres/pg.js'
import { eventRestoreLaws, eventStoreLaws } from '../../../../src/laws/index.js'
import { checkpointLaws, headLaws } from '../../../../src/laws/read-model/checkpoint-laws.js'
import { addSamples, context, good, iamOn, logOf } from '../../../application/host.js'
import {
  type Pgbouncer,
  startPgbouncer,
  withoutPgbouncer,
  withoutPreparedStatements,
} from '../../../pgbouncer.js'
import { type PostgresServer, startPostgres } from '../../../postgres-server.js'
import { databaseHome } from '../../read-model-home.js'
import { newSchema, schemas } from '../test-schemas.js'
import { sessionSettings } from './session-settings.js'

let server: PostgresServer
let pooler: Pgbouncer
/** It lends by session. */
let sessions: Pgbouncer

const ignore = (): void => undefined

/** Answers to one question, over a connection of its own. */
const asked = async (text: string, connectionString: string = server.connectionString) => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const answer = await client.query(text)
  await client.end()
  return answer
}

beforeAll(async () => {
  if (withoutPgbouncer !== undefined)
    return void process.stderr.write(`SKIPPED: ${withoutPgbouncer}\n`)
  server = await startPostgres({ settings: ['fsync=off'] })
  pooler = await startPgbouncer(server.port, 3)
  sessions = await startPgbouncer(server.port, 3, ['pool_mode = session'])
})

beforeEach(({ skip }) => skip(withoutPgbouncer !== undefined, withoutPgbouncer))

afterAll(async () => {
  await sessions?.[Symbol.asyncDispose]()
  await pooler?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
})

const ISOLATIONS = ['read committed', 'serializable'] as const

describe.each(ISOLATIONS)('Behind PgBouncer, where transactions are %s by default', (isolation) => {
  beforeAll(async () => {
    if (withoutPgbouncer !== undefined) return
    const client = new pg.Client({ connectionString: server.connectionString })
    await client.connect()
    await client.query(`ALTER DATABASE postgres SET default_transaction_isolation = '${isolation}'`)
    await client.end()
  })

  test('nothing is left for the next program on a connection', async () => {
    await using pooler = await startPgbouncer(server.port, 1)
    const { connectionString } = pooler
    const neighbour = new pg.Pool({ connectionString, max: 1 })
    const before = await sessionSettings(neighbour)
    const opened = await openPostgres({ connectionString, schema: newSchema() })
    const iam = iamOn(opened.store, opened)
    await addSamples(iam)
    const keyed = { ...context, idempotencyKey: 'key' }
    for (const _ of [1, 2]) await good(iam.projects.add({ id: 'keyed', name: 'n' }, keyed))
    expect((await good(iam.projects.list({}, context))).items.length).toBe(2)
    expect(await sessionSettings(neighbour)).toEqual(before)
    await opened.close()
    expect(await sessionSettings(neighbour)).toEqual(before)
    const { rows } = await neighbour.query('SELECT name FROM pg_prepared_statements')
    expect(rows).toEqual([])
    await neighbour.end()
  })

  test('it is listened through only when it was named for that', async () => {
    const driver = await loadPg()
    const listenThrough = async (connectionString: string, named?: string) => {
      const { listen, close } = ownDriver(driver, { connectionString }, false, named)
      const end = await listen?.('c', ignore, ignore)
      await end?.()
      await close?.()
    }
    const { connectionString } = pooler
    await expect(listenThrough(connectionString)).rejects.toThrow('A pooler may be unable')
    // The same address counts where it was named, too.
    await listenThrough(connectionString, connectionString)
    await listenThrough(server.connectionString)
  })

  test('writers of several processes do not get in the way of each other', async () => {
    const { connectionString } = pooler
    const schema = newSchema()
    const opened = await Promise.all(
      [1, 2, 3].map(() => openPostgres({ connectionString, schema })),
    )
    const added = opened.flatMap((postgres, process) => {
      const iam = iamOn(postgres.store, postgres)
      return Array.from({ length: 20 }, async (_, n) => {
        const { projectId } = await good(iam.projects.add({ name: `${process}/${n}` }, context))
        await good(iam.projects.patch({ id: projectId, name: 'n' }, context))
        return (await good(iam.projects.get({ id: projectId }, context))).name
      })
    })
    expect(await Promise.all(added)).toEqual(added.map(() => 'n'))
    const [first] = opened
    expect(first && (await logOf(first.store)).length).toBe(2 * added.length)
    for (const { close } of opened) await close()
  })
})

/** Resolves with the second time that a store is woken: the first is when it begins to listen. */
const heard = ({ store }: Postgres): Promise<void> => {
  let count = 0
  return new Promise((resolve) => store.onAppend?.(() => ++count === 2 && resolve()))
}

describe('A subscriber behind PgBouncer', () => {
  test('sees what other processes write: it looks from time to time', async () => {
    const schema = newSchema()
    const writer = await openPostgres({ connectionString: server.connectionString, schema })
    const reader = await openPostgres({ connectionString: pooler.connectionString, schema })
    const events = iamOn(reader.store, reader).subscribe()[Symbol.asyncIterator]()
    for (const id of ['portal', 'shop']) {
      const next = events.next()
      await good(iamOn(writer.store, writer).projects.add({ id, name: id }, context))
      expect((await next).value).toMatchObject({ type: 'project.added', data: { id } })
    }
    await events.return?.()
    for (const { close } of [reader, writer]) await close()
  })

  test.each([
    ['a direct connection', () => server],
    ['a pooler that lends by session', () => sessions],
  ])('hears of it at once over %s', async (_, address) => {
    const schema = newSchema()
    const writer = await openPostgres({ connectionString: server.connectionString, schema })
    const { connectionString } = pooler
    const listenConnectionString = address().connectionString
    const reader = await openPostgres({ connectionString, listenConnectionString, schema })
    const woken = heard(reader)
    await expect
      .poll(async () => {
        const { rows } = await asked(
          `SELECT FROM pg_stat_activity WHERE query = 'LISTEN "claviger_${schema}"'`,
        )
        return rows.length
      })
      .toBe(1)
    await good(iamOn(writer.store, writer).projects.add({ name: 'Portal' }, context))
    await woken
    for (const { close } of [reader, writer]) await close()
  })
})

describe('Behind PgBouncer with prepared statements', () => {
  const reason = withoutPreparedStatements()

  beforeAll(() => {
    if (reason !== undefined) process.stderr.write(`SKIPPED: ${reason}\n`)
  })

  test.skipIf(reason !== undefined)('processes get along, and prepare nothing', async () => {
    await using preparing = await startPgbouncer(server.port, 1, ['max_prepared_statements = 100'])
    const { connectionString } = preparing
    const schema = newSchema()
    const opened = await Promise.all([1, 2].map(() => openPostgres({ connectionString, schema })))
    for (const [index, postgres] of opened.entries()) {
      const iam = iamOn(postgres.store, postgres)
      await good(iam.projects.add({ name: `${index}` }, context))
      expect((await good(iam.projects.list({}, context))).totalSize).toBe(index + 1)
    }
    expect((await asked('SELECT name FROM pg_prepared_statements', connectionString)).rows).toEqual(
      [],
    )
    for (const { close } of opened) await close()
  })
})

describe('Behind PgBouncer', () => {
  test.each([...eventStoreLaws, ...eventRestoreLaws])('the store: $name', async ({ check }) => {
    const { connectionString } = pooler
    const listenConnectionString = server.connectionString
    await using harness = schemas((schema) => ({
      connectionString,
      listenConnectionString,
      schema,
    }))
    await check(harness)
  })

  // Statements are the same as without a pooler; what spans several of them may go to another session.
  test.each([...checkpointLaws, ...headLaws])('the read model: $name', async ({ check }) => {
    const { connectionString } = pooler
    const opened: Postgres[] = []
    const home = databaseHome(newSchema, async (schema) => {
      const postgres = await openPostgres({ connectionString, schema })
      opened.push(postgres)
      return postgres
    })
    await check(home)
    for (const { close } of opened) await close()
  })
})
