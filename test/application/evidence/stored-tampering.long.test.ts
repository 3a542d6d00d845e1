import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import pg from 'pg'
import { describe, expect, it, test } from 'vitest'
import { openPostgres } from '../../../src/adapters/postgres/index.js'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { generateSignerKey, logCheckpoint } from '../../../src/application/evidence/index.js'
import { type EventStore, type Position, verify } from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { searched } from '../../nightly.js'
import { startPostgres } from '../../postgres-server.js'
import { addSamples, context, good, iamOn, logOf } from '../host.js'

/** A store, and what somebody has who can write to its table. */
interface Opened extends AsyncDisposable {
  readonly store: EventStore
  /** Runs statements, with `$1`, `$2` for values. */
  readonly run: (sql: string, ...values: readonly (string | bigint)[]) => Promise<void>
}

const DATABASES: Readonly<Record<string, () => Promise<Opened>>> = {
  SQLite: async () => {
    const path = temporaryFile()
    const { store, close } = openSqlite(path)
    const database = new DatabaseSync(path)
    database.exec('PRAGMA synchronous = OFF')
    return {
      store,
      run: async (sql, ...values) => {
        if (values.length === 0) return database.exec(sql)
        const named = Object.fromEntries(values.map((value, at) => [`$${at + 1}`, value]))
        database.prepare(sql).run(named)
      },
      [Symbol.asyncDispose]: async () => {
        database.close()
        await close()
      },
    }
  },
  PostgreSQL: async () => {
    const server = await startPostgres({ settings: ['fsync=off'] })
    const { connectionString } = server
    const { store, close } = await openPostgres({ connectionString })
    const client = new pg.Client({ connectionString })
    await client.connect()
    await client.query('SET search_path TO claviger')
    return {
      store,
      run: async (sql, ...values) =>
        void (await (values.length > 0 ? client.query(sql, [...values]) : client.query(sql))),
      [Symbol.asyncDispose]: async () => {
        await client.end()
        await close()
        await server[Symbol.asyncDispose]()
      },
    }
  },
}

/** A change of the stored event at `position`; `other` is that of another event, `part` chooses a place in a text. */
type Tamper = (
  opened: Opened,
  place: { readonly position: Position; readonly other: Position; readonly part: number },
) => Promise<void>

/** Changes one character of a text; `substr` counts from 1. */
const ofText =
  (column: string): Tamper =>
  ({ run }, { position, part }) => {
    const at = `(1 + ${part} % length(${column}))`
    const found = `substr(${column}, ${at}, 1)`
    const changed = `CASE WHEN ${found} = 'x' THEN 'y' ELSE 'x' END`
    return run(
      `UPDATE events SET ${column} = substr(${column}, 1, ${at} - 1) || ${changed}
         || substr(${column}, ${at} + 1) WHERE position = $1`,
      position,
    )
  }

const ofNumber =
  (column: string): Tamper =>
  ({ run }, { position, part }) =>
    run(`UPDATE events SET ${column} = ${column} + ${1000 + part} WHERE position = $1`, position)

const COLUMNS = 'type, schema_version, data, metadata, append_id, begins_append, idempotency_key'

const TAMPERS: Readonly<Record<string, Tamper>> = {
  data: ofText('data'),
  metadata: ofText('metadata'),
  stream: ofText('stream'),
  type: ofText('type'),
  append: ofText('append_id'),
  version: ofNumber('version'),
  shape: ofNumber('schema_version'),
  time: ({ run }, { position }) =>
    run('UPDATE events SET position = position + 1 WHERE position = $1', position),
  removed: ({ run }, { position }) => run('DELETE FROM events WHERE position = $1', position),
  'cut off': ({ run }, { position }) => run('DELETE FROM events WHERE position >= $1', position),
  inserted: ({ run }, { position }) =>
    run(
      `INSERT INTO events (position, stream, version, ${COLUMNS})
       SELECT position - 1, stream || 'x', 1, ${COLUMNS.replace('idempotency_key', 'NULL')}
       FROM events WHERE position = $1`,
      position,
    ),
  swapped: async ({ run }, { position, other }) => {
    await run('UPDATE events SET position = -1 WHERE position = $1', position)
    await run('UPDATE events SET position = $1 WHERE position = $2', position, other)
    await run('UPDATE events SET position = $1 WHERE position = -1', other)
  },
}

const CHANGES = 30

describe.each(Object.entries(DATABASES))('A log that is kept in %s', (_, open) => {
  it('shows any single change of what is stored, at 1,000 random places', async () => {
    await using opened = await open()
    const { store, run } = opened
    const iam = iamOn(store)
    await addSamples(iam)
    for (let n = 0; n < CHANGES; n++)
      await good(iam.projects.add({ id: `p${n}`, name: `Project ${n} \u00e9\u{1f600}` }, context))
    // So that the positions beside an event are free.
    await run('UPDATE events SET position = position * 2')
    const { signer, verifier } = await generateSignerKey('acme.example/iam')
    const checkpoint = await good(logCheckpoint(store, { signer }))
    const positions = (await logOf(store)).map(({ position }) => position)
    const options = { checkpoints: [checkpoint], keys: [verifier] }
    await run('CREATE TABLE backup AS SELECT * FROM events')
    const place = fc.nat(positions.length - 1)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.entries(TAMPERS)),
        fc.uniqueArray(place, { minLength: 2, maxLength: 2 }),
        fc.nat(10_000),
        async ([, tamper], [at = 0, to = 0], part) => {
          const [position = 0n, other = 0n] = [positions[at], positions[to]]
          await tamper(opened, { position, other, part })
          const isFound = (await verify(store, options)).isErr()
          await run('DELETE FROM events; INSERT INTO events SELECT * FROM backup')
          return isFound
        },
      ),
      { numRuns: searched({ short: 300, nightly: 1_000 }) },
    )
    expect((await verify(store, options)).isOk()).toBe(true)
  })
})

test('An invalid byte in a name does not hide a stream of SQLite', async () => {
  await using opened = (await DATABASES['SQLite']?.()) as Opened
  const { store, run } = opened
  const iam = iamOn(store)
  await addSamples(iam)
  const grant = { projectId: 'portal', roles: [{ roleKey: 'editor' }] }
  await good(iam.userGrants.add({ ...grant, userId: 'ann \ufffd' }, context))
  const { signer, verifier } = await generateSignerKey('acme.example/iam')
  const checkpoint = await good(logCheckpoint(store, { signer }))
  const evidence = { checkpoints: [checkpoint], keys: [verifier] }
  expect((await verify(store, evidence)).isOk()).toBe(true)
  await run(
    "UPDATE events SET stream = CAST(replace(CAST(stream AS BLOB), x'efbfbd', x'ff') AS TEXT)",
  )
  expect((await verify(store, evidence)).isErr()).toBe(true)
})
