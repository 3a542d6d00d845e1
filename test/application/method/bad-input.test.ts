import { beforeEach, describe, expect, it } from 'vitest'
import { type EventStore, toStatus } from '../../../src/index.js'
import { addAllSamples, badFields, context, good, iamOn, logOf, refusal, start } from '../host.js'
import {
  type Method,
  methods,
  removeAllOfResource,
  removeAllOfUser,
  resealSecrets,
  writes,
} from './methods.js'

const long = 'x'.repeat(10_000_000)

// Long lists take a second to make and are never changed: one is enough.
const longList: readonly unknown[] = Array.from({ length: 10_000_000 }, () => 'editor')

let store: EventStore

beforeEach(async () => {
  const started = start()
  store = started.store
  await addAllSamples(started.iam)
})

/** Values that no field takes, with a word for each. */
const wrongTypes: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a number', 5],
  ['not a number', Number.NaN],
  ['a bigint', 5n],
  ['a symbol', Symbol('s')],
  ['a function', () => 'x'],
  ['a record', { length: 1, toString: 'x' }],
  ['a date', new Date()],
]

const text: typeof wrongTypes = [
  ...wrongTypes,
  ['a flag', true],
  ['a list', ['x']],
  ['an object of text', new String('x')],
  ['one character too many', 'x'.repeat(201)],
  ['one emoji too many', '😀'.repeat(201)],
  ['ten megabytes', long],
  ['half a character', 'a\uD800'],
  ['the other half', '\uDC00a'],
  ['U+0000', 'a\0b'],
]

const requiredText: typeof wrongTypes = [...text, ['nothing', undefined], ['empty text', '']]

const ownId: typeof wrongTypes = [
  ...text,
  ['empty text', ''],
  ['__proto__', '__proto__'],
  ['a plus', 'a+b'],
  ['a slash', '../b'],
  ['65 characters', 'x'.repeat(65)],
  ['a line feed at the end', 'a\n'],
]

const id: typeof wrongTypes = [...ownId, ['nothing', undefined]]

