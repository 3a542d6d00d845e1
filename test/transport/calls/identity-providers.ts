// One function for each rpc. The paths stand here as a client writes them, not as our annotations are read.
import { type Call, contextOf, type Details, type JsonObject } from '../call.js'
import { foundIn } from '../host.js'
import { callOf, page, segment, shown, type Untrusted } from './call-of.js'

const SERVICE = 'claviger.v1.IdentityProviderService'

/** The response to a change that may have warnings. */
const warned = ({ details, warnings }: JsonObject): JsonObject => ({
  details: details ?? null,
  ...(warnings !== undefined && { warnings }),
})

/** Spec: Endpoints §1. */
export const addOidc = (input: JsonObject, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/AddOidcIdentityProvider`,
    request: input,
    http: ['POST', '/v1/idps/oidc', input],
    inProcess: (iam) => iam.identityProviders.addOidc(input as Untrusted, contextOf(details)),
    shape: ({ details: written, idpId, warnings }) => ({
      details: written ?? null,
      idpId: idpId ?? null,
      ...(warnings !== undefined && { warnings }),
    }),
  })

/** Spec: Endpoints §2. */
export const updateOidcConfig = (idpId: string, body: JsonObject, details: Details = {}): Call => {
  const request = { idpId, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/UpdateOidcConfig`,
    request,
    http: ['PUT', `/v1/idps/${segment(idpId)}/oidc_config`, body],
    inProcess: (iam) =>
      iam.identityProviders.updateOidcConfig(request as Untrusted, contextOf(details)),
    shape: warned,
  })
}

export const updateIdentityProvider = (idpId: string, body: JsonObject, details: Details = {}) => {
  const request = { idpId, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/UpdateIdentityProvider`,
    request,
    http: ['PUT', `/v1/idps/${segment(idpId)}`, body],
    inProcess: (iam) => iam.identityProviders.update(request as Untrusted, contextOf(details)),
  })
}

export const patchIdentityProvider = (idpId: string, body: JsonObject, details: Details = {}) => {
  const request = { idpId, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/PatchIdentityProvider`,
    request,
    http: ['PATCH', `/v1/idps/${segment(idpId)}`, body],
    inProcess: (iam) => iam.identityProviders.patch(request as Untrusted, contextOf(details)),
    shape: warned,
  })
}

export const configureSignIn = (idpId: string, body: JsonObject, details: Details = {}): Call => {
  const request = { idpId, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/ConfigureSignIn`,
    request,
    http: ['PUT', `/v1/idps/${segment(idpId)}/sign_in`, body],
    inProcess: (iam) =>
      iam.identityProviders.configureSignIn(request as Untrusted, contextOf(details)),
    shape: warned,
  })
}

export const deactivateIdentityProvider = (idpId: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/DeactivateIdentityProvider`,
    request: { idpId },
    http: ['POST', `/v1/idps/${segment(idpId)}:deactivate`],
    inProcess: (iam) => iam.identityProviders.deactivate({ idpId }, contextOf(details)),
  })

export const reactivateIdentityProvider = (idpId: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/ReactivateIdentityProvider`,
    request: { idpId },
    http: ['POST', `/v1/idps/${segment(idpId)}:reactivate`],
    inProcess: (iam) => iam.identityProviders.reactivate({ idpId }, contextOf(details)),
  })

/** Answered with what `transportOptions` finds, after the checks that a patch of nothing makes. */
export const testIdentityProvider = (idpId: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/TestIdentityProvider`,
    request: { idpId },
    http: ['POST', `/v1/idps/${segment(idpId)}:test`],
    inProcess: (iam) =>
      iam.identityProviders
        .patch({ idpId }, { ...contextOf(details), dryRun: true })
        .map(() => foundIn({ orgId: 'acme', idpId })),
    shape: (found) => found,
  })

export const removeIdentityProvider = (idpId: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/RemoveIdentityProvider`,
    request: { idpId },
    http: ['DELETE', `/v1/idps/${segment(idpId)}`],
    inProcess: (iam) => iam.identityProviders.remove({ idpId }, contextOf(details)),
  })

export const getIdentityProvider = (idpId: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/GetIdentityProvider`,
    request: { idpId },
    http: ['GET', `/v1/idps/${segment(idpId)}`],
    inProcess: (iam) => iam.identityProviders.get({ idpId }, contextOf(details)),
    shape: (found) => ({ identityProvider: shown(found) }),
  })

export const listIdentityProviders = (details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/ListIdentityProviders`,
    request: { filter: { name: { contains: 'CORP', ignoreCase: true } }, orderBy: 'name desc' },
    http: [
      'GET',
      '/v1/idps?filter.name.contains=CORP&filter.name.ignore_case=true&orderBy=name+desc',
    ],
    inProcess: (iam) =>
      iam.identityProviders.list(
        {
          filter: { name: { contains: 'CORP', ignoreCase: true } },
          sort: [{ field: 'name', direction: 'desc' }],
        },
        contextOf(details),
      ),
    shape: page('identityProviders'),
  })
