// One function for each rpc. The paths stand here as a client writes them, not as our annotations are read.
import { type Call, contextOf, type Details, type JsonObject } from '../call.js'
import { callOf, page, shown, type Untrusted } from './call-of.js'

const SERVICE = 'claviger.v1.UserGrantService'

/** A user and a project, the organization that owns it, and the resource; the one at hand and all when absent. */
type Ids = readonly [
  userId: string,
  projectId: string,
  projectOrgId?: string | undefined,
  resource?: string,
]

const grantAt = ([userId, projectId, projectOrgId, resource]: Ids) => {
  const request = {
    userId,
    projectId,
    ...(projectOrgId !== undefined && { projectOrgId }),
    ...(resource !== undefined && { resource }),
  }
  return { request, query: `?${new URLSearchParams(request)}` }
}

/** What is sent, with the times that the library takes. */
const inLibrary = (request: JsonObject): Untrusted =>
  JSON.parse(JSON.stringify(request), (name, value) =>
    name === 'expiresAt' ? new Date(value) : value,
  )

export const addUserGrant = (body: JsonObject, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/AddUserGrant`,
    request: body,
    http: ['POST', '/v1/userGrants', body],
    inProcess: (iam) => iam.userGrants.add(inLibrary(body), contextOf(details)),
  })

export const updateUserGrant = (ids: Ids, body: JsonObject, details: Details = {}): Call => {
  const grant = grantAt(ids)
  const request = { ...grant.request, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/UpdateUserGrant`,
    request,
    http: ['PUT', `/v1/userGrant${grant.query}`, body],
    inProcess: (iam) => iam.userGrants.update(inLibrary(request), contextOf(details)),
  })
}

export const addUserGrantRoles = (ids: Ids, body: JsonObject, details: Details = {}): Call => {
  const grant = grantAt(ids)
  const request = { ...grant.request, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/AddUserGrantRoles`,
    request,
    http: ['POST', `/v1/userGrant:addRoles${grant.query}`, body],
    inProcess: (iam) => iam.userGrants.addRoles(inLibrary(request), contextOf(details)),
  })
}

export const giveUserGrant = (ids: Ids, body: JsonObject, details: Details = {}): Call => {
  const grant = grantAt(ids)
  const request = { ...grant.request, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/GiveUserGrant`,
    request,
    http: ['POST', `/v1/userGrant:give${grant.query}`, body],
    inProcess: (iam) => iam.userGrants.give(inLibrary(request), contextOf(details)),
  })
}

export const removeUserGrantRoles = (ids: Ids, body: JsonObject, details: Details = {}): Call => {
  const grant = grantAt(ids)
  const request = { ...grant.request, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/RemoveUserGrantRoles`,
    request,
    http: ['POST', `/v1/userGrant:removeRoles${grant.query}`, body],
    inProcess: (iam) => iam.userGrants.removeRoles(request as Untrusted, contextOf(details)),
  })
}

export const deactivateUserGrant = (ids: Ids, details: Details = {}): Call => {
  const { request, query } = grantAt(ids)
  return callOf(details, {
    rpc: `${SERVICE}/DeactivateUserGrant`,
    request,
    http: ['POST', `/v1/userGrant:deactivate${query}`],
    inProcess: (iam) => iam.userGrants.deactivate(request, contextOf(details)),
  })
}

export const reactivateUserGrant = (ids: Ids, details: Details = {}): Call => {
  const { request, query } = grantAt(ids)
  return callOf(details, {
    rpc: `${SERVICE}/ReactivateUserGrant`,
    request,
    http: ['POST', `/v1/userGrant:reactivate${query}`],
    inProcess: (iam) => iam.userGrants.reactivate(request, contextOf(details)),
  })
}

export const removeUserGrant = (ids: Ids, details: Details = {}): Call => {
  const { request, query } = grantAt(ids)
  return callOf(details, {
    rpc: `${SERVICE}/RemoveUserGrant`,
    request,
    http: ['DELETE', `/v1/userGrant${query}`],
    inProcess: (iam) => iam.userGrants.remove(request, contextOf(details)),
  })
}

export const removeAllUserGrants = (userId: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/RemoveAllUserGrants`,
    request: { userId },
    http: ['POST', '/v1/userGrants:removeAll', { userId }],
    inProcess: (iam) => iam.userGrants.removeAllOfUser({ userId }, contextOf(details)),
    shape: (removed) => removed,
  })

export const removeAllGrantsOfResource = (
  projectId: string,
  resource: string,
  details: Details = {},
): Call => {
  const request = { projectId, resource }
  return callOf(details, {
    rpc: `${SERVICE}/RemoveAllGrantsOfResource`,
    request,
    http: ['POST', '/v1/userGrants:removeAllOfResource', request],
    inProcess: (iam) => iam.userGrants.removeAllOfResource(request, contextOf(details)),
    shape: (removed) => removed,
  })
}

export const getUserGrant = (ids: Ids, details: Details = {}): Call => {
  const { request, query } = grantAt(ids)
  return callOf(details, {
    rpc: `${SERVICE}/GetUserGrant`,
    request,
    http: ['GET', `/v1/userGrant${query}`],
    inProcess: (iam) => iam.userGrants.get(request, contextOf(details)),
    shape: (found) => ({ userGrant: shown(found) }),
  })
}

export const listUserGrants = (roleKey: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/ListUserGrants`,
    request: { filter: { roleKey: { startsWith: roleKey } }, orderBy: 'userId desc,projectOrgId' },
    http: [
      'GET',
      `/v1/userGrants?filter.role_key.starts_with=${roleKey}&orderBy=userId+desc,projectOrgId`,
    ],
    inProcess: (iam) =>
      iam.userGrants.list(
        {
          filter: { roleKey: { startsWith: roleKey } },
          sort: [{ field: 'userId', direction: 'desc' }, { field: 'projectOrgId' }],
        },
        contextOf(details),
      ),
    shape: page('userGrants'),
  })
