import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { betterAuthInstance } from '../import/better-auth/better-auth-instance.js'
import { CANARY } from '../import/canary.js'
import { keycloakRealm } from '../import/keycloak/keycloak-realm.js'
import { zitadelExport } from '../import/zitadel/zitadel-export.js'
import { claviger, PROGRAM, starting } from './command-line.js'
import { newFile, PLACES, stopServer, written } from './places.js'

const k1 = Buffer.alloc(32, 'canary-of-the-keys').toString('base64')
const keys = ['--keys', written(JSON.stringify({ current: 'k1', keys: { k1 } }), 'keys.json')]

const fileOf = (document: unknown): string => written(JSON.stringify(document), 'export.json')

/** Runs an import, whose output may hold no secret. */
const imports = async (...parameters: readonly string[]) => {
  const ran = await claviger('import', ...parameters)
  expect(ran.out + ran.notes).not.toContain(CANARY)
  expect(ran.out + ran.notes).not.toContain(k1)
  return ran
}

const eventsIn = async (database: readonly string[]): Promise<readonly string[]> =>
  (await claviger('log', ...database, '--json')).out.split('\n').slice(0, -1)

const linesOf = (out: string): readonly unknown[] =>
  out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

const sources = { zitadel: '', keycloak: '', 'better-auth': '' }
beforeAll(async () => {
  sources.zitadel = fileOf(zitadelExport)
  sources.keycloak = fileOf(keycloakRealm)
  sources['better-auth'] = fileOf((await betterAuthInstance()).tables)
})
afterAll(stopServer)

