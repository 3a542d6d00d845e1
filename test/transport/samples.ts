// What the calls of the table send.
export const oidc = {
  issuer: 'https://accounts.example.com',
  clientId: 'client-4711',
  scopes: ['openid', 'profile', 'openid'],
  displayNameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
}

export const provider = {
  name: 'Google 🔑',
  stylingType: 'STYLING_TYPE_GOOGLE',
  clientSecret: 'a secret',
  autoRegister: true,
  ...oidc,
}

/** Every setting of a sign-in, and nothing empty. */
export const signInSettings = {
  groups: { claim: 'realm_access', path: ['roles'], item: 'value' },
  admit: [{ claim: 'hd', path: ['of'], values: ['example.com', 'example.org'] }],
  clientAuthentication: 'raw_basic',
  addresses: 'verified',
  subjectClaim: 'oid',
  secretExpiresAt: '2027-03-31T22:00:00.000Z',
}

export const settings = {
  name: 'Portal 2',
  projectRoleAssertion: true,
  projectRoleCheck: true,
  hasProjectCheck: true,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
}

export const role = { roleKey: 'viewer', displayName: 'Viewer', group: 'content' }

/** Keys are any text: with what URLs, JSON and headers use for themselves. */
export const STRANGE_KEY = 'a/b?c=d&e+f %2F"\\ü🔑'

/** Far from what any object has. */
export const stale = { headers: { 'if-match': '"1"' }, context: { expectedSequence: 1n } }

/** Of the project that every host has: 2026-02-03T04:05:06Z, in microseconds. */
export const FIRST_SEQUENCE = 1770091506000000n

export const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
export const traceparent = `00-${TRACE_ID}-00f067aa0ba902b7-01`
