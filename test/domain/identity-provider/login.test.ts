import { describe, expect, it } from 'vitest'
import {
  authorizationScopes,
  type ExternalClaims,
  mapExternalUser,
  mayAutoRegister,
} from '../../../src/domain/identity-provider/login.js'

describe('authorizationScopes', () => {
  it('asks for openid alone when nothing is configured', () => {
    expect(authorizationScopes({ scopes: [] })).toEqual(['openid'])
  })

  it('puts openid before what is configured, kept in its order with duplicates', () => {
    expect(authorizationScopes({ scopes: ['profile', 'email', 'profile'] })).toEqual([
      'openid',
      'profile',
      'email',
      'profile',
    ])
  })

  it('leaves openid where it is configured', () => {
    expect(authorizationScopes({ scopes: ['email', 'openid'] })).toEqual(['email', 'openid'])
  })

  it('does not take another scope for openid', () => {
    expect(authorizationScopes({ scopes: ['OPENID', 'openid2'] })).toEqual([
      'openid',
      'OPENID',
      'openid2',
    ])
  })
})

const UNSPECIFIED = 'OIDC_MAPPING_FIELD_UNSPECIFIED'
const PREFERRED_USERNAME = 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME'
const EMAIL = 'OIDC_MAPPING_FIELD_EMAIL'

const claims = {
  sub: '248289761001',
  preferred_username: 'j.doe',
  email: 'jane@example.com',
  email_verified: true,
  name: 'Jane Doe',
} satisfies ExternalClaims

/** Values of a claim that say nothing. */
const nothings = [undefined, null, '', 0, 1, true, {}, [], ['j.doe'], { value: 'j.doe' }]

describe('mapExternalUser', () => {
  describe('username', () => {
    const usernameBy =
      (usernameMapping: typeof UNSPECIFIED | typeof EMAIL | typeof PREFERRED_USERNAME) =>
      (given: ExternalClaims) =>
        mapExternalUser({ usernameMapping, displayNameMapping: UNSPECIFIED }, given).username

    it('is the mapped claim', () => {
      expect(usernameBy(PREFERRED_USERNAME)(claims)).toBe('j.doe')
      expect(usernameBy(EMAIL)(claims)).toBe('jane@example.com')
    })

    it('is undefined when the mapped claim is absent or no text', () => {
      for (const nothing of nothings) {
        const username = usernameBy(PREFERRED_USERNAME)
        expect(username({ ...claims, preferred_username: nothing })).toBeUndefined()
        expect(usernameBy(EMAIL)({ ...claims, email: nothing })).toBeUndefined()
      }
    })

    it('is the email only when the provider verified it', () => {
      for (const email_verified of [undefined, null, false, 'true', 'false', 1, {}]) {
        const unverified = { ...claims, email_verified }
        expect(usernameBy(EMAIL)(unverified)).toBeUndefined()
        const noName = { ...unverified, preferred_username: undefined }
        expect(usernameBy(UNSPECIFIED)(noName)).toBe('248289761001')
      }
    })

    it('is, unspecified, the preferred username, else the verified email, else sub', () => {
      const username = usernameBy(UNSPECIFIED)
      expect(username(claims)).toBe('j.doe')
      for (const nothing of nothings) {
        const noName = { ...claims, preferred_username: nothing }
        expect(username(noName)).toBe('jane@example.com')
        expect(username({ ...noName, email: nothing })).toBe('248289761001')
        expect(username({ ...noName, email_verified: false })).toBe('248289761001')
      }
    })

    it('is undefined, unspecified, when the provider says nothing at all', () => {
      expect(usernameBy(UNSPECIFIED)({ sub: '' })).toBeUndefined()
    })
  })

  describe('displayName', () => {
    const displayNameBy =
      (displayNameMapping: typeof UNSPECIFIED | typeof EMAIL | typeof PREFERRED_USERNAME) =>
      (given: ExternalClaims) =>
        mapExternalUser({ usernameMapping: EMAIL, displayNameMapping }, given).displayName

    it('is the mapped claim, an email verified or not', () => {
      expect(displayNameBy(PREFERRED_USERNAME)(claims)).toBe('j.doe')
      expect(displayNameBy(EMAIL)(claims)).toBe('jane@example.com')
      expect(displayNameBy(EMAIL)({ ...claims, email_verified: false })).toBe('jane@example.com')
    })

    it('is undefined when the mapped claim is absent or no text', () => {
      for (const nothing of nothings) {
        const displayName = displayNameBy(PREFERRED_USERNAME)
        expect(displayName({ ...claims, preferred_username: nothing })).toBeUndefined()
        expect(displayNameBy(EMAIL)({ ...claims, email: nothing })).toBeUndefined()
      }
    })

    it('is, unspecified, the name, else the username', () => {
      expect(displayNameBy(UNSPECIFIED)(claims)).toBe('Jane Doe')
      for (const nothing of nothings)
        expect(displayNameBy(UNSPECIFIED)({ ...claims, name: nothing })).toBe('jane@example.com')
    })

    it('is undefined, unspecified, without a name and a username', () => {
      expect(displayNameBy(UNSPECIFIED)({ sub: '1' })).toBeUndefined()
    })
  })
})

describe('mayAutoRegister', () => {
  it.each([
    { idp: { autoRegister: true, state: 'active' }, may: true },
    { idp: { autoRegister: true }, may: true },
    { idp: { autoRegister: true, state: 'inactive' }, may: false },
    { idp: { autoRegister: false, state: 'active' }, may: false },
    { idp: { autoRegister: false }, may: false },
    { idp: { autoRegister: false, state: 'inactive' }, may: false },
  ] as const)('says $may of $idp', ({ idp, may }) => {
    expect(mayAutoRegister(idp)).toBe(may)
  })

  it.each(['STATE_INACTIVE', ''])(
    'takes %j, which is no state, for none to register with',
    (state) => {
      expect(mayAutoRegister({ autoRegister: true, state } as never)).toBe(false)
    },
  )
})
