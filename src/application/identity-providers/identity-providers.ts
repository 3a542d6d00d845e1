import {
  DeactivateIdentityProvider,
  ReactivateIdentityProvider,
  RemoveIdentityProvider,
  UpdateIdentityProvider,
} from '../../domain/identity-provider/commands.js'
import { identityProviders } from '../../domain/identity-provider/kind.js'
import type { ProviderAppearance } from '../../ports/fields.js'
import type { IdentityProvider } from '../../ports/read-model.js'
import type { LongWrite, Read, Write } from '../method/method.js'
import { get } from '../reading/get.js'
import { list, type Page } from '../reading/list.js'
import { ListIdentityProvidersInput } from '../reading/list-input.js'
import type { Runtime } from '../runtime.js'
import { type AddOidcInput, addOidcIdentityProvider } from './add-oidc-identity-provider.js'
import { changeIdentityProvider, type IdentityProviderIds } from './change-identity-provider.js'
import {
  type PatchIdentityProviderInput,
  patchIdentityProvider,
} from './patch-identity-provider.js'
import { type ResealProgress, type ResealReport, resealSecrets } from './reseal-secrets.js'
import { type RevealedSecret, revealClientSecret } from './reveal-client-secret.js'
import { type UpdateOidcConfigInput, updateOidcConfig } from './update-oidc-config.js'

/**
 * Name, styling and registration of unknown users of an identity provider; what is left out would have
 * its default afterwards.
 */
export interface UpdateIdentityProviderInput extends IdentityProviderInput, ProviderAppearance {}

/** Names an identity provider. */
export interface IdentityProviderInput {
  /** Id of the provider, as `addOidc` answered or was given it. */
  readonly idpId: string
}

/** External OIDC providers users can log in with. Spec: OIDC identity provider configuration. */
export interface IdentityProviders {
  /**
   * Adds an OIDC identity provider. Refused: an own `idpId` that is or was taken in the
   * organization. Spec: Endpoints §1.
   */
  readonly addOidc: Write<AddOidcInput, IdentityProviderIds>
  /**
   * Replaces the OIDC configuration: an absent field has its default afterwards, an absent or
   * empty `clientSecret` keeps the stored one. Spec: Endpoints §2.
   */
  readonly updateOidcConfig: Write<UpdateOidcConfigInput, IdentityProviderIds>
  /** Replaces `name`, `stylingType` and `autoRegister`; an absent one has its default afterwards. */
  readonly update: Write<UpdateIdentityProviderInput, IdentityProviderIds>
  /**
   * Changes the fields that are given, of the OIDC configuration or not, and leaves the others as they are,
   * decided on the provider as it is then; nothing given changes nothing. An empty `clientSecret` is not given; an
   * empty issuer stays so until one is given.
   */
  readonly patch: Write<PatchIdentityProviderInput, IdentityProviderIds>
  /** Keeps the provider from being used; a provider that is inactive stays so. */
  readonly deactivate: Write<IdentityProviderInput, IdentityProviderIds>
  /** Lets the provider be used again; a provider that is active stays so. */
  readonly reactivate: Write<IdentityProviderInput, IdentityProviderIds>
  /** Removes the provider; its id stays taken. */
  readonly remove: Write<IdentityProviderInput, IdentityProviderIds>
  /**
   * Puts the secret of one provider, or of all of the organization, under the current key: one
   * append for each. With all, what fails is reported and the others go on; cancelled midway, what
   * was put under the current key stays there, and a further call goes on.
   */
  readonly resealSecrets: LongWrite<
    {
      /** Of one provider; all of the organization when absent. */
      readonly idpId?: string | undefined
    },
    ResealProgress,
    ResealReport
  >
  /** One provider, without its secret. */
  readonly get: Read<IdentityProviderInput, IdentityProvider>
  /** The providers of the organization, page by page, without their secrets. */
  readonly list: Read<ListIdentityProvidersInput, Page<IdentityProvider>>
  /**
   * The secret in plain text, for the host's own login flow; needs a permission of its own. Refused
   * when its key is not in the key ring, or it is not as it was sealed.
   */
  readonly revealClientSecret: Read<IdentityProviderInput, RevealedSecret>
}

/** @see IdentityProviders */
export const identityProvidersOf = (runtime: Runtime): IdentityProviders => ({
  addOidc: addOidcIdentityProvider(runtime),
  updateOidcConfig: updateOidcConfig(runtime),
  update: changeIdentityProvider(runtime, {
    method: 'identityProviders.update',
    schema: UpdateIdentityProvider.shape.data,
    command: (data) => ({ type: 'UpdateIdentityProvider', data }),
  }),
  patch: patchIdentityProvider(runtime),
  deactivate: changeIdentityProvider(runtime, {
    method: 'identityProviders.deactivate',
    schema: DeactivateIdentityProvider.shape.data,
    command: (data) => ({ type: 'DeactivateIdentityProvider', data }),
  }),
  reactivate: changeIdentityProvider(runtime, {
    method: 'identityProviders.reactivate',
    schema: ReactivateIdentityProvider.shape.data,
    command: (data) => ({ type: 'ReactivateIdentityProvider', data }),
  }),
  remove: changeIdentityProvider(runtime, {
    method: 'identityProviders.remove',
    schema: RemoveIdentityProvider.shape.data,
    command: (data) => ({ type: 'RemoveIdentityProvider', data }),
  }),
  resealSecrets: resealSecrets(runtime),
  get: get(runtime, 'identityProviders.get', identityProviders),
  list: list(runtime, {
    method: 'identityProviders.list',
    kind: identityProviders,
    schema: ListIdentityProvidersInput,
  }),
  revealClientSecret: revealClientSecret(runtime),
})
