import type {
  IdentityProviderEvent,
  OidcConfigUpdated,
  OidcIdentityProviderAdded,
} from './events.js'

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
