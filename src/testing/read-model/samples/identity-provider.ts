import type {
  IdentityProviderEvent,
  OidcIdentityProviderAdded,
} from '../../../domain/identity-provider/events.js'
import { IdpId, SealedSecret } from '../../../domain/values.js'
import { type Sample, SORT_FIELDS_OF_ALL } from './sample.js'

/** A sealed secret in an event; no read may return it. */
export const SEAL = 'sealed-and-never-shown'

/** An identity provider is added. */
export const idpAdded = (idpId: string, name = 'Login'): OidcIdentityProviderAdded => ({
  type: 'identity_provider.oidc_added',
  data: {
    idpId: IdpId.parse(idpId),
    name,
    stylingType: 'STYLING_TYPE_GOOGLE',
    autoRegister: true,
    clientId: `client-of-${idpId}`,
    issuer: `https://${name}.example`,
    scopes: ['openid', 'email'],
    displayNameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
    usernameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
    clientSecret: SealedSecret.parse(SEAL),
  },
})

const eventOf =
  (
    type:
      | 'identity_provider.deactivated'
      | 'identity_provider.reactivated'
      | 'identity_provider.removed',
  ) =>
  (idpId: string): IdentityProviderEvent => ({ type, data: { idpId: IdpId.parse(idpId) } })

/** An identity provider is deactivated. */
export const idpDeactivated = eventOf('identity_provider.deactivated')

/** An identity provider is reactivated. */
export const idpReactivated = eventOf('identity_provider.reactivated')

/** An identity provider is removed. */
export const idpRemoved = eventOf('identity_provider.removed')

const idpId = IdpId.parse('google')
const { clientSecret, ...provider } = idpAdded(idpId).data
const oidc = {
  clientId: 'other',
  issuer: '',
  scopes: [],
  displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
  usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
} as const
const resealed = { idpId, ...oidc, clientSecret }
const appearance = {
  name: 'Renamed',
  stylingType: 'STYLING_TYPE_UNSPECIFIED',
  autoRegister: false,
} as const

/** Samples of identity providers. */
export const identityProviderSample: Sample<'identity_provider'> = {
  added: idpAdded,
  deactivated: idpDeactivated,
  within: {},
  scenario: {
    ref: { type: 'identity_provider', idpId },
    steps: [
      [idpAdded(idpId), { ...provider, state: 'active' }, 'clientSecret'],
      [{ type: 'identity_provider.oidc_config_updated', data: { idpId, ...oidc } }, oidc],
      [{ type: 'identity_provider.oidc_config_updated', data: resealed }, {}, 'clientSecret'],
      [{ type: 'identity_provider.updated', data: { idpId, ...appearance } }, appearance],
      [idpDeactivated(idpId), { state: 'inactive' }],
      [{ type: 'identity_provider.secret_resealed', data: { idpId, clientSecret } }, {}],
      [{ type: 'identity_provider.reactivated', data: { idpId } }, { state: 'active' }],
      [idpRemoved(idpId)],
    ],
    others: [
      ['acme', idpAdded('next')],
      ['other', idpAdded(idpId)],
    ],
  },
  sortFields: {
    idpId: (row) => row.idpId,
    name: (row) => row.name,
    stylingType: (row) => row.stylingType,
    clientId: (row) => row.clientId,
    issuer: (row) => row.issuer,
    displayNameMapping: (row) => row.displayNameMapping,
    usernameMapping: (row) => row.usernameMapping,
    autoRegister: (row) => row.autoRegister,
    ...SORT_FIELDS_OF_ALL,
  },
  filterFields: ['idpId', 'name', 'clientId', 'issuer', 'state'],
  identity: 'idpId',
  name: 'name',
}
