export { isPrivateAddress } from '../network/address.js'
export type { NetworkReason as UnreachableReason } from '../network/fault.js'
export type { FoundAddress, NetworkOptions } from '../network/request.js'
export type { CheckedProvider, ProviderCheck } from './check-provider.js'
export type { GroupsOption } from './groups.js'
export type { BeginInput, FinishInput, ProviderChoice, TestInput } from './input.js'
export type { NodeRequest, NodeResponse } from './node-exchange.js'
export { type Begun, type OpenIdSignIn, openIdSignIn } from './open-id-sign-in.js'
export type { SharedSignInOptions, SignInFault, SignInOptions } from './options.js'
export type { SignInPreview } from './preview.js'
export type { ProviderIds } from './redirect-uri.js'
export type { SignInRefusal } from './refusal.js'
export {
  type AfterSignIn,
  type PreviewOptions,
  type SignInHandler,
  type SignInHandlerOptions,
  signInHandler,
} from './sign-in-handler.js'
export type { SignedIn, SignInTokens } from './signed-in.js'
