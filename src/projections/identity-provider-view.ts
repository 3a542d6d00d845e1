import type { OidcIdentityProviderAdded } from '../domain/identity-provider/events.js'
import type { IdentityProvider } from '../ports/read-model.js'
import { firstDetails, laterDetails } from './details.js'
import type { ViewEvents } from './known-event.js'

type Event = ViewEvents['identity_provider']
type Row = IdentityProvider | undefined

/** The identity provider after `event`, without its secret; undefined when there is none. */
export const identityProviderView = (row: Row, event: Event): Row => {
  if (event.type === 'identity_provider.oidc_added') {
    return { ...withoutSecret(event.data), state: 'active', details: firstDetails(event) }
  }
  return row && changed(row, event)
}

const changed = (
  row: IdentityProvider,
  event: Exclude<Event, { readonly type: 'identity_provider.oidc_added' }>,
): Row => {
  const details = laterDetails(row.details, event)
  switch (event.type) {
    case 'identity_provider.oidc_config_updated':
      return { ...row, ...withoutSecret(event.data), details }
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

const withoutSecret = <
  Data extends Partial<Pick<OidcIdentityProviderAdded['data'], 'clientSecret'>>,
>({
  clientSecret: _,
  ...shown
}: Data) => shown
