import { describe, expect, it } from 'vitest'
import {
  AddOidcIdentityProvider,
  ConfigureSignIn,
  DeactivateIdentityProvider,
  IdentityProviderCommand,
  PatchIdentityProvider,
  ReactivateIdentityProvider,
  RemoveIdentityProvider,
  ResealClientSecret,
  UpdateIdentityProvider,
  UpdateOidcConfig,
} from '../../../src/domain/identity-provider/command-schemas.js'
import { describeCommand, itMayBeLeftOut } from '../command-laws.js'
import { describeChoice, describeFlag, describeId, describeSealedSecret } from '../field-laws.js'
import { type Field, objections, withField, withoutField } from '../objections.js'
import { describeOptionalText, describeRequiredText } from '../text-laws.js'
import {
  addGoogle,
  configureSignIn,
  deactivateGoogle,
  patchGoogle,
  reactivateGoogle,
  removeGoogle,
  reseal,
  updateAppearance,
  updateOidc,
} from './examples.js'

const MAPPING_FIELDS = [
  'OIDC_MAPPING_FIELD_UNSPECIFIED',
  'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  'OIDC_MAPPING_FIELD_EMAIL',
] as const

const describeScopes = ({ schema, valid, field }: Field): void => {
  const parse = (scopes: unknown): unknown => schema.parse(withField(valid, field, scopes))
  const objectionsTo = (scopes: unknown) => objections(schema, withField(valid, field, scopes))
  const notAScope =
    'must be an OAuth 2.0 scope of 1 to 200 printable ASCII characters without space, " or \\'

  describe('scopes', () => {
    it('are empty when absent or undefined', () => {
      expect(schema.parse(withoutField(valid, field))).toMatchObject({ data: { scopes: [] } })
      expect(parse(undefined)).toMatchObject({ data: { scopes: [] } })
      expect(parse([])).toMatchObject({ data: { scopes: [] } })
    })

    it('are kept in their order, with duplicates', () => {
      const scopes = ['profile', 'email', 'profile', 'openid', '__proto__', 'x'.repeat(200)]
      expect(parse(scopes)).toMatchObject({ data: { scopes } })
    })

    it('are at most 100', () => {
      expect(parse(Array(100).fill('a'))).toMatchObject({ data: { scopes: { length: 100 } } })
      for (const length of [101, 10_000_000])
        expect(objectionsTo(Array(length).fill('a'))).toEqual([
          'data.scopes: must have at most 100 items',
        ])
    })

    it('are not looked at one by one when there are too many', () => {
      expect(objectionsTo(Array(10_000_000))).toEqual(['data.scopes: must have at most 100 items'])
    })

    it('consist of every printable ASCII character but space, quotation mark and backslash', () => {
      for (let code = 0; code < 256; code++) {
        const scope = String.fromCharCode(code)
        const isAllowed = code > 0x20 && code < 0x7f && scope !== '"' && scope !== '\\'
        expect(objectionsTo([scope])).toEqual(isAllowed ? [] : [`data.scopes.0: ${notAScope}`])
        expect(objectionsTo([`a${scope}a`])).toEqual(
          isAllowed ? [] : [`data.scopes.0: ${notAScope}`],
        )
      }
    })

    it('are refused when empty, too long or of other characters, by their place', () => {
      for (const scope of ['', 'x'.repeat(201), 'é', '😀', '\uD800', 'a\n', 'x'.repeat(10_000_000)])
        expect(objectionsTo(['email', scope])).toEqual([`data.scopes.1: ${notAScope}`])
    })

    it('are text', () => {
      for (const scope of [undefined, null, 1, true, {}, [], ['email']])
        expect(objectionsTo(['email', scope])).toEqual(['data.scopes.1: must be text'])
    })

    it('are a list', () => {
      for (const scopes of [null, '', 'email', 1, true, {}, { length: 1, 0: 'email' }, new Set()])
        expect(objectionsTo(scopes)).toEqual(['data.scopes: must be a list'])
    })
  })
}

const describeOidc = (of: Omit<Field, 'field'>): void => {
  describeRequiredText({ ...of, field: 'clientId' })
  describeChoice({ ...of, field: 'displayNameMapping' }, MAPPING_FIELDS)
  describeChoice({ ...of, field: 'usernameMapping' }, MAPPING_FIELDS)
  describeSealedSecret({ ...of, field: 'clientSecret' })
  describeScopes({ ...of, field: 'scopes' })
}

const describeAppearance = (of: Omit<Field, 'field'>): void => {
  describeRequiredText({ ...of, field: 'name' })
  describeFlag({ ...of, field: 'autoRegister' })
  describeChoice({ ...of, field: 'stylingType' }, [
    'STYLING_TYPE_UNSPECIFIED',
    'STYLING_TYPE_GOOGLE',
  ])
}

describe.each([
  { schema: AddOidcIdentityProvider, valid: addGoogle },
  { schema: UpdateOidcConfig, valid: updateOidc },
  { schema: UpdateIdentityProvider, valid: updateAppearance },
  { schema: DeactivateIdentityProvider, valid: deactivateGoogle },
  { schema: ReactivateIdentityProvider, valid: reactivateGoogle },
  { schema: RemoveIdentityProvider, valid: removeGoogle },
  { schema: ResealClientSecret, valid: reseal },
  { schema: ConfigureSignIn, valid: configureSignIn },
])('$valid.type', ({ schema, valid }) => {
  describeCommand(schema, IdentityProviderCommand, valid)
  describeId({ schema, valid, field: 'idpId' })
})

