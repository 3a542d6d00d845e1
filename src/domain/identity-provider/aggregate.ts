import * as z from 'zod/mini'
import {
  type Aggregate,
  filterableText,
  plainList,
  sortableFlag,
  sortableText,
} from '../aggregate.js'
import { type IdentityProviderRef, IdpId } from '../values.js'
import { identityProvider } from './decider.js'
import {
  IdentityProviderEvent,
  identityProviderStream,
  type OidcConfigUpdated,
  type OidcIdentityProviderAdded,
} from './events.js'
import { isOfIdentityProvider, sealedSecretIn } from './secret.js'

type Ids = Pick<IdentityProviderRef, 'idpId'>

/** Sealing a secret anew does not change it. */
const isSecretChanged = (event: IdentityProviderEvent): boolean =>
  event.type !== 'identity_provider.secret_resealed' && sealedSecretIn(event) !== undefined

/** What is shown of an identity provider; never its secret. */
export interface IdentityProviderView
  extends Omit<OidcIdentityProviderAdded['data'], 'idpId' | 'clientSecret'> {
  readonly idpId: string
  readonly state: 'active' | 'inactive'
}

/** The identity provider after `event`, without its secret; undefined when there is none. */
export const identityProviderView = (
  view: IdentityProviderView | undefined,
  event: IdentityProviderEvent,
): IdentityProviderView | undefined => {
  switch (event.type) {
    case 'identity_provider.oidc_added':
      return added(event)
    case 'identity_provider.oidc_config_updated':
      return view && { ...view, ...configIn(event) }
    case 'identity_provider.updated':
      return view && { ...view, ...event.data }
    case 'identity_provider.deactivated':
      return view && { ...view, state: 'inactive' }
    case 'identity_provider.reactivated':
      return view && { ...view, state: 'active' }
    case 'identity_provider.secret_resealed':
      return view
    case 'identity_provider.removed':
      return undefined
  }
}

/** Names each field: they are shown in this order, whatever the order in the event. */
const added = ({ data }: OidcIdentityProviderAdded): IdentityProviderView => ({
  idpId: data.idpId,
  name: data.name,
  stylingType: data.stylingType,
  autoRegister: data.autoRegister,
  clientId: data.clientId,
  issuer: data.issuer,
  scopes: frozen(data.scopes),
  displayNameMapping: data.displayNameMapping,
  usernameMapping: data.usernameMapping,
  state: 'active',
})

const configIn = ({ data }: OidcConfigUpdated) => {
  const { clientSecret: _, ...shown } = data
  return { ...shown, scopes: frozen(shown.scopes) }
}

/** A copy that no reader can change; the list of the event may be shared. */
const frozen = (scopes: readonly string[]): readonly string[] => Object.freeze([...scopes])

/** External providers that users can log in with. */
export const identityProviders = {
  type: 'identity_provider',
  label: 'identity provider',
  ids: z.strictObject({ idpId: IdpId }),
  ref: ({ idpId }): IdentityProviderRef => ({ type: 'identity_provider', idpId }),
  key: ({ idpId }) => idpId,
  refOfKey: (idpId): IdentityProviderRef => ({ type: 'identity_provider', idpId }),
  container: undefined,
  removedWith: undefined,
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
  covers: () => undefined,
  assigns: undefined,
  secretsChanged: (event) => (isSecretChanged(event) ? ['clientSecret'] : []),
  target: ({ idpId }) => ({ type: 'identity_provider', id: idpId }),
  permissions: { read: 'identity_provider.read', write: 'identity_provider.write' },
} satisfies Aggregate<Ids, IdentityProviderView, IdentityProviderEvent>
