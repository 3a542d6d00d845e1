export {
  type BeginInput,
  type Begun,
  type FinishInput,
  type OpenIdSignIn,
  openIdSignIn,
  type SignInOptions,
} from './open-id-sign-in.js'
export type { SignInRefusal, UnreachableReason } from './refusal.js'
export type { SignedIn, SignInTokens } from './signed-in.js'
