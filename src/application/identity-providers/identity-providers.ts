import * as z from 'zod/mini'
import { exists } from '../../domain/aggregate.js'
import {
  type IdentityProvider,
  identityProviders,
} from '../../domain/identity-provider/aggregate.js'
import {
  ConfigureSignIn,
  DeactivateIdentityProvider,
  ReactivateIdentityProvider,
  RemoveIdentityProvider,
  UpdateIdentityProvider,
} from '../../domain/identity-provider/command-schemas.js'
import { IdpId } from '../../domain/values.js'
import type { Violation } from '../errors/errors.js'
import type { LongContext } from '../method/context.js'
import { targetOf } from '../method/input.js'
import { type LongWrite, longWrite, type Read, type Write } from '../method/method.js'
import { get, list, type Page } from '../reading/list.js'
import { type AnyStreamState, asOneOf } from '../recording/stream-state.js'
import type { Runtime } from '../runtime.js'
import { writesOf } from '../writing/write-object.js'
import {
  addOidcIdentityProvider,
  changeClientSecret,
  type RevealedSecret,
  revealClientSecret,
} from './client-secrets.js'
import {
  type AddOidcInput,
  type ConfigureSignInInput,
  type IdentityProviderIds,
  type IdentityProviderInput,
  ListIdentityProvidersInput,
  PatchIdentityProviderInput,
  type UpdateIdentityProviderInput,
  UpdateOidcConfigInput,
} from './identity-provider-input.js'
import type { ResealProgress, ResealReport } from './reseal-secrets.js'

/** External OIDC providers that users can log in with. */
export interface IdentityProviders {
  /**
   * Adds an OIDC identity provider. `AlreadyExists` when `idpId` is or was used in the organization.
   *
   * @example
   * await iam.identityProviders.addOidc(
   *   { name: 'Corporate login', issuer: 'https://login.example.com', clientId, clientSecret, scopes: ['openid', 'email'] },
   *   context,
   * )
   */
  readonly addOidc: Write<AddOidcInput, IdentityProviderIds>
  /**
   * Replaces the OIDC configuration: an absent field gets its default. An absent or empty
   * `clientSecret` keeps the stored one.
   */
  readonly updateOidcConfig: Write<UpdateOidcConfigInput, IdentityProviderIds>
  /** Replaces `name`, `stylingType` and `autoRegister`; an absent one gets its default. */
  readonly update: Write<UpdateIdentityProviderInput, IdentityProviderIds>
  /**
   * Changes the given fields, of the OIDC configuration or not, and keeps the others. Without any field nothing
   * changes. An empty `clientSecret` counts as absent.
   */
  readonly patch: Write<PatchIdentityProviderInput, IdentityProviderIds>
  /**
   * Replaces how users sign in with the provider: where groups are, who is admitted, how the client secret is sent,
   * which addresses are own, and what identifies a user. An absent setting gets its default. No other method changes
   * these settings. A change of `subjectClaim` has a warning: users who signed in before become unknown.
   *
   * @example
   * await iam.identityProviders.configureSignIn(
   *   { idpId, groups: { claim: 'realm_access.roles' }, admit: [{ claim: 'hd', values: ['corp.example'] }] },
   *   context,
   * )
   */
  readonly configureSignIn: Write<ConfigureSignInInput, IdentityProviderIds>
  /** Deactivates the provider, so that nobody can log in with it. Succeeds if it is inactive already. */
  readonly deactivate: Write<IdentityProviderInput, IdentityProviderIds>
  /** Reactivates the provider. Succeeds if it is active already. */
  readonly reactivate: Write<IdentityProviderInput, IdentityProviderIds>
  /** Removes the provider. The id cannot be used again. */
  readonly remove: Write<IdentityProviderInput, IdentityProviderIds>
  /**
   * Encrypts the secret of one provider, or of every provider of the organization, with the current key, in one append
   * each. A call for all providers reports the failed ones and continues with the others. After a cancelled call, the
   * next call does the rest.
   */
  readonly resealSecrets: LongWrite<
    {
      /** Id of one provider; all providers of the organization. */
      readonly idpId?: string | undefined
    },
    ResealProgress,
    ResealReport
  >
  /** Returns one provider, without its secret. */
  readonly get: Read<IdentityProviderInput, IdentityProvider>
  /** Lists the organization's providers, page by page, without their secrets. */
  readonly list: Read<ListIdentityProvidersInput, Page<IdentityProvider>>
  /**
   * Returns the secret in plain text, for the host's own login flow. Needs the permission `identity_provider.secret.read`.
   * `SecretUnreadable` when the key is not in the key ring or the stored secret was altered.
   */
  readonly revealClientSecret: Read<IdentityProviderInput, RevealedSecret>
}

/** An added provider may have signed users in already, which claviger does not record. */
const subjectWarnings = (
  { subjectClaim = 'sub' }: ConfigureSignInInput,
  before: AnyStreamState,
): readonly Violation[] => {
  const { state } = asOneOf(before, identityProviders)
  if (!exists(state) || (state.signIn?.subjectClaim ?? 'sub') === subjectClaim) return []
  const description =
    'should only change before the first sign-in: users who signed in before are unknown from now on'
  return [{ field: 'subjectClaim', description }]
}

// Loaded at the first call, so that hosts without one do not load it.
const resealing = () => import('./reseal-secrets.js')

/** The methods of {@link IdentityProviders}, on the ports of a host. */
export default (runtime: Runtime): IdentityProviders => {
  const { change } = writesOf(
    runtime,
    identityProviders,
    ({ idpId }): IdentityProviderIds => ({ idpId }),
  )
  return {
    addOidc: addOidcIdentityProvider(runtime),
    updateOidcConfig: changeClientSecret(runtime, {
      method: 'identityProviders.updateOidcConfig',
      schema: UpdateOidcConfigInput,
      command: (data) => ({ type: 'UpdateOidcConfig', data }),
    }),
    update: change('identityProviders.update', UpdateIdentityProvider),
    patch: changeClientSecret(runtime, {
      method: 'identityProviders.patch',
      schema: PatchIdentityProviderInput,
      command: (data) => ({ type: 'PatchIdentityProvider', data }),
    }),
    configureSignIn: change('identityProviders.configureSignIn', ConfigureSignIn, subjectWarnings),
    deactivate: change('identityProviders.deactivate', DeactivateIdentityProvider),
    reactivate: change('identityProviders.reactivate', ReactivateIdentityProvider),
    remove: change('identityProviders.remove', RemoveIdentityProvider),
    resealSecrets: longWrite(
      runtime,
      {
        method: 'identityProviders.resealSecrets',
        permissions: [identityProviders.permissions.write],
        schema: z.strictObject({ idpId: z.optional(IdpId) }),
        target: targetOf(identityProviders),
      },
      async (call, input, onProgress: LongContext<ResealProgress>['onProgress']) =>
        (await resealing()).resealSecrets(runtime, call, input, onProgress),
    ),
    get: get(runtime, 'identityProviders.get', identityProviders),
    list: list(runtime, 'identityProviders.list', identityProviders, ListIdentityProvidersInput),
    revealClientSecret: revealClientSecret(runtime),
  }
}
