import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { type PostgresServer, startPostgres } from '../../../postgres-server.js'
import { cert, key } from '../../../transport/certificate.js'
import { newSchema } from '../test-schemas.js'

let server: PostgresServer
let client: pg.Client

/** A server that takes connections with TLS and without. */
beforeAll(async () => {
  server = await startPostgres({ settings: ['fsync=off'] })
  writeOwned(server.folder, 'server.crt', cert)
  writeOwned(server.folder, 'server.key', key)
  writeOwned(server.folder, 'postgresql.auto.conf', 'ssl = on\n')
  await server.stop()
  await server.start()
  client = new pg.Client({ connectionString: server.connectionString })
  await client.connect()
})

afterAll(async () => {
  await client.end()
  await server[Symbol.asyncDispose]()
})

/** Writes a file as the user that the server runs as. */
const writeOwned = (folder: string, name: string, text: string): void => {
  const { uid, gid } = statSync(folder)
  const file = join(folder, name)
  writeFileSync(file, text)
  chmodSync(file, 0o600)
  chownSync(file, uid, gid)
}

/** Whether each connection of the program called `name` is encrypted. */
const encrypted = async (name: string): Promise<readonly boolean[]> => {
  const { rows } = await client.query(
    `SELECT ssl FROM pg_stat_ssl NATURAL JOIN pg_stat_activity WHERE application_name = $1`,
    [name],
  )
  return rows.map(({ ssl }) => ssl)
}

describe('What `ssl` says', () => {
  test.each([
    '',
    '&sslmode=require',
    '&sslmode=verify-full',
    '&sslmode=no-verify',
    '&sslmode=disable',
    '&ssl=false',
    '&ssl',
    '&sslmode=no-verify&uselibpqcompat=true',
    '&sslrootcert=/nowhere&sslnegotiation=direct',
  ])('beats what the address says: %s', async (said) => {
    const name = newSchema()
    const connectionString = `${server.connectionString}?application_name=${name}${said}`
    const place = { connectionString, schema: name }
    await using opened = await openPostgres({ ...place, ssl: { ca: cert } })
    await new Promise<void>((resolve) => opened.store.onAppend?.(resolve))
    expect(await encrypted(name)).toEqual([true, true])
    // Signed by nobody who is known.
    await expect(openPostgres({ ...place, ssl: true })).rejects.toThrow('self-signed certificate')
  })

  test('also applies to the connection that listens, at any address', async () => {
    const { connectionString } = server
    const schema = newSchema()
    const ears = `${schema}_ears`
    const listenConnectionString = `${connectionString}?sslmode=disable&application_name=${ears}`
    const place = { connectionString, listenConnectionString, schema }
    await using opened = await openPostgres({ ...place, ssl: { ca: cert } })
    await new Promise<void>((resolve) => opened.store.onAppend?.(resolve))
    expect(await encrypted(ears)).toEqual([true])
  })

  test('may disable TLS', async () => {
    const name = newSchema()
    const connectionString = `${server.connectionString}?sslmode=verify-full&application_name=${name}`
    await using _ = await openPostgres({ connectionString, ssl: false, schema: name })
    expect(await encrypted(name)).toEqual([false])
  })

  test('is left to the address when it is absent', async () => {
    const name = newSchema()
    const connectionString = `${server.connectionString}?application_name=${name}&sslmode=no-verify`
    await using _ = await openPostgres({ connectionString, schema: name })
    expect(await encrypted(name)).toEqual([true])
  })
})
