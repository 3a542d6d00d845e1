import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { openPostgres } from '../../src/adapters/postgres/index.js'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import { freePort } from '../postgres-server.js'
import { claviger, type Ran, shell } from './command-line.js'
import { addressOf, CANARIES, newFile, ownServer, query, stopServer, written } from './places.js'

afterAll(stopServer)

const access = written('{"projects":[{"id":"portal","name":"Portal"}]}')
const { password } = CANARIES

/** What is said of a wrong command line. */
const usage = (message: string, name: string): Ran => ({
  code: 64,
  out: '',
  notes: `claviger: ${message}\nSee claviger ${name}--help\n`,
})

/** What is said of a failure. */
const failure = (message: string): Ran => ({ code: 1, out: '', notes: `claviger: ${message}\n` })

describe('A wrong command line', () => {
  const TYPES =
    'project, project_role, identity_provider, project_grant, user_grant, domain, role_mapping, membership, setup_link'
  it.concurrent.each<[message: string, name: string, parameters: string[]]>([
    ['A command is missing', '', []],
    ['Unknown command toString', '', ['toString']],
    ["Unknown option '--pasword'", 'log ', ['log', `--pasword=${password}`]],
    ["Option '--db <value>' argument missing", 'log ', ['log', '--db']],
    ['Unexpected argument x', 'log ', ['log', 'x']],
    ['An argument is missing', 'plan ', ['plan', '--org', 'acme']],
    ['--org is required', 'history ', ['history', '--db', 'x.db']],
    ['--db is required: an SQLite file, or postgres://…', 'doctor ', ['doctor']],
    ['Only PostgreSQL has schemas', 'log ', ['log', '--db', 'x.db', '--schema', 's']],
    [
      `Unsupported address postgress://u:***@h/d: use an SQLite file, or postgres://…`,
      'log ',
      ['log', '--db', `postgress://u:${password}@h/d`],
    ],
    [
      '--after must be a position: digits, at most 9223372036854775807',
      'log ',
      ['log', '--db', 'x.db', '--after', '9223372036854775808'],
    ],
    [`role is not a type: ${TYPES}`, 'history ', ['history', '--org', 'acme', 'role']],
    [
      'project_role needs: projectId roleKey',
      'history ',
      ['history', '--org', 'acme', 'project_role', 'portal'],
    ],
    [
      '--checkpoint and --trust, its verifier key, go together',
      'verify ',
      ['verify', '--checkpoint', access],
    ],
    ['--to is required', 'copy ', ['copy', '--from', 'x.db']],
    [
      '--name must be 1 to 200 characters without spaces and without +',
      'key ',
      ['key', 'no.key', '--name', 'a b'],
    ],
    ['--port must be a number up to 65535', 'serve ', ['serve', '--port', '65536']],
  ])('is refused: %s', async (message, name, parameters) => {
    expect(await claviger(...parameters)).toEqual(usage(message, name))
  })

  it.concurrent.each(['1', 'March 7', '2026-03-07T10:00:00', '2026-02-30T00:00:00Z'])(
    'is refused with the time %s, which is not of RFC 3339',
    async (time) => {
      const asked = ['bob', 'portal', 'editor', '--org', 'acme', '--db', 'x.db', '--at', time]
      const message = '--at must be a time of RFC 3339, such as 2026-03-31T23:59:59Z'
      expect(await claviger('explain', ...asked)).toEqual(usage(message, 'explain '))
    },
  )

  it('is refused with an invalid verifier key', async () => {
    const path = newFile()
    await openSqlite(path).close()
    const parameters = ['--db', path, '--checkpoint', access, '--trust', 'x']
    const message = '--trust must be a verifier key of Ed25519'
    expect(await claviger('verify', ...parameters)).toEqual(usage(message, 'verify '))
  })
})

describe('A file that cannot be used', () => {
  const on = (path: string, name: string, ...parameters: readonly string[]) =>
    claviger(name, ...parameters, '--db', path)

  it('is created by no command that reads it, nor by another without --create', async () => {
    const path = newFile()
    const key = newFile('signer')
    await claviger('key', key, '--name', 'x')
    const reading = await Promise.all([
      on(path, 'log'),
      on(path, 'history', '--org', 'acme'),
      on(path, 'verify'),
      on(path, 'checkpoint', '--key', key),
      on(path, 'plan', access, '--org', 'acme'),
      on(path, 'doctor'),
      claviger('copy', '--from', path, '--to', newFile('copy.db')),
    ])
    for (const each of reading) expect(each).toEqual(failure(`${path}: There is no such file`))
    const creating = await Promise.all([
      on(path, 'apply', access, '--org', 'acme'),
      on(path, 'serve', '--port', '0'),
    ])
    for (const each of creating)
      expect(each).toEqual(failure(`${path}: There is no such file; use --create`))
    expect(existsSync(path)).toBe(false)
  })

  it('is reported, and left as it is', async () => {
    const [foreign, newer, empty] = [newFile(), newFile(), newFile()]
    const make = (path: string, sql: string) => {
      const database = new DatabaseSync(path)
      database.exec(sql)
      database.close()
    }
    make(foreign, 'CREATE TABLE events (id INTEGER)')
    await openSqlite(newer).close()
    make(newer, 'PRAGMA user_version = 99')
    make(empty, 'VACUUM')
    const folder = newFile()
    mkdirSync(folder)
    const paths = [foreign, newer, empty, written('x'.repeat(1_000))]
    const before = paths.map((path) => readFileSync(path))
    const ran = await Promise.all([...paths, folder].map((path) => on(path, 'doctor')))
    const reasons = [
      'The file is the database of another program',
      'The file has version 99; this version of claviger knows 1',
      'The file has no tables of claviger',
      'The file is not an SQLite database: file is not a database',
      `Cannot open ${folder}: unable to open database file`,
    ]
    const all = [paths[0], paths[1], paths[2], paths[3], folder]
    expect(ran).toEqual(all.map((path, at) => failure(`${path}: ${reasons[at]}`)))
    expect(paths.map((path) => readFileSync(path))).toEqual(before)
  })
})