describe('claviger import', () => {
  it.each([
    ['zitadel', 'SQLite'],
    ['keycloak', 'SQLite'],
    ['better-auth', 'SQLite'],
    ['keycloak', 'PostgreSQL'],
  ] as const)('plans and moves in from %s, once, on %s', async (source, place) => {
    const { database } = await PLACES[place]()
    const parameters = [source, sources[source], ...database, ...keys]
    const first = await imports(...parameters, '--create')
    expect(first.notes).toBe('')
    expect(first.code).toBe(0)
    expect(first.out).toContain('+ identity provider')
    expect(first.out).toMatch(/user grants: \d+ to add, 0 different, 0 unchanged/)
    expect(first.out).toMatch(/: \d+ added, 0 updated; user grants: \d+ added, 0 unchanged, 0 ref/)
    const events = await eventsIn(database)
    expect(events.length).toBeGreaterThan(5)
    expect(new Set(events.map((line) => JSON.parse(line).metadata.actor.userId))).toEqual(
      new Set(['claviger-cli']),
    )

    const again = await imports(...parameters)
    expect(again.code).toBe(0)
    expect(again.out).toMatch(/: 0 added, 0 updated; user grants: 0 added, \d+ unchanged, 0 ref/)
    expect(await eventsIn(database)).toEqual(events)
  })

  it('shows all and records nothing with --dry-run, and exits with 2 while changes are pending', async () => {
    const { database } = await PLACES.SQLite()
    const parameters = ['keycloak', sources.keycloak, ...database, ...keys]
    const planned = await imports(...parameters, '--create', '--dry-run')
    expect(planned.code).toBe(2)
    expect(planned.out).toContain('    state: "inactive"')
    expect(planned.out).toContain(
      'changed identityProviders[0].config.clientSecret: The client secret',
    )
    expect(await eventsIn(database)).toEqual([])

    await imports(...parameters, '--user', 'ann')
    const done = await imports(...parameters, '--dry-run')
    expect(done.code).toBe(0)
    expect(done.out).toContain('user grants: 0 to add, 0 different, 6 unchanged')
    const [first = ''] = await eventsIn(database)
    expect(JSON.parse(first).metadata.actor.userId).toBe('ann')
  })

  it('prints lines of JSON', async () => {
    const ran = await imports(
      'zitadel',
      sources.zitadel,
      '--db',
      newFile(),
      '--create',
      ...keys,
      '--json',
    )
    expect(linesOf(ran.out)).toEqual([
      ...Array.from({ length: 6 }, () => ({
        warning: expect.objectContaining({ action: expect.anything() }),
      })),
      {
        plan: expect.objectContaining({ orgId: '225480000000000001', managedBy: 'import:zitadel' }),
        userGrants: { missing: 1, different: 0, equal: 0 },
      },
      {
        plan: expect.objectContaining({ orgId: '225480000000000002' }),
        userGrants: { missing: 1, different: 0, equal: 0 },
      },
      {
        applied: expect.objectContaining({
          orgId: '225480000000000001',
          userGrants: expect.objectContaining({ added: 1, refusedCount: 0 }),
        }),
      },
      { applied: expect.objectContaining({ orgId: '225480000000000002' }) },
    ])
    expect(ran.out).not.toContain('clientSecret":')
  })

  it('exits with 2 when the roles of a user were changed since', async () => {
    const realm = (roleKey: string) =>
      fileOf({
        realm: 'acme',
        enabled: true,
        roles: { client: { portal: [{ name: 'a' }, { name: 'b' }] } },
        users: [{ id: 'ann', enabled: true, clientRoles: { portal: [roleKey] } }],
      })
    const database = ['--db', newFile()]
    expect((await imports('keycloak', realm('a'), ...database, '--create')).code).toBe(0)
    const events = await eventsIn(database)
    const changed = await imports('keycloak', realm('b'), ...database)
    expect(changed.code).toBe(2)
    expect(changed.out).toContain('user grants: 0 to add, 1 different, 0 unchanged')
    expect(changed.out).toContain('refused ann in portal: ')
    expect(await eventsIn(database)).toEqual(events)
  })

  it('shows no more than 20 warnings of a kind, and no character that controls a terminal', async () => {
    const users = Array.from({ length: 50 }, (_, n) => ({ id: `u${n}`, enabled: false }))
    const client = { 'a\u001b[2Jb\u202e': [{ name: 'r' }] }
    const file = fileOf({ realm: 'acme', enabled: true, roles: { client }, users })
    const { out } = await imports('keycloak', file, '--db', newFile(), '--create')
    expect(out.match(/The user is disabled/g)).toHaveLength(21)
    expect(out).toContain('left 30 more: The user is disabled')
    for (const character of '\u001b\u202e') expect(out).not.toContain(character)
  })

  it('can be interrupted, and goes on when it is run again', async () => {
    const users = Array.from({ length: 6_000 }, (_, n) => ({
      id: `u${n}`,
      enabled: true,
      clientRoles: { portal: ['r'] },
    }))
    const file = fileOf({
      realm: 'acme',
      enabled: true,
      roles: { client: { portal: [{ name: 'r' }] } },
      users,
    })
    const database = ['--db', newFile()]
    const running = starting('import', 'keycloak', file, ...database, '--create')
    await running.printed('6000 to add')
    running.child.kill('SIGINT')
    const ran = await running.ended
    expect(ran).toMatchObject({ code: 1, notes: expect.stringContaining('Interrupted') })
    const again = await imports('keycloak', file, ...database)
    expect(again.code).toBe(0)
    expect(await eventsIn(database)).toHaveLength(6_002)
  })

  it.runIf(process.platform === 'linux')('shows how far it is, on a terminal', () => {
    const command = ['import', 'zitadel', sources.zitadel, '--db', newFile(), '--create', ...keys]
    const shown = execFileSync(
      'script',
      ['-qec', [process.execPath, PROGRAM, ...command].join(' '), '/dev/null'],
      { encoding: 'utf8' },
    )
    expect(shown).toContain('1 of 2 organizations planned')
    expect(shown).toContain('1 of 2 organizations applied')
    expect(shown).toContain('225480000000000001: 1 of 1 user grants')
    expect(shown).not.toContain(CANARY)
  })

  const noFile = '/nowhere/export.json'
  it.each<[what: string, code: number, parameters: () => readonly string[]]>([
    ['an unknown source', 64, () => ['auth0', sources.keycloak]],
    ['a source that every object has', 64, () => ['constructor', sources.keycloak]],
    ['no file', 64, () => ['keycloak']],
    ['a missing file', 1, () => ['keycloak', noFile]],
    ['text that is no JSON', 1, () => ['keycloak', written(`{"secret":"${CANARY}"`)]],
    ['a file of another source', 1, () => ['zitadel', sources.keycloak]],
    ['a file of tables as a realm', 1, () => ['keycloak', sources['better-auth']]],
    ['providers without keys', 1, () => ['keycloak', sources.keycloak]],
    ['keys that are none', 1, () => ['keycloak', sources.keycloak, '--keys', sources.zitadel]],
  ])('refuses %s, and makes no database', async (_, code, parameters) => {
    const file = newFile()
    const ran = await imports(...parameters(), '--db', file, '--create')
    expect(ran).toMatchObject({ code, out: '', notes: expect.stringMatching(/^claviger: ./) })
    expect(existsSync(file)).toBe(false)
  })

  it('needs a database, which it makes with --create alone', async () => {
    expect((await imports('zitadel', sources.zitadel, ...keys)).code).toBe(64)
    const file = newFile()
    expect((await imports('zitadel', sources.zitadel, ...keys, '--db', file)).code).toBe(1)
    expect(existsSync(file)).toBe(false)
  })
})
