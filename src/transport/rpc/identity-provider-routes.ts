import type { Iam } from '../../index.js'
import { IdentityProviderService } from '../gen/claviger/v1/identity_provider_service_pb.js'
import { mappingsOf, stateOf, stylingTypeOf } from './enum-values.js'
import { DETAIL_FIELDS, pageOf, sortOf, textFilterOf } from './list-request.js'
import { detailsOf, identityProviderOf, onlyDetails, pageEndOf } from './responses.js'
import { type Route, route } from './route.js'
import { givenIn } from './update-mask.js'

const rpc = IdentityProviderService.method

const SORT_FIELDS = [
  'idpId',
  'name',
  'stylingType',
  'clientId',
  'issuer',
  'displayNameMapping',
  'usernameMapping',
  'autoRegister',
  ...DETAIL_FIELDS,
] as const

/** The rpcs of `IdentityProviderService`. */
export const identityProviderRoutes = ({ identityProviders }: Iam): readonly Route[] => [
  route(rpc.addOidcIdentityProvider, (request, context) => {
    const { name, clientId, clientSecret, issuer, scopes, autoRegister } = request
    const input = {
      name,
      stylingType: stylingTypeOf(request),
      clientId,
      clientSecret,
      // Whether it may be absent is for the library to say.
      issuer: issuer!,
      scopes,
      ...mappingsOf(request),
      autoRegister,
    }
    return identityProviders
      .addOidc(input, context)
      .map(({ details, idpId }) => ({ details: detailsOf(details), idpId }))
  }),
  route(rpc.updateOidcConfig, (request, context) => {
    const { idpId, issuer, clientId, clientSecret, scopes } = request
    const input = { idpId, issuer, clientId, clientSecret, scopes, ...mappingsOf(request) }
    return identityProviders.updateOidcConfig(input, context).map(onlyDetails)
  }),
  route(rpc.updateIdentityProvider, (request, context) => {
    const { idpId, name, autoRegister } = request
    const input = { idpId, name, autoRegister, stylingType: stylingTypeOf(request) }
    return identityProviders.update(input, context).map(onlyDetails)
  }),
  route(rpc.patchIdentityProvider, (request, context) => {
    const given = givenIn(rpc.patchIdentityProvider.input, request)
    const { stylingType = 0, displayNameMapping = 0, usernameMapping = 0 } = request
    const mappings = mappingsOf({ displayNameMapping, usernameMapping })
    const input = {
      idpId: request.idpId,
      name: given('name', request.name ?? ''),
      stylingType: given('stylingType', stylingTypeOf({ stylingType })),
      autoRegister: given('autoRegister', request.autoRegister ?? false),
      issuer: given('issuer', request.issuer ?? ''),
      clientId: given('clientId', request.clientId ?? ''),
      clientSecret: given('clientSecret', request.clientSecret ?? ''),
      scopes: given('scopes', request.scopes),
      displayNameMapping: given('displayNameMapping', mappings.displayNameMapping),
      usernameMapping: given('usernameMapping', mappings.usernameMapping),
    }
    return identityProviders.patch(input, context).map(onlyDetails)
  }),
  route(rpc.deactivateIdentityProvider, ({ idpId }, context) =>
    identityProviders.deactivate({ idpId }, context).map(onlyDetails),
  ),
  route(rpc.reactivateIdentityProvider, ({ idpId }, context) =>
    identityProviders.reactivate({ idpId }, context).map(onlyDetails),
  ),
  route(rpc.removeIdentityProvider, ({ idpId }, context) =>
    identityProviders.remove({ idpId }, context).map(onlyDetails),
  ),
  route(rpc.getIdentityProvider, ({ idpId }, context) =>
    identityProviders
      .get({ idpId }, context)
      .map((found) => ({ identityProvider: identityProviderOf(found) })),
  ),
  route(rpc.listIdentityProviders, (request, context) => {
    const { filter } = request
    const conditions = filter && {
      idpId: textFilterOf(filter.idpId),
      name: textFilterOf(filter.name),
      clientId: textFilterOf(filter.clientId),
      issuer: textFilterOf(filter.issuer),
      state: stateOf(filter),
    }
    const input = {
      ...pageOf(request),
      filter: conditions,
      sort: sortOf(request.orderBy, SORT_FIELDS),
    }
    return identityProviders.list(input, context).map((page) => ({
      identityProviders: page.items.map(identityProviderOf),
      ...pageEndOf(page),
    }))
  }),
]
