import * as z from 'zod/mini'
import type { Kind } from '../kind.js'
import { filterableText, plainList, sortableFlag, sortableText } from '../kind.js'
import { type IdentityProviderRef, IdpId } from '../values.js'
import { identityProvider } from './decider.js'
import { IdentityProviderEvent, identityProviderStream } from './events.js'
import { isOfIdentityProvider, sealedSecretIn } from './secret.js'
import { type IdentityProviderView, identityProviderView } from './view.js'

type Ids = Pick<IdentityProviderRef, 'idpId'>

/** Sealing a secret anew does not change it. */
const isSecretChanged = (event: IdentityProviderEvent): boolean =>
  event.type !== 'identity_provider.secret_resealed' && sealedSecretIn(event) !== undefined

/** External providers that users can log in with. */
export const identityProviders = {
  type: 'identity_provider',
  label: 'identity provider',
  ids: z.strictObject({ idpId: IdpId }),
  ref: ({ idpId }): IdentityProviderRef => ({ type: 'identity_provider', idpId }),
  key: ({ idpId }) => idpId,
  container: undefined,
  stream: (orgId, { idpId }) => identityProviderStream(orgId, idpId),
  decider: identityProvider,
  events: IdentityProviderEvent.def.options,
  reads: isOfIdentityProvider,
  removal: 'identity_provider.removed',
  view: identityProviderView,
  states: ['active', 'inactive'],
  fields: {
    idpId: filterableText((view) => view.idpId),
    name: filterableText((view) => view.name),
    stylingType: sortableText((view) => view.stylingType),
    clientId: filterableText((view) => view.clientId),
    issuer: filterableText((view) => view.issuer),
    scopes: plainList,
    displayNameMapping: sortableText((view) => view.displayNameMapping),
    usernameMapping: sortableText((view) => view.usernameMapping),
    autoRegister: sortableFlag((view) => view.autoRegister),
  },
  secretsChanged: (event) => (isSecretChanged(event) ? ['clientSecret'] : []),
  target: ({ idpId }) => ({ type: 'identity_provider', id: idpId }),
  permissions: { read: 'identity_provider.read', write: 'identity_provider.write' },
} satisfies Kind<Ids, IdentityProviderView, IdentityProviderEvent>