describe('AddOidcIdentityProvider', () => {
  const of = { schema: AddOidcIdentityProvider, valid: addGoogle }
  describeAppearance(of)
  describeOidc(of)
  describeOptionalText({ ...of, field: 'issuer' })

  it('requires a client secret', () => {
    expect(objections(of.schema, withoutField(of.valid, 'clientSecret'))).toEqual([
      'data.clientSecret: is required',
    ])
  })
})

describe('UpdateOidcConfig', () => {
  const of = { schema: UpdateOidcConfig, valid: updateOidc }
  describeOidc(of)
  describeRequiredText({ ...of, field: 'issuer' })

  it('needs no client secret, and makes none up', () => {
    const parsed = of.schema.parse(withoutField(of.valid, 'clientSecret'))
    expect(Object.keys(parsed.data)).not.toContain('clientSecret')
  })

  it.each(['name', 'stylingType', 'autoRegister'])('has no %s', (field) => {
    expect(objections(of.schema, withField(of.valid, field, 'x'))).toEqual([
      `data: Unrecognized key: "${field}"`,
    ])
  })
})

describe('UpdateIdentityProvider', () => {
  describeAppearance({ schema: UpdateIdentityProvider, valid: updateAppearance })
})

describe('ResealClientSecret', () => {
  const of = { schema: ResealClientSecret, valid: reseal }
  describeSealedSecret({ ...of, field: 'replaces' })
  describeSealedSecret({ ...of, field: 'clientSecret' })

  it.each(['replaces', 'clientSecret'])('requires %s', (field) => {
    expect(objections(of.schema, withoutField(of.valid, field))).toEqual([
      `data.${field}: is required`,
    ])
  })
})

describe('PatchIdentityProvider', () => {
  const of = { schema: PatchIdentityProvider, valid: patchGoogle }
  describeCommand(of.schema, IdentityProviderCommand, of.valid)
  describeId({ ...of, field: 'idpId' })
  itMayBeLeftOut(of.schema, of.valid, [
    'name',
    'stylingType',
    'autoRegister',
    'clientId',
    'clientSecret',
    'issuer',
    'scopes',
    'displayNameMapping',
    'usernameMapping',
  ])
})

describe('ConfigureSignIn', () => {
  const of = { schema: ConfigureSignIn, valid: configureSignIn }
  const objectionsTo = (changed: object) =>
    objections(of.schema, { ...of.valid, data: { idpId: of.valid.data.idpId, ...changed } })
  const rule = { claim: 'hd', values: ['a'] }

  it.each([
    {},
    { groups: { claim: 'g', path: [] } },
    { groups: { claim: 'g', separator: ' ' } },
    { groups: { claim: 'g', item: undefined, separator: undefined, path: undefined } },
    { admit: [] },
    { admit: Array.from({ length: 20 }, () => rule) },
    { clientAuthentication: 'client_secret_basic', addresses: 'domain' },
  ])('accepts %j', (changed) => {
    expect(objectionsTo(changed)).toEqual([])
  })

  it.each<readonly [object, string]>([
    [{ groups: 'groups' }, 'data.groups: must be an object with a claim'],
    [{ groups: {} }, 'data.groups.claim: is required'],
    [{ groups: { claim: '' } }, 'data.groups.claim: must not be empty'],
    [{ groups: { claim: 'g', path: 'a' } }, 'data.groups.path: must be a list'],
    [
      { groups: { claim: 'g', path: Array(11).fill('a') } },
      'data.groups.path: must have at most 10 items',
    ],
    [{ groups: { claim: 'g', path: [''] } }, 'data.groups.path.0: must not be empty'],
    [
      { groups: { claim: 'g', item: 'a', separator: ',' } },
      'data.groups.separator: must not be given with item, since objects are no text',
    ],
    [{ groups: { claim: 'g', items: 'a' } }, 'data.groups: must be an object with a claim'],
    [{ admit: Array(21).fill(rule) }, 'data.admit: must have at most 20 items'],
    [{ admit: ['hd'] }, 'data.admit.0: must be an object with a claim and values'],
    [{ admit: [{ claim: 'hd' }] }, 'data.admit.0.values: is required'],
    [{ admit: [{ ...rule, values: [] }] }, 'data.admit.0.values: must have at least 1 item'],
    [{ admit: [{ ...rule, values: ['a', 'a'] }] }, 'data.admit.0.values.1: must not appear twice'],
    [{ admit: [{ ...rule, values: [true] }] }, 'data.admit.0.values.0: must be text'],
    [
      { clientAuthentication: 'private_key_jwt' },
      'data.clientAuthentication: must be one of client_secret_basic, client_secret_post, raw_basic',
    ],
    [{ subjectClaim: '' }, 'data.subjectClaim: must not be empty'],
    [{ subjectClaim: 7 }, 'data.subjectClaim: must be text'],
    [
      { secretExpiresAt: '2027-03-31' },
      'data.secretExpiresAt: must be a time such as 2027-03-31T22:00:00.000Z',
    ],
    [{ secretExpiresAt: 7 }, 'data.secretExpiresAt: must be text'],
    [{ addresses: 'all' }, 'data.addresses: must be one of domain, verified'],
  ])('refuses %j', (changed, objection) => {
    expect(objectionsTo(changed)).toEqual([objection])
  })
})