const choice: typeof wrongTypes = [
  ...text,
  ['empty text', ''],
  ['an unknown name', 'STYLING_TYPE_APPLE'],
  ['a known name in lower case', 'styling_type_google'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
]

const flag: typeof wrongTypes = [...wrongTypes, ['text', 'true'], ['ten megabytes', long]]

const list: typeof wrongTypes = [
  ...wrongTypes,
  ['text', 'openid'],
  ['bytes', new Uint8Array(1)],
  ['ten megabytes', long],
  ['101 items', Array.from({ length: 101 }, () => 'openid')],
  ['ten million items', longList],
]

const scope: typeof wrongTypes = [
  ...text,
  ['nothing', undefined],
  ['empty text', ''],
  ['a blank', 'a b'],
  ['a quotation mark', '"'],
  ['a backslash', '\\'],
  ['an accent', 'é'],
]

const userId: typeof wrongTypes = [...requiredText, ['801 bytes', `${'😀'.repeat(200)}a`]]

const grantedRoles: typeof wrongTypes = [
  ...list.filter(([what]) => what !== '101 items'),
  ['nothing', undefined],
  ['none', []],
]

/** Two methods, a simple one and one with lists, and what each of their fields does not take. */
const badValues: Readonly<Record<string, Readonly<Record<string, typeof wrongTypes>>>> = {
  'projects.update': {
    id,
    name: requiredText,
    projectRoleAssertion: flag,
    projectRoleCheck: flag,
    hasProjectCheck: flag,
    privateLabelingSetting: choice,
  },
  'userGrants.add': {
    userId,
    projectId: id,
    projectOrgId: ownId,
    resource: userId.filter(([, value]) => value !== undefined),
    roles: grantedRoles,
  },
}

const settings = [
  'projectRoleAssertion?',
  'projectRoleCheck?',
  'hasProjectCheck?',
  'privateLabelingSetting?',
]
const mappings = ['displayNameMapping?', 'usernameMapping?']
const role = ['projectId', 'roleKey']
const projectGrant = ['projectId', 'grantedOrgId']
const userGrant = ['userId', 'projectId', 'projectOrgId?', 'resource?']

/** The fields of each write; a question mark follows those that may be absent. */
const mapping = ['idpId', 'group', 'projectId', 'projectOrgId?', 'resource?']

const fields: Readonly<Record<string, readonly string[]>> = {
  'identityProviders.addOidc': [
    ...['idpId?', 'name', 'stylingType?', 'clientId', 'clientSecret', 'issuer', 'scopes?'],
    ...mappings,
    'autoRegister?',
  ],
  'identityProviders.updateOidcConfig': [
    ...['idpId', 'clientId', 'clientSecret?', 'issuer', 'scopes?'],
    ...mappings,
  ],
  'identityProviders.update': ['idpId', 'name', 'stylingType?', 'autoRegister?'],
  'identityProviders.patch': [
    ...['idpId', 'name?', 'stylingType?', 'autoRegister?', 'clientId?', 'clientSecret?'],
    ...['issuer?', 'scopes?'],
    ...mappings,
  ],
  'identityProviders.configureSignIn': [
    ...['idpId', 'groups?', 'admit?', 'clientAuthentication?', 'addresses?', 'subjectClaim?'],
    'secretExpiresAt?',
  ],
  'identityProviders.deactivate': ['idpId'],
  'identityProviders.reactivate': ['idpId'],
  'identityProviders.remove': ['idpId'],
  'identityProviders.resealSecrets': ['idpId?'],
  'projects.add': ['id?', 'name', ...settings],
  'projects.update': ['id', 'name', ...settings],
  'projects.patch': ['id', 'name?', ...settings],
  'projects.deactivate': ['id'],
  'projects.reactivate': ['id'],
  'projects.remove': ['id'],
  'projectRoles.add': [...role, 'displayName', 'group?'],
  'projectRoles.addMany': ['projectId', 'roles'],
  'projectRoles.update': [...role, 'displayName', 'group?'],
  'projectRoles.patch': [...role, 'displayName?', 'group?'],
  'projectRoles.remove': role,
  'projectGrants.add': [...projectGrant, 'roleKeys'],
  'projectGrants.update': [...projectGrant, 'roleKeys'],
  'projectGrants.deactivate': projectGrant,
  'projectGrants.reactivate': projectGrant,
  'projectGrants.remove': projectGrant,
  'userGrants.add': [...userGrant, 'roles'],
  'userGrants.update': [...userGrant, 'roles'],
  'userGrants.addRoles': [...userGrant, 'roles'],
  'userGrants.give': [...userGrant, 'roles'],
  'userGrants.removeRoles': [...userGrant, 'roleKeys'],
  'userGrants.deactivate': userGrant,
  'userGrants.reactivate': userGrant,
  'userGrants.remove': userGrant,
  'userGrants.removeAllOfUser': ['userId'],
  'userGrants.removeAllOfResource': ['projectId', 'projectOrgId?', 'resource'],
  'roleMappings.add': [...mapping, 'roleKeys', 'validFor?'],
  'roleMappings.update': [...mapping, 'roleKeys', 'validFor?'],
  'roleMappings.addRoles': [...mapping, 'roleKeys'],
  'roleMappings.removeRoles': [...mapping, 'roleKeys'],
  'roleMappings.remove': mapping,
  'memberships.report': ['idpId', 'userId', 'groups'],
  'memberships.remove': ['idpId', 'userId'],
  'domains.add': ['domain'],
  'domains.setProvider': ['domain', 'idpId?'],
  'domains.verify': ['domain'],
  'domains.remove': ['domain'],
  'setupLinks.issue': ['linkId?', 'expiresAt', 'intents', 'note?', 'idpId?', 'domain?'],
  'setupLinks.revoke': ['linkId'],
}

const isFrozen = (value: unknown): boolean => value instanceof Object && Object.isFrozen(value)

/** Finds `bad` refused, naming `field` alone and repeating nothing, it and the log as they were. */
const expectRefused = async ({ of }: Method, bad: object, field: string): Promise<void> => {
  const before = (await logOf(store)).length
  const error = await refusal(of(iamOn(store))(bad, context))
  const violations = error.kind === 'InvalidArgument' ? error.violations : []
  expect([...new Set(violations.map(({ field }) => field))]).toEqual([field])
  for (const { description } of violations) expect(description).toMatch(/^(must|is) .{2,200}$/)
  expect(JSON.stringify(toStatus(error)).length).toBeLessThan(1000)
  expect(Object.values(bad).some(isFrozen)).toBe(false)
  expect(await logOf(store)).toHaveLength(before)
}

const all = [...writes, resealSecrets, removeAllOfUser, removeAllOfResource]

// The same schemas and the same reader of inputs refuse the values of every other method: see the decision on mutation
// testing.
describe.each(all.filter(({ name }) => name in badValues))('$name', (method) => {
  const { input, name } = method
  const cases = Object.entries(badValues[name] ?? {}).flatMap(([field, bad]) =>
    bad.map(([what, value]) => ({ field, what, value })),
  )

  it.each(cases)('refuses $what as $field', async ({ field, value }) => {
    await expectRefused(method, { ...input, [field]: value }, field)
  })

  it.each(['unknown', 'constructor', 'toString', 'Name', 'details', 'events', 'orgId', ''])(
    'refuses the unknown field "%s"',
    async (field) => {
      await expectRefused(method, { ...input, [field]: 'a value' }, field)
      await expectRefused(method, { ...input, [field]: undefined }, field)
    },
  )

  it('refuses a field called __proto__, and takes no field from it', async () => {
    const json = JSON.stringify(input)
    const evil = JSON.parse(`${json.slice(0, -1)}, "__proto__": {"name": "evil", "group": "evil"}}`)
    await expectRefused(method, evil, '__proto__')
  })

  it.each([undefined, null, 5, 'text', [], long, () => 1])(
    'refuses an input that is no object',
    async (nothing) => {
      const error = await refusal(method.of(iamOn(store))(nothing, context))
      expect(error).toEqual({
        kind: 'InvalidArgument',
        violations: [{ field: '', description: 'must be an object' }],
      })
    },
  )
})

describe.each(all)('$name', ({ of, input, name }) => {
  it('treats undefined as absent', async () => {
    const optional = (fields[name] ?? [])
      .filter((field) => field.endsWith('?'))
      .map((field) => [field.slice(0, -1), undefined])
    await good(of(iamOn(store))({ ...input, ...Object.fromEntries(optional) }, context))
  })

  it('names every field that is malformed', async () => {
    const before = (await logOf(store)).length
    const named = (fields[name] ?? []).map((field) => field.replace('?', ''))
    const bad = Object.fromEntries(named.map((field) => [field, null]))
    const found = await badFields(of(iamOn(store))({ ...bad, more: 1 }, context))
    expect(found.toSorted()).toEqual([...named, 'more'].toSorted())
    expect(await logOf(store)).toHaveLength(before)
  })
})

it('knows the fields of every write', () => {
  expect(Object.keys(fields).toSorted()).toEqual(all.map(({ name }) => name).toSorted())
})

describe('The items of lists', () => {
  const addOidc = writes.filter(({ name }) => name === 'identityProviders.addOidc')
  const rolesMethod = writes.find(({ name }) => name === 'projectRoles.addMany')

  it.each(addOidc.flatMap((method) => scope.map(([what, value]) => ({ method, what, value }))))(
    'are named when malformed: scopes of $method.name, $what',
    async ({ method, value }) => {
      await expectRefused(method, { ...method.input, scopes: ['a', value] }, 'scopes[1]')
    },
  )

  const role = { roleKey: 'k', displayName: 'd', group: 'g' }
  const bad = { roleKey: requiredText, displayName: requiredText, group: text }
  const cases = Object.entries(bad).flatMap(([field, values]) =>
    values.map(([what, value]) => ({ field, what, value })),
  )

  it.each(cases)('are named when malformed: $field of a role, $what', async ({ field, value }) => {
    if (!rolesMethod) throw new Error('No such method')
    const roles = [
      { ...role, roleKey: 'first' },
      { ...role, [field]: value },
    ]
    await expectRefused(rolesMethod, { projectId: 'portal', roles }, `roles[1].${field}`)
  })

  it.each([
    ['projectId', { ...role, projectId: 'portal' }, 'roles[0].projectId'],
    ['unknown fields', { ...role, unknown: 1 }, 'roles[0].unknown'],
    [
      '__proto__',
      JSON.parse('{"roleKey":"k","displayName":"d","__proto__":1}'),
      'roles[0].__proto__',
    ],
    ['null', null, 'roles[0]'],
    ['text', 'editor', 'roles[0]'],
  ])('are no roles with %s', async (_, item, field) => {
    if (!rolesMethod) throw new Error('No such method')
    await expectRefused(rolesMethod, { projectId: 'portal', roles: [item] }, field)
  })

  it('name a key that appears twice, where it does', async () => {
    if (!rolesMethod) throw new Error('No such method')
    const roles = ['a', 'b', 'a', 'A'].map((roleKey) => ({ roleKey, displayName: 'd' }))
    await expectRefused(rolesMethod, { projectId: 'portal', roles }, 'roles[2].roleKey')
  })

  it('are at most a thousand roles', async () => {
    if (!rolesMethod) throw new Error('No such method')
    const roles = Array.from({ length: 1001 }, (_, n) => ({ roleKey: `${n}`, displayName: 'd' }))
    await expectRefused(rolesMethod, { projectId: 'portal', roles }, 'roles')
    const call = rolesMethod.of(iamOn(store))
    const added = await good(call({ projectId: 'portal', roles: roles.slice(1) }, context))
    expect(added).toMatchObject({ changed: true })
  })
})

describe('The roles of grants', () => {
  const at = new Date(Number.NaN)
  const role = { roleKey: 'editor' }
  const ofUsers = writes.filter(({ name }) => name === 'userGrants.add')
  const cases = ofUsers.flatMap((method) =>
    [
      ...requiredText.map(([what, value]) => [what, { roleKey: value }, 'roleKey'] as const),
      ...wrongTypes
        .filter(([what]) => what !== 'a date')
        .map(([what, value]) => [what, { ...role, expiresAt: value }, 'expiresAt'] as const),
      ['an invalid date', { ...role, expiresAt: at }, 'expiresAt'] as const,
      ['a date as text', { ...role, expiresAt: '2030-01-01' }, 'expiresAt'] as const,
      ['an unknown field', { ...role, since: 1 }, 'since'] as const,
      ['the life of a role', { ...role, roleSince: 1 }, 'roleSince'] as const,
    ].map(([what, bad, field]) => ({ method, what, bad, field })),
  )

  it.each(cases)('are named when malformed: $field, $what, of $method.name', async (given) => {
    const { method, bad, field } = given
    const roles = [{ roleKey: 'viewer' }, bad]
    await expectRefused(method, { ...method.input, roles }, `roles[1].${field}`)
  })

  const lists = writes.flatMap((method) => {
    if (!/^(projectGrants|userGrants)/.test(method.name)) return []
    if ('roleKeys' in method.input)
      return { method, field: 'roleKeys', of: (key: string): unknown => key, path: '' }
    return 'roles' in method.input
      ? {
          method,
          field: 'roles',
          of: (roleKey: string): unknown => ({ roleKey }),
          path: '.roleKey',
        }
      : []
  })

  it.each(lists)('are at most 400, of $method.name', async ({ method, field, of }) => {
    const roles = Array.from({ length: 401 }, (_, n) => of(`${n}`))
    await expectRefused(method, { ...method.input, [field]: roles }, field)
  })

  it.each(lists)('have no key twice, of $method.name', async ({ method, field, of, path }) => {
    const roles = ['a', 'b', 'a'].map(of)
    await expectRefused(method, { ...method.input, [field]: roles }, `${field}[2]${path}`)
  })
})

describe('Violations', () => {
  it('are at most a hundred, with names cut off and well-formed', async () => {
    const names = Array.from({ length: 1000 }, (_, n) => [`a${'\uD83D\uDE00'.repeat(300)}${n}`, 1])
    const call = resealSecrets.of(iamOn(store))
    const error = await refusal(call({ ...Object.fromEntries(names), idpId: 1 }, context))
    const violations = error.kind === 'InvalidArgument' ? error.violations : []
    expect(violations).toHaveLength(100)
    for (const { field } of violations) {
      expect(field.length).toBeLessThanOrEqual(200)
      expect(field.isWellFormed()).toBe(true)
    }
  })
})

// An import takes as many rows as there are.
const bounded = methods.filter(({ name }) => !name.endsWith('.import'))

describe.each(bounded)('The longest input of $name', ({ of, input, name }) => {
  const [first = 'pageToken'] = Object.keys(input)
  const isInFull = name in badValues || name === 'history.list'
  const others = ['filter', 'sort', 'pageToken', 'actor', 'types']
  const tried = isInFull ? [...Object.keys(input), ...others] : [first]
  const values = [long, longList, [longList], { [long]: long }, new Uint8Array(1)]

  it('is refused quickly, and is not kept', async () => {
    const before = (await logOf(store)).length
    for (const field of tried) {
      for (const value of isInFull ? values : [long]) {
        const error = await refusal(of(iamOn(store))({ ...input, [field]: value }, context))
        expect(error.kind, `${name} ${field}`).toBe('InvalidArgument')
        expect(isFrozen(value), `${name} ${field}`).toBe(false)
      }
    }
    expect(await logOf(store)).toHaveLength(before)
  })
})
