import { existsSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { claviger } from './command-line.js'
import { newFile, written } from './places.js'

const realm = {
  realm: 'acme',
  enabled: true,
  roles: { client: { portal: [{ name: 'editor' }] } },
  groups: [{ name: 'Staff', path: '/Staff', clientRoles: { portal: ['editor'] } }],
  defaultGroups: ['/Staff'],
}
const users = (...ids: readonly string[]) => ({
  realm: 'acme',
  users: ids.map((id) => ({ id, enabled: true, groups: ['/Staff'] })),
})

const fileOf = (document: unknown, name: string): string => written(JSON.stringify(document), name)

it('claviger import reads several files as one export, and says in which something is left', async () => {
  const files = [
    fileOf(realm, 'acme-realm.json'),
    fileOf(users('ann', 'bob'), 'acme-users-0.json'),
    fileOf(
      { ...users('cleo'), users: [{ id: 'dan' }, ...users('cleo').users] },
      'acme-users-1.json',
    ),
  ]
  const database = ['--db', newFile(), '--create']
  const { code, out } = await claviger('import', 'keycloak', ...files, ...database)
  expect(code).toBe(0)
  expect(out).toContain(`left ${files[2]}: users[0]: The user is disabled`)
  expect(out).toContain('user grants: 3 added, 0 unchanged, 0 refused')
})

it.each<[what: string, documents: readonly unknown[], message: RegExp]>([
  ['an export without users', [realm], /no users.*--without-users/],
  ['users without their realm', [users('ann')], /without the realm/],
  [
    'the file of an adapter',
    [{ realm: 'acme', 'auth-server-url': 'https://kc.example.com', resource: 'portal' }],
    /configuration of a client or an adapter/,
  ],
  ['a file of something else', [{ orgs: [] }], /expected form/],
  [
    'one such file among others',
    [{ ...realm, users: [] }, users('ann'), { a: 1 }],
    /expected form/,
  ],
])('claviger import refuses %s with an error of its own', async (_, documents, message) => {
  const db = newFile()
  const files = documents.map((document, n) => fileOf(document, `${n}.json`))
  const ran = await claviger('import', 'keycloak', ...files, '--db', db, '--create')
  expect(ran).toMatchObject({ code: 1, out: '', notes: expect.stringMatching(message) })
  expect(ran.notes).toContain(files.at(-1))
  expect(existsSync(db)).toBe(false)
})

it('claviger import takes an export without users where it is asked to', async () => {
  const file = fileOf(realm, 'realm.json')
  const options = ['--db', newFile(), '--create', '--without-users']
  const { code, out } = await claviger('import', 'keycloak', file, ...options)
  expect(code).toBe(0)
  expect(out).toContain('left users: The export has no users')
})

it('claviger import says in which line a file stops being JSON, whatever its encoding', async () => {
  const text = '{\n  "realm": "acme",\n  "roles": {},\n}\n'
  for (const bytes of [text, `\uFEFF${text}`, Buffer.from(`\uFEFF${text}`, 'utf16le')]) {
    const file = newFile('realm.json')
    writeFileSync(file, bytes)
    const { code, notes } = await claviger(
      'import',
      'keycloak',
      file,
      '--db',
      newFile(),
      '--create',
    )
    expect([code, notes]).toEqual([
      1,
      `claviger: ${file} was not imported: It is not JSON: line 4, column 1\n`,
    ])
  }
  const state = written(`\uFEFF${text}`, 'state.json')
  const { notes } = await claviger('plan', state, '--org', 'acme', '--db', newFile())
  expect(notes).toContain(`The file ${state} is not JSON: line 4, column 1`)
})

it('claviger import --report lists by kind what is carried, changed and left, without a database', async () => {
  const files = [fileOf(realm, 'realm.json'), fileOf(users('ann', 'bob'), 'users.json')]
  const told = await claviger('import', 'keycloak', ...files, '--report')
  expect(told.code).toBe(0)
  expect(told.out.split('\n').map((line) => line.trim().split(':')[0])).toEqual([
    'carried',
    '1  organizations',
    '1  projects',
    '1  roles',
    '0  projectGrants',
    '0  identityProviders',
    '0  roleMappings',
    '2  userGrants',
    'changed',
    '1  RolesExpanded',
    'left',
    '1  DefaultsLeft',
    '',
  ])
  const { out } = await claviger('import', 'keycloak', ...files, '--report', '--json')
  expect(JSON.parse(out)).toEqual({
    report: {
      carried: {
        organizations: 1,
        projects: 1,
        roles: 1,
        projectGrants: 0,
        identityProviders: 0,
        roleMappings: 0,
        userGrants: 2,
      },
      changed: { RolesExpanded: 1 },
      left: { DefaultsLeft: 1 },
    },
  })
  const imported = ['--db', newFile(), '--create', '--report']
  const both = await claviger('import', 'keycloak', ...files, ...imported)
  expect(both.out).toContain('user grants: 2 added')
  expect(both.out.endsWith(told.out)).toBe(true)
})
