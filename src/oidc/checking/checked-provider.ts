/** One thing that was looked at. */
export interface ProviderCheck {
  /** What was looked at. */
  readonly name:
    | 'discovery'
    | 'issuer'
    | 'endpoints'
    | 'pkce'
    | 'scopes'
    | 'signing_algorithms'
    | 'secret'
  /** After `failed` nobody can sign in; after `warning` a sign-in may fail. */
  readonly verdict: 'ok' | 'warning' | 'failed'
  /** In English, for an administrator; holds no secret. */
  readonly message: string
}

/** What a test found. */
export interface CheckedProvider {
  /** In the order in which they were made; those that need what failed are absent. */
  readonly checks: readonly ProviderCheck[]
}