describe('A server that cannot be used', () => {
  const log = (address: string, schema: string) =>
    claviger('log', '--db', address, '--schema', schema)

  it('is reported, and left as it is', async () => {
    const server = await ownServer()
    await query('CREATE SCHEMA away_foreign; CREATE TABLE away_foreign.events (id int)')
    const { connectionString } = server
    await (await openPostgres({ connectionString, schema: 'away_newer' })).close()
    await query('INSERT INTO away_newer.migrations VALUES (99)')
    const address = addressOf(server)
    const missing = address.replace(/postgres$/, 'nowhere')
    expect(
      await Promise.all([
        log(address, 'away_missing'),
        claviger('apply', access, '--org', 'acme', '--db', address, '--schema', 'away_missing'),
        log(address, 'away_foreign'),
        log(address, 'away_newer'),
        log(address, 'pg_x'),
        log(missing, 'claviger'),
      ]),
    ).toEqual([
      failure('The schema away_missing has no tables of claviger'),
      failure('The schema away_missing has no tables of claviger; use --create'),
      failure('The schema away_foreign holds tables of another program with the names of ours'),
      failure('The schema away_newer has version 99; this version of claviger knows 9'),
      expect.objectContaining({ code: 1, out: '' }),
      failure('PostgreSQL: database "nowhere" does not exist'),
    ])
    expect(await query("SELECT 1 FROM pg_namespace WHERE nspname = 'away_missing'")).toEqual([])
  })

  it('is reported when it is unreachable or refuses the password, without the password', async () => {
    const port = await freePort()
    const away = `127.0.0.1:${port}`
    const addresses = [
      `postgres://u:${password}@${away}/d`,
      `postgresql://u@${away}/d?password=${password}&application_name=x`,
      `postgres://u:p%40${password}@localhost:${port}/d`,
      `postgres://u:p@ss ${password}@${away}/d`,
    ]
    const ran = await Promise.all([
      ...addresses.map((address) => claviger('verify', '--db', address)),
      shell('CLAVIGER_DB="$ADDRESS" claviger doctor', { env: { ADDRESS: addresses[0] } }),
      claviger('copy', '--from', addresses[0] ?? '', '--to', newFile()),
    ])
    for (const { code, out, notes } of ran) {
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(notes).toMatch(/^claviger: .+\n$/)
      expect(notes).not.toContain(password)
    }
    expect(ran[0]?.notes).toContain(`connect ECONNREFUSED ${away}`)
  })
})

describe('A file of input that cannot be used', () => {
  it('is named, and what it holds is not shown', async () => {
    const path = newFile()
    await openSqlite(path).close()
    const asked = ['--org', 'acme', '--db', path]
    const { k1, clientSecret } = CANARIES
    const keys = written(`{"current":"k1","keys":{"k1":"${k1.slice(8)}"}}`)
    const broken = written(`{"clientSecret": "${clientSecret}",}`)
    const wrong = written('{"projects":[{"id":"portal"}]}')
    const provider = { idpId: 'g', name: 'G', clientId: 'c', clientSecret, issuer: 'https://i' }
    const providers = written(JSON.stringify({ identityProviders: [provider] }))
    const signer = 'PRIVATE+KEY+x+0123+canary'
    expect(
      await Promise.all([
        claviger('plan', 'no.json', ...asked),
        claviger('plan', broken, ...asked),
        claviger('apply', wrong, ...asked),
        claviger('apply', providers, ...asked),
        claviger('apply', providers, ...asked, '--keys', keys),
        claviger('checkpoint', '--db', path, '--key', signer),
        claviger('checkpoint', '--db', path, '--key', broken),
        claviger('key', broken, '--name', 'x'),
      ]),
    ).toEqual([
      failure('The file no.json cannot be read (ENOENT)'),
      failure(`The file ${broken} is not JSON: line 1, column 48`),
      failure('projects[0].name is required'),
      failure('Secrets need keys: give --keys FILE'),
      failure(`The file ${keys} must be {"current":"k1","keys":{"k1":"<32 bytes in base64>"}}`),
      failure('The file PRIVATE+KEY+*** cannot be read (ENOENT)'),
      failure(`The file ${broken} is not a signer key`),
      failure(`The file ${broken} already exists`),
    ])
    expect(readFileSync(broken, 'utf8')).toContain(clientSecret)
  })
})
