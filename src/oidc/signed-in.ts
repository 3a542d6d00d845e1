import type { AccessCheck } from '../index.js'

/** Tokens of a provider. `inspect` and `JSON.stringify` do not show them. */
export class SignInTokens {
  readonly #tokens: Readonly<Record<'access' | 'id', string>> & { readonly refresh?: string }

  constructor(access: string, id: string, refresh: string | undefined) {
    this.#tokens = { access, id, ...(refresh !== undefined && { refresh }) }
  }

  /** For `inspect`, which may be told to call getters. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return 'SignInTokens {}'
  }

  /** For the user info endpoint and other services of the provider. */
  get accessToken(): string {
    return this.#tokens.access
  }

  /** As it was signed. */
  get idToken(): string {
    return this.#tokens.id
  }

  /** Only of providers that give one, mostly for the scope `offline_access`. */
  get refreshToken(): string | undefined {
    return this.#tokens.refresh
  }
}

/** A user for whom a provider vouches. Keep users by `orgId`, `issuer` and `subject`, never by an address. */
export interface SignedIn {
  /** Organization of the provider. */
  readonly orgId: string
  /** Id of the provider. */
  readonly idpId: string
  /** As the provider names itself. */
  readonly issuer: string
  /** Id of the user at the provider. */
  readonly subject: string
  /** By the mapping of the provider. */
  readonly username?: string
  /** By the mapping of the provider; else the user name, else the subject. */
  readonly displayName: string
  /** As the provider says; whether it is the user's is told by `emailVerified`. */
  readonly email?: string
  /** Whether the provider says that the address is the user's. */
  readonly emailVerified: boolean
  /** Whether somebody who is not known yet may be registered. */
  readonly mayAutoRegister: boolean
  /** Of the ID token; what it lacks, of the user info. */
  readonly claims: Readonly<Record<string, unknown>>
  /** As given to `begin`. */
  readonly returnTo?: string
  /** For the host to take; hidden from `inspect` and `JSON.stringify`. */
  readonly tokens: SignInTokens
  /** The user as `userIdOf` names them; absent of one whom it does not know. */
  readonly userId?: string
  /** Whether the project that was given to `begin` lets the user in, with which roles; absent without `userId`. */
  readonly access?: AccessCheck
}
