// One function for each rpc. The paths stand here as a client writes them, not as our annotations are read.
import { type Call, contextOf, type Details, type JsonObject } from '../call.js'
import { callOf, page, shown, type Untrusted } from './call-of.js'

const MAPPINGS = 'claviger.v1.RoleMappingService'
const MEMBERSHIPS = 'claviger.v1.MembershipService'

/** Names a mapping: provider, group and project, perhaps of another organization. */
export type MappingIds = readonly [
  idpId: string,
  group: string,
  projectId: string,
  projectOrgId?: string,
]

const mappingAt = ([idpId, group, projectId, projectOrgId]: MappingIds) => ({
  request: { idpId, group, projectId, ...(projectOrgId !== undefined && { projectOrgId }) },
  query: `?${new URLSearchParams({
    idp_id: idpId,
    group,
    project_id: projectId,
    ...(projectOrgId !== undefined && { project_org_id: projectOrgId }),
  })}`,
})

export const addRoleMapping = (body: JsonObject, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${MAPPINGS}/AddRoleMapping`,
    request: body,
    http: ['POST', '/v1/roleMappings', body],
    inProcess: (iam) => iam.roleMappings.add(body as Untrusted, contextOf(details)),
  })

const changeOf =
  (name: 'update' | 'addRoles' | 'removeRoles', rpc: string, verb: string, suffix: string) =>
  (ids: MappingIds, body: JsonObject, details: Details = {}): Call => {
    const { request, query } = mappingAt(ids)
    const all = { ...request, ...body }
    return callOf(details, {
      rpc: `${MAPPINGS}/${rpc}`,
      request: all,
      http: [verb, `/v1/roleMapping${suffix}${query}`, body],
      inProcess: (iam) => iam.roleMappings[name](all as Untrusted, contextOf(details)),
    })
  }

export const updateRoleMapping = changeOf('update', 'UpdateRoleMapping', 'PUT', '')
export const addRoleMappingRoles = changeOf('addRoles', 'AddRoleMappingRoles', 'POST', ':addRoles')
export const removeRoleMappingRoles = changeOf(
  'removeRoles',
  'RemoveRoleMappingRoles',
  'POST',
  ':removeRoles',
)

export const removeRoleMapping = (ids: MappingIds, details: Details = {}): Call => {
  const { request, query } = mappingAt(ids)
  return callOf(details, {
    rpc: `${MAPPINGS}/RemoveRoleMapping`,
    request,
    http: ['DELETE', `/v1/roleMapping${query}`],
    inProcess: (iam) => iam.roleMappings.remove(request, contextOf(details)),
  })
}

export const getRoleMapping = (ids: MappingIds, details: Details = {}): Call => {
  const { request, query } = mappingAt(ids)
  return callOf(details, {
    rpc: `${MAPPINGS}/GetRoleMapping`,
    request,
    http: ['GET', `/v1/roleMapping${query}`],
    inProcess: (iam) => iam.roleMappings.get(request, contextOf(details)),
    shape: (found) => ({ roleMapping: shown(found) }),
  })
}

export const listRoleMappings = (group: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${MAPPINGS}/ListRoleMappings`,
    request: { filter: { group: { startsWith: group } }, orderBy: 'group desc' },
    http: [
      'GET',
      `/v1/roleMappings?${new URLSearchParams({ 'filter.group.starts_with': group, orderBy: 'group desc' })}`,
    ],
    inProcess: (iam) =>
      iam.roleMappings.list(
        { filter: { group: { startsWith: group } }, sort: [{ field: 'group', direction: 'desc' }] },
        contextOf(details),
      ),
    shape: page('roleMappings'),
  })

/** Names a membership. */
export type MemberIds = readonly [idpId: string, userId: string]

const memberAt = ([idpId, userId]: MemberIds) => ({
  request: { idpId, userId },
  query: `?${new URLSearchParams({ idp_id: idpId, user_id: userId })}`,
})

export const reportMembership = (ids: MemberIds, body: JsonObject, details: Details = {}): Call => {
  const { request, query } = memberAt(ids)
  const all = { ...request, ...body }
  return callOf(details, {
    rpc: `${MEMBERSHIPS}/ReportMembership`,
    request: all,
    http: ['POST', `/v1/membership:report${query}`, body],
    inProcess: (iam) => iam.memberships.report(all as Untrusted, contextOf(details)),
  })
}

export const removeMembership = (ids: MemberIds, details: Details = {}): Call => {
  const { request, query } = memberAt(ids)
  return callOf(details, {
    rpc: `${MEMBERSHIPS}/RemoveMembership`,
    request,
    http: ['DELETE', `/v1/membership${query}`],
    inProcess: (iam) => iam.memberships.remove(request, contextOf(details)),
  })
}

export const getMembership = (ids: MemberIds, details: Details = {}): Call => {
  const { request, query } = memberAt(ids)
  return callOf(details, {
    rpc: `${MEMBERSHIPS}/GetMembership`,
    request,
    http: ['GET', `/v1/membership${query}`],
    inProcess: (iam) => iam.memberships.get(request, contextOf(details)),
    shape: (found) => ({ membership: shown(found) }),
  })
}

export const listMemberships = (userId: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${MEMBERSHIPS}/ListMemberships`,
    request: { filter: { userId: { equals: userId } } },
    http: ['GET', `/v1/memberships?${new URLSearchParams({ 'filter.user_id.equals': userId })}`],
    inProcess: (iam) =>
      iam.memberships.list({ filter: { userId: { equals: userId } } }, contextOf(details)),
    shape: page('memberships'),
  })
