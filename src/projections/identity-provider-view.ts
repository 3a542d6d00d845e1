import type {
  OidcConfigUpdated,
  OidcIdentityProviderAdded,
} from '../domain/identity-provider/events.js'
import type { IdentityProvider } from '../ports/read-model.js'
import { firstDetails, laterDetails } from './details.js'
import type { Recorded, ViewEvents } from './event-cases.js'

type Event = ViewEvents['identity_provider']
type Row = IdentityProvider | undefined

/** The identity provider after `event`, without its secret; undefined when there is none. */
export const identityProviderView = (row: Row, event: Event): Row => {
  if (event.type === 'identity_provider.oidc_added') return added(event)
  return row && changed(row, event)
}

/** Names each field: they are shown in this order, whatever the order in the event. */
const added = (event: Recorded<OidcIdentityProviderAdded>): IdentityProvider => {
  const { data } = event
  return {
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
    details: firstDetails(event),
  }
}

const changed = (
  row: IdentityProvider,
  event: Exclude<Event, { readonly type: 'identity_provider.oidc_added' }>,
): Row => {
  const details = laterDetails(row.details, event)
  switch (event.type) {
    case 'identity_provider.oidc_config_updated':
      return { ...row, ...configIn(event), details }
    case 'identity_provider.updated':
      return { ...row, ...event.data, details }
    case 'identity_provider.deactivated':
      return { ...row, state: 'inactive', details }
    case 'identity_provider.reactivated':
      return { ...row, state: 'active', details }
    case 'identity_provider.secret_resealed':
      return { ...row, details }
    case 'identity_provider.removed':
      return undefined
  }
}

const configIn = ({ data }: Recorded<OidcConfigUpdated>) => {
  const { clientSecret: _, ...shown } = data
  return { ...shown, scopes: frozen(shown.scopes) }
}

/** A copy that no reader can alter; that of the event may be somebody else's. */
const frozen = (scopes: readonly string[]): readonly string[] => Object.freeze([...scopes])
