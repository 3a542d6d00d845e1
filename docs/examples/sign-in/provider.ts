// A real OpenID provider for the example; in production it is Entra ID, Google, Okta or the like.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** An address and what the provider says of it. */
export interface Account {
  readonly email: string
  readonly name: string
}

/** What the provider knows of its client, the host. */
export interface Client {
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

/** Everybody of `accounts` signs in with the part of the address before the `@`, and any password. */
export const startProvider = async (client: Client, accounts: readonly Account[]) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const { clientId, clientSecret, redirectUri } = client
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_, id) => {
      const account = accounts.find(({ email }) => email.split('@')[0] === id)
      if (account === undefined) return undefined
      const { email, name } = account
      return { accountId: id, claims: () => ({ sub: id, email, email_verified: true, name }) }
    },
  })
  server.on('request', provider.callback())
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { issuer, close }
}
