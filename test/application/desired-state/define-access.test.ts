import { expect, expectTypeOf, test } from 'vitest'
import {
  accessJsonSchema,
  type DesiredAccess,
  defineAccess,
  readAccess,
} from '../../../src/application/desired-state/declared/desired-access.js'

const role = { roleKey: 'editor', displayName: 'Editor' } as const

test('role keys and project ids are known to the compiler', () => {
  const access = defineAccess({
    projects: [
      { id: 'portal', name: 'Portal', roles: [role] },
      { id: 'shop', name: 'Shop', roles: [{ roleKey: 'buyer', displayName: 'Buyer' }] },
      { id: 'empty', name: 'Empty' },
    ],
  })
  const editor = access.roleKey('portal', 'editor')
  expectTypeOf(editor).toEqualTypeOf<'editor'>()
  expect(editor).toBe('editor')
  // @ts-expect-error The key is one of another project.
  expect(() => access.roleKey('portal', 'buyer')).toThrow(
    new RangeError('The project portal declares no role buyer. Its roles: editor'),
  )
  // @ts-expect-error There is no such project.
  expect(() => access.roleKey('gate', 'editor')).toThrow(RangeError)
  // @ts-expect-error The project declares no roles.
  expect(() => access.roleKey('empty', 'editor')).toThrow(RangeError)
})

test('with `satisfies` a misspelt field does not compile, and keys keep their types', () => {
  const roles = [role] as const
  const access = defineAccess({
    projects: [{ id: 'portal', name: 'Portal', roles }],
  } as const satisfies DesiredAccess)
  expectTypeOf(access.roleKey('portal', 'editor')).toEqualTypeOf<'editor'>()
  const misspelt = () =>
    defineAccess({
      projects: [{ id: 'portal', name: 'Portal', roles }],
      // @ts-expect-error It is called `managedBy`.
      managedby: 'portal-code',
    } as const satisfies DesiredAccess)
  expect(misspelt).toThrow(TypeError)
})

test('role keys of a state that was read at run time are checked when requested', () => {
  const desired = { projects: [{ id: 'portal', name: 'Portal', roles: [role] }] }
  const access = defineAccess(readAccess(desired)._unsafeUnwrap())
  expect(access.roleKey('portal', 'editor')).toBe('editor')
  expect(() => access.roleKey('portal', 'buyer')).toThrow(RangeError)
  expect(() => access.roleKey('shop', 'editor')).toThrow(RangeError)
})

test('a defined state can be stored as JSON', () => {
  const desired = { projects: [{ id: 'portal', name: 'Portal', roles: [role] }] }
  const access = defineAccess(desired)
  expect(JSON.parse(JSON.stringify(access))).toEqual(desired)
  expect(readAccess(access)._unsafeUnwrap()).toEqual(desired)
})

test.each([
  [
    'projects[1].id',
    'must not appear twice',
    {
      projects: [
        { id: 'a', name: 'A' },
        { id: 'a', name: 'B' },
      ],
    },
  ],
  [
    'projects[0].roles[1].roleKey',
    'must not appear twice',
    { projects: [{ id: 'a', name: 'A', roles: [role, role] }] },
  ],
  [
    'projects[0].grants[1].grantedOrgId',
    'must not appear twice',
    {
      projects: [
        {
          id: 'a',
          name: 'A',
          grants: Array(2).fill({ grantedOrgId: 'globex', roleKeys: ['editor'] }),
        },
      ],
    },
  ],
  [
    'projects[0].grants[0].roleKeys[1]',
    'must not appear twice',
    {
      projects: [
        {
          id: 'a',
          name: 'A',
          grants: [{ grantedOrgId: 'globex', roleKeys: ['editor', 'editor'] }],
        },
      ],
    },
  ],
  [
    'projects[0].grants[0].roleKeys',
    'must have at least 1 item',
    { projects: [{ id: 'a', name: 'A', grants: [{ grantedOrgId: 'globex', roleKeys: [] }] }] },
  ],
  [
    'projects[0].grants',
    'must have at most 10000 items',
    { projects: [{ id: 'a', name: 'A', grants: Array(10_001).fill(null) }] },
  ],
  ['projects[0].id', 'is required', { projects: [{ name: 'A' }] }],
  [
    'projects[0].settings.color',
    'is not a known field',
    { projects: [{ id: 'a', name: 'A', settings: { color: 1 } }] },
  ],
  ['projects[0].roles', 'must be a list', { projects: [{ id: 'a', name: 'A', roles: null }] }],
  [
    'identityProviders[1].idpId',
    'must not appear twice',
    { identityProviders: Array(2).fill({ idpId: 'a', clientId: 'c', issuer: 'i' }) },
  ],
  [
    'identityProviders[0].clientSecret',
    'must not be empty',
    { identityProviders: [{ idpId: 'a', clientId: 'c', issuer: 'i', clientSecret: '' }] },
  ],
  ['managedBy', 'is required with prune', { prune: true }],
  ['managedBy', 'is required with version', { version: 1 }],
  ['version', 'must be a whole number from 1 to 2^53 - 1', { managedBy: 'code', version: 0 }],
  ['', 'must be an object', 'text'],
])('reading names %s, which %s', (field, description, value) => {
  expect(readAccess(value)._unsafeUnwrapErr()).toEqual({
    kind: 'InvalidArgument',
    violations: [{ field, description }],
  })
})

test('an issuer may be empty, since only planning shows whether it would be an update', () => {
  const desired = { identityProviders: [{ idpId: 'a', clientId: 'c', issuer: '' }] }
  expect(readAccess(desired)._unsafeUnwrap()).toEqual(desired)
  expect(accessJsonSchema()).toHaveProperty(
    'properties.identityProviders.items.properties.issuer',
    { type: 'string', maxLength: 200 },
  )
})

test('the JSON Schema has required fields and limits of length, and refuses unknown fields', () => {
  expect(accessJsonSchema()).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    additionalProperties: false,
    properties: {
      version: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      projects: {
        type: 'array',
        maxItems: 1000,
        items: {
          additionalProperties: false,
          required: ['id', 'name'],
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 200 },
            roles: { maxItems: 10_000, items: { required: ['roleKey', 'displayName'] } },
            grants: {
              maxItems: 10_000,
              items: {
                required: ['grantedOrgId', 'roleKeys'],
                properties: { roleKeys: { type: 'array', minItems: 1, maxItems: 400 } },
              },
            },
          },
        },
      },
      identityProviders: {
        items: {
          required: ['idpId', 'clientId', 'issuer'],
          properties: { scopes: { type: 'array', maxItems: 100 } },
        },
      },
    },
  })
  expect(JSON.stringify(accessJsonSchema())).not.toContain('readOnly')
})

test('unknown fields are refused at once, with their paths', () => {
  const misspelt: object = {
    managedby: 'app',
    projects: [
      { id: 'portal', name: 'Portal', roles: [{ ...role, permission: ['article.edit'] }] },
      { id: 'shop', name: '', role: [] },
    ],
  }
  expect(() => defineAccess(misspelt)).toThrow(
    new TypeError(
      'defineAccess: unknown fields: projects[0].roles[0].permission, projects[1].role, managedby',
    ),
  )
  // What is known but wrong is refused by plan, which returns all violations.
  expect(defineAccess({ projects: [{ id: 'shop', name: '' }] }).projects).toHaveLength(1)
})
