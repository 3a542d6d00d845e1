import { err, ok, type Result, ResultAsync } from 'neverthrow'
import type { IamError } from '../index.js'
import { type Begun, begin } from './begin.js'
import { checkProvider } from './checking/check-provider.js'
import type { CheckedProvider } from './checking/checked-provider.js'
import { finish } from './finish.js'
import type { BeginInput, FinishInput, TestInput } from './input.js'
import { type SignInOptions, setUp } from './options.js'
import { Refused, type SignInRefusal } from './refusal.js'
import type { SignedIn } from './signed-in.js'

/** Signs users in with stored providers, by OpenID Connect: authorization code with PKCE, state and nonce. */
export interface OpenIdSignIn {
  /** Asks the provider what it offers, and answers where to send the browser. */
  readonly begin: (input: BeginInput) => ResultAsync<Begun, SignInRefusal | IamError>
  /**
   * Exchanges the code, checks what the provider says, and answers who the user is. That an attempt is used once is
   * up to the provider, which takes no code twice, and to the host, which deletes the cookie.
   */
  readonly finish: (input: FinishInput) => ResultAsync<SignedIn, SignInRefusal | IamError>
  /**
   * Asks an active or inactive provider what it offers, and whether it takes the secret. What the provider does wrong is
   * a check that failed, no error. It shows what an administrator wants to know before users sign in.
   */
  readonly test: (input: TestInput) => ResultAsync<CheckedProvider, SignInRefusal | IamError>
}

/**
 * Each call reads the provider and its secret from the store, so that a change of it holds in all processes at once.
 * What a provider says of itself (its discovery) is used for at most five minutes, of at most 100 issuers and 4 MiB;
 * `test` asks anew.
 *
 * @throws TypeError when an option is missing, unknown or of a wrong type
 * @throws RangeError when the key is not of 32 bytes
 */
export const openIdSignIn = (options: SignInOptions): OpenIdSignIn => {
  const setup = setUp(options)
  return {
    begin: (input) => answering(() => begin(setup, input)),
    finish: (input) => answering(() => finish(setup, input)),
    test: (input) => answering(() => checkProvider(setup, input)),
  }
}

const answering = <Value>(work: () => Promise<Value>) => {
  const answer = async (): Promise<Result<Value, SignInRefusal | IamError>> => {
    try {
      return ok(await work())
    } catch (thrown) {
      if (thrown instanceof Refused) return err(thrown.refusal)
      throw thrown
    }
  }
  return new ResultAsync(answer())
}
