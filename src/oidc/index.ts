export { isPrivateAddress } from '../network/address.js'
export type {
  FoundAddress,
  NetworkOptions,
  NetworkReason as UnreachableReason,
} from '../network/guarded-fetch.js'
export type { CheckedProvider, ProviderCheck } from './check-provider.js'
export type { GroupsOption } from './groups.js'
export type { BeginInput, FinishInput, ProviderChoice, TestInput } from './input.js'
export { type Begun, type OpenIdSignIn, openIdSignIn } from './open-id-sign-in.js'
export type { ProviderIds, SignInOptions } from './options.js'
export type { SignInRefusal } from './refusal.js'
export type { SignedIn, SignInTokens } from './signed-in.js'
