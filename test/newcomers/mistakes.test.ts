import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  aesGcmCipher,
  createIam,
  defineAccess,
  memoryEventStore,
  orThrow,
  permissionsFromCaller,
  toStatus,
} from '../../src/index.js'
import { context, good, inGlobex, refusal, start } from '../application/host.js'
import type { Editor } from '../types/editor.js'
import { EDITORS } from '../types/editors.js'

// What a newcomer writes, from README and guides alone, and who says what to do: the compiler, or an error.
// What the rules of the linter find is in test/docs/lint.test.ts.

const HEAD = `
  import {
    createIam, type Context, type DesiredAccess, defineAccess, type Iam, orThrow, permissionsFromCaller,
    type SecretCipher,
  } from 'claviger'
  import { openPostgres } from 'claviger/postgres'
  import { openSqlite } from 'claviger/sqlite'
  declare const iam: Iam
  declare const context: Context
  declare const secrets: SecretCipher
  const access = defineAccess({
    projects: [{ id: 'invoicing', name: 'Invoicing', roles: [
      { roleKey: 'approver', displayName: 'Approver', permissions: ['invoice.approve'] },
    ] }],
  } as const satisfies DesiredAccess)
  declare module 'claviger' { interface Register { access: typeof access } }
  const grant = { userId: 'ada', projectId: 'invoicing' }
  const ada = iam.access.of({ userId: 'ada', orgId: 'acme', projectId: 'invoicing' })
  const authorize = permissionsFromCaller
  export const used = [iam, context, access, grant, ada, authorize, secrets, createIam, orThrow, openPostgres, openSqlite]
`

/** Mistakes that do not compile, with what the compiler says. */
const NOT_COMPILED: readonly (readonly [mistake: string, line: string, message: RegExp])[] = [
  ['a misspelt field', "iam.projects.add({ nmae: 'Shop' }, context)", /nmae/],
  ['one role instead of a list', "iam.userGrants.give({ ...grant, role: 'a' }, context)", /role/],
  ['no context', "iam.projects.add({ name: 'Shop' })", /Expected 2 arguments/],
  ['a context without caller', "iam.projects.list({}, { userId: 'ada' })", /userId/],
  ['a misspelt permission', "ada.require('invoice.aprove')", /invoice\.aprove/],
  ['a misspelt permission in a list', "iam.access.users({ permission: 'x' }, context)", /"x"/],
  ['a promise as a condition', "if (ada.can('invoice.approve')) used.pop()", /always return true/],
  ['items of a call that is not awaited', 'iam.projects.list({}, context).items', /items/],
  ['items of a Result', 'void (await iam.projects.list({}, context)).items', /items/],
  [
    'the value of an unchecked Result',
    'void (await iam.projects.list({}, context)).value',
    /value/,
  ],
  [
    'an expiry as text',
    "iam.userGrants.give({ ...grant, roles: [{ roleKey: 'a', expiresAt: '2030-01-01' }] }, context)",
    /Date/,
  ],
  ['a time as text', "iam.access.whoHas({ at: '2026-03-31' }, context)", /Date/],
  [
    'a sequence as a number',
    "iam.projects.remove({ id: 'p' }, { ...context, expectedSequence: 1 })",
    /bigint/,
  ],
  ['no authorize', "createIam({ ...openSqlite('iam.db'), secrets })", /authorize/],
  [
    'a database that is not awaited',
    "createIam({ ...openPostgres({ connectionString: '' }), secrets, authorize })",
    /store/,
  ],
  [
    'a key instead of a cipher',
    "createIam({ ...openSqlite('i'), secrets: 'k', authorize })",
    /SecretCipher/,
  ],
  [
    'a field of a desired state',
    "defineAccess({ projects: [{ id: 'a', name: 'A', role: [] }] } as const satisfies DesiredAccess)",
    /role/,
  ],
]

describe('The compiler refuses', () => {
  let editor: Editor
  let objections: ReadonlyMap<string, string>

  beforeAll(async () => {
    const [, open] = EDITORS.find(([version]) => version === '6.0') ?? EDITORS[0] ?? []
    if (!open) throw new Error('There is a compiler')
    editor = await open()
    const lines = NOT_COMPILED.map(([, line]) => line)
    const first = HEAD.split('\n').length
    const found = await editor.objections(`${HEAD}${lines.join('\n')}`)
    expect(found.filter(({ line }) => line < first)).toEqual([])
    objections = new Map(found.map(({ line, message }) => [lines[line - first] ?? '', message]))
  })
  afterAll(() => editor.close())

  it.each(NOT_COMPILED)('%s: %s', (_, line, message) => {
    expect(objections.get(line)).toMatch(message)
  })
})

const options = {
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
  authorize: permissionsFromCaller,
}
const made = createIam(options)
const ids = { userId: 'ada', orgId: 'acme', projectId: 'shop' }
const ada = made.access.of(ids)

