// One function for each rpc. The paths stand here as a client writes them, not as our annotations are read.
import { type Call, contextOf, type Details, type JsonObject } from '../call.js'
import { callOf, page, segment, shown, type Untrusted } from './call-of.js'

const SERVICE = 'claviger.v1.ProjectGrantService'

/** A project, and the organization that it is granted to. */
type Ids = readonly [projectId: string, grantedOrgId: string]

const grantAt = ([projectId, grantedOrgId]: Ids) => ({
  request: { projectId, grantedOrgId },
  path: `/v1/projects/${segment(projectId)}/grants/${segment(grantedOrgId)}`,
})

export const addProjectGrant = (
  projectId: string,
  body: JsonObject,
  details: Details = {},
): Call => {
  const request = { projectId, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/AddProjectGrant`,
    request,
    http: ['POST', `/v1/projects/${segment(projectId)}/grants`, body],
    inProcess: (iam) => iam.projectGrants.add(request as Untrusted, contextOf(details)),
  })
}

export const updateProjectGrant = (ids: Ids, body: JsonObject, details: Details = {}): Call => {
  const grant = grantAt(ids)
  const request = { ...grant.request, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/UpdateProjectGrant`,
    request,
    http: ['PUT', grant.path, body],
    inProcess: (iam) => iam.projectGrants.update(request as Untrusted, contextOf(details)),
  })
}

export const deactivateProjectGrant = (ids: Ids, details: Details = {}): Call => {
  const { request, path } = grantAt(ids)
  return callOf(details, {
    rpc: `${SERVICE}/DeactivateProjectGrant`,
    request,
    http: ['POST', `${path}:deactivate`],
    inProcess: (iam) => iam.projectGrants.deactivate(request, contextOf(details)),
  })
}

export const reactivateProjectGrant = (ids: Ids, details: Details = {}): Call => {
  const { request, path } = grantAt(ids)
  return callOf(details, {
    rpc: `${SERVICE}/ReactivateProjectGrant`,
    request,
    http: ['POST', `${path}:reactivate`],
    inProcess: (iam) => iam.projectGrants.reactivate(request, contextOf(details)),
  })
}

export const removeProjectGrant = (ids: Ids, details: Details = {}): Call => {
  const { request, path } = grantAt(ids)
  return callOf(details, {
    rpc: `${SERVICE}/RemoveProjectGrant`,
    request,
    http: ['DELETE', path],
    inProcess: (iam) => iam.projectGrants.remove(request, contextOf(details)),
  })
}

export const getProjectGrant = (ids: Ids, details: Details = {}): Call => {
  const { request, path } = grantAt(ids)
  return callOf(details, {
    rpc: `${SERVICE}/GetProjectGrant`,
    request,
    http: ['GET', path],
    inProcess: (iam) => iam.projectGrants.get(request, contextOf(details)),
    shape: (found) => ({ projectGrant: shown(found) }),
  })
}

export const listProjectGrants = (projectId: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/ListProjectGrants`,
    request: {
      projectId,
      filter: { roleKey: { equals: 'editor' }, state: 'STATE_ACTIVE' },
      orderBy: 'grantedOrgId desc',
    },
    http: [
      'GET',
      `/v1/projects/${segment(projectId)}/grants?filter.roleKey.equals=editor&filter.state=STATE_ACTIVE&orderBy=granted_org_id+desc`,
    ],
    inProcess: (iam) =>
      iam.projectGrants.list(
        {
          projectId,
          filter: { roleKey: { equals: 'editor' }, state: 'active' },
          sort: [{ field: 'grantedOrgId', direction: 'desc' }],
        },
        contextOf(details),
      ),
    shape: page('projectGrants'),
  })

export const listReceivedProjectGrants = (details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/ListReceivedProjectGrants`,
    request: { orderBy: 'projectOrgId,projectId' },
    http: ['GET', '/v1/receivedGrants?order_by=project_org_id,project_id'],
    inProcess: (iam) =>
      iam.projectGrants.listReceived(
        { sort: [{ field: 'projectOrgId' }, { field: 'projectId' }] },
        contextOf(details),
      ),
    shape: page('projectGrants'),
  })

export const getReceivedProjectGrant = (
  [projectId, projectOrgId]: Ids,
  details: Details = {},
): Call => {
  const request = { projectId, projectOrgId }
  return callOf(details, {
    rpc: `${SERVICE}/GetReceivedProjectGrant`,
    request,
    http: ['GET', `/v1/receivedGrants/${segment(projectOrgId)}/${segment(projectId)}`],
    inProcess: (iam) => iam.projectGrants.getReceived(request, contextOf(details)),
    shape: (found) => ({ receivedProject: shown(found) }),
  })
}
