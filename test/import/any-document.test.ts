import { readAccess } from 'claviger'
import {
  type Imported,
  readBetterAuth,
  readKeycloakRealm,
  readZitadelExport,
} from 'claviger/import'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keycloakRealm } from './keycloak/keycloak-realm.js'
import { emptyIam, moveIn } from './moved-in.js'
import { zitadelExport } from './zitadel/zitadel-export.js'

const tables = {
  ssoProviders: [
    {
      providerId: 'okta',
      issuer: 'https://okta.example.com',
      organizationId: 'acme',
      domain: 'acme.example.com',
      oidcConfig: {
        clientId: 'c',
        clientSecret: 's',
        scopes: ['email'],
        mapping: { name: 'email' },
      },
    },
  ],
  organizationRoles: [{ organizationId: 'acme', role: 'editor', permission: '{}' }],
  members: [{ userId: 'ann', organizationId: 'acme', role: 'owner,editor' }],
}

const READERS: readonly (readonly [
  name: string,
  read: (json: never) => Imported,
  sample: object,
])[] = [
  ['readZitadelExport', readZitadelExport, zitadelExport],
  ['readKeycloakRealm', readKeycloakRealm, keycloakRealm],
  ['readBetterAuth', readBetterAuth, tables],
]

/** What may stand anywhere, texts that are hard to keep above all. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    '',
    ' ',
    'x'.repeat(201),
    '🙂'.repeat(200),
    '\uD800',
    'a\0b',
    '**********',
    '__proto__',
    'constructor',
    'realm',
    'organization',
    'acme',
    '225480000000000002',
    'größe & co',
  ),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Every place in a value: the keys that lead there. */
const placesIn = (value: unknown): readonly (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? [
        [],
        ...Object.entries(value).flatMap(([key, item]) =>
          placesIn(item).map((place) => [key, ...place]),
        ),
      ]
    : [[]]

const replaced = (value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown => {
  if (key === undefined) return by
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...value]
    : { ...Object(value) }
  Object.defineProperty(copy, key, {
    value: replaced(Reflect.get(copy, key), rest, by),
    enumerable: true,
    writable: true,
    configurable: true,
  })
  return copy
}

/** A sample with some of its values replaced by anything, or by what stands elsewhere in it. */
const mutated = (sample: object): fc.Arbitrary<unknown> => {
  const places = placesIn(sample)
  const at = (place: readonly string[]) =>
    place.reduce<unknown>((value, key) => Reflect.get(Object(value), key), sample)
  const change = fc.tuple(
    fc.constantFrom(...places),
    fc.oneof(anything, fc.constantFrom(...places).map(at)),
  )
  return fc
    .array(change, { minLength: 1, maxLength: 4 })
    .map((changes) =>
      changes.reduce<unknown>((value, [place, by]) => replaced(value, place, by), sample),
    )
}

describe.each(READERS)('%s', (_, read, sample) => {
  it('throws at no document', () => {
    const documents = fc.oneof(fc.anything(), fc.json(), anything)
    fc.assert(
      fc.property(documents, (document) => {
        const { organizations, warnings } = read(document as never)
        return Array.isArray(organizations) && Array.isArray(warnings)
      }),
    )
  })

  it('reads only what can be applied and given', async () => {
    await fc.assert(
      fc.asyncProperty(mutated(sample), async (document) => {
        const imported = read(document as never)
        for (const { access } of imported.organizations)
          expect(readAccess(JSON.parse(JSON.stringify(access))).isOk()).toBe(true)
        const { store, iam } = emptyIam()
        expect(await moveIn(iam, imported)).toEqual({ refused: 0 })
        const head = await store.lastPosition()
        await moveIn(iam, imported)
        expect(await store.lastPosition()).toBe(head)
      }),
      { numRuns: 150 },
    )
  })

  it('reads the same of the same document', () => {
    fc.assert(
      fc.property(mutated(sample), (document) => {
        expect(read(document as never)).toEqual(read(structuredClone(document) as never))
      }),
    )
  })
})