/** Mistakes in plain JavaScript that throw, with what the error says. */
const THROWN: readonly (readonly [mistake: string, make: () => unknown, message: RegExp])[] = [
  ['no authorize', () => createIam({ ...options, authorize: undefined } as never), /authorize/],
  ['a misspelt option', () => createIam({ ...options, secret: 1 } as never), /secret\b/],
  [
    'a database that is not awaited',
    () => createIam({ ...options, store: Promise.resolve(options.store) } as never),
    /await openPostgres/,
  ],
  [
    'a key of another length',
    () => aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(16) } }),
    /32 bytes/,
  ],
  [
    'a current key that is not there',
    () => aesGcmCipher({ current: 'k2', keys: { k: new Uint8Array(32) } }),
    /current must be the id of one of keys/,
  ],
  [
    'a user without organization',
    () => made.access.of({ ...ids, orgId: undefined } as never),
    /orgId/,
  ],
  ['a misspelt field of a user', () => made.access.of({ ...ids, org: 'acme' } as never), /\borg\b/],
  ['a question about nothing', () => ada.require(undefined as never), /Ask for a permission/],
  ['a misspelt option of a question', () => ada.can('a', { att: new Date() } as never), /att/],
  [
    'a past question to live checks',
    () => ada.can('a', { live: { check: () => 1 }, at: new Date() } as never),
    /live answers as of now/,
  ],
  [
    'a misspelt field of a desired state',
    () => defineAccess({ projects: [{ id: 'a', name: 'A', rolles: [] }] } as never),
    /projects\[0\]\.rolles/,
  ],
  [
    'a role that is not declared',
    () => defineAccess({ projects: [{ id: 'a', name: 'A' }] }).roleKey('a', 'x' as never),
    /declares no role x/,
  ],
]

it.each(THROWN)('An exception says what is wrong with %s.', async (_, make, message) => {
  await expect((async () => make())()).rejects.toThrow(message)
})

describe('An error says what to do', () => {
  const { iam } = start()
  const shop = { projectId: 'shop' }
  const grant = { ...shop, userId: 'ada', roles: [{ roleKey: 'writer' }] }

  beforeAll(async () => {
    await good(iam.projects.add({ id: 'shop', name: 'Shop' }, context))
    await good(iam.projectRoles.add({ ...shop, roleKey: 'writer', displayName: 'W' }, context))
    const granted = { ...shop, grantedOrgId: 'globex', roleKeys: ['writer'] }
    await good(iam.projectGrants.add(granted, context))
  })

  const past = new Date(0)
  const REFUSED: readonly (readonly [string, () => Parameters<typeof refusal>[0], RegExp])[] = [
    [
      'a misspelt field',
      () => iam.projects.add({ nmae: 'A' } as never, context),
      /nmae.*known field/,
    ],
    ['no context', () => iam.projects.list({}, undefined as never), /caller/],
    ['no caller', () => iam.projects.list({}, {} as never), /UNAUTHENTICATED|caller/i],
    [
      'a misspelt field of the context',
      () => iam.projects.list({}, { ...context, org: 'a' } as never),
      /\borg\b/,
    ],
    [
      'an unknown project',
      () => iam.userGrants.give({ ...grant, projectId: 'x' }, context),
      /project/,
    ],
    ['the project of another organization', () => iam.userGrants.give(grant, inGlobex), /acme/],
    [
      'an unknown role',
      () => iam.userGrants.give({ ...grant, roles: [{ roleKey: 'x' }] }, context),
      /project_role.*shop\/x/,
    ],
    [
      'an expiry that has passed',
      () =>
        iam.userGrants.give({ ...grant, roles: [{ roleKey: 'writer', expiresAt: past }] }, context),
      /roles\[0\]\.expiresAt/,
    ],
    [
      'a caller without permissions',
      () => iam.projects.list({}, { caller: { userId: 'eve', orgId: 'acme' } }),
      /project\.read/,
    ],
    [
      'a time in the future',
      () => iam.access.users({ at: new Date('2999-01-01') }, context),
      /future/,
    ],
    ['a foreign page token', () => iam.access.users({ pageToken: 'x' }, context), /nextPageToken/],
    [
      'a question about undefined',
      () => iam.access.check({ ...grant, roleKey: undefined } as never, context),
      /roleKey/,
    ],
  ]

  it.each(REFUSED)('about %s', async (_, call, message) => {
    expect(JSON.stringify(toStatus(await refusal(call())))).toMatch(message)
  })

  it.each([
    ['https://idp.example/.well-known/openid-configuration', /should not end with/],
    ['http://idp.example', /should be an https URL/],
    ['idp.example', /should be an https URL/],
  ])('about the issuer %s, as a warning', async (issuer, message) => {
    const provider = { name: 'I', clientId: 'c', clientSecret: 's', issuer }
    const { warnings = [] } = await good(iam.identityProviders.addOidc(provider, context))
    expect(warnings.map(({ field, description }) => `${field} ${description}`).join()).toMatch(
      message,
    )
  })

  it('about a secret that another key sealed', async () => {
    const cipher = (byte: number) =>
      aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32).fill(byte) } })
    const store = memoryEventStore()
    const first = createIam({ store, secrets: cipher(1), authorize: () => true })
    const provider = { idpId: 'i', name: 'I', clientId: 'c', clientSecret: 's', issuer: '' }
    await orThrow(first.identityProviders.addOidc(provider, context))
    const second = createIam({ store, secrets: cipher(2), authorize: () => true })
    const revealed = second.identityProviders.revealClientSecret({ idpId: 'i' }, context)
    const error = toStatus(await refusal(revealed))
    expect(JSON.stringify(error)).toMatch(/wrong key, or tampered/)
  })
})
