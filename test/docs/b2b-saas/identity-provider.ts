import { realProvider } from '../../oidc/real-provider.js'
import { ORIGIN, SIGN_IN } from './browser.js'

/** What a provider says of a user. */
export interface Claims {
  readonly email: string
  readonly email_verified?: boolean
  readonly groups?: readonly string[]
}

export const CLIENT_ID = 'invoicing'

export const secretOf = (customer: string) => `hush-hush-of-${customer}`

/** The OpenID provider of a customer. Users sign in with any password; a test may change what it says of them. */
export const startProvider = async (customer: string, users: Record<string, Claims>) => {
  const redirectUris = ['sso', 'spare'].map(
    (idp) => `${ORIGIN}${SIGN_IN}/callback/${customer}/${idp}`,
  )
  const client = { client_id: CLIENT_ID, client_secret: secretOf(customer) }
  const provider = await realProvider([{ ...client, redirect_uris: redirectUris }], {
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_, id) => {
      const user = users[id]
      if (user === undefined) return undefined
      return {
        accountId: id,
        claims: () => ({
          sub: id,
          name: id,
          email_verified: true,
          ...user,
          groups: [...(user.groups ?? [])],
        }),
      }
    },
  })
  return { ...provider, users }
}
