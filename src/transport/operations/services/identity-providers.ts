import type { Iam } from '../../../index.js'
import { IdentityProviderService } from '../../gen/claviger/v1/identity_provider_service_pb.js'
import { listing, type Operation, showing, writing } from '../operation.js'
import { listingHistory, showingPast } from '../reading/history.js'

const rpc = IdentityProviderService.method

/** The operations of `IdentityProviderService`. */
export const identityProviderOperations = ({
  identityProviders,
  history,
}: Iam): readonly Operation[] => [
  writing(rpc.addOidcIdentityProvider, identityProviders.addOidc),
  writing(rpc.updateOidcConfig, identityProviders.updateOidcConfig),
  writing(rpc.updateIdentityProvider, identityProviders.update),
  writing(rpc.patchIdentityProvider, identityProviders.patch),
  writing(rpc.deactivateIdentityProvider, identityProviders.deactivate),
  writing(rpc.reactivateIdentityProvider, identityProviders.reactivate),
  writing(rpc.removeIdentityProvider, identityProviders.remove),
  showing(rpc.getIdentityProvider, identityProviders.get),
  listing(rpc.listIdentityProviders, identityProviders.list),
  listingHistory(rpc.listIdentityProviderHistory, history, 'identity_provider'),
  showingPast(rpc.getIdentityProviderState, history, 'identity_provider'),
]
