// One function for each rpc. The paths stand here as a client writes them, not as our annotations are read.
import { type Call, contextOf, type Details, type JsonObject } from '../call.js'
import { callOf, page, segment, shown, type Untrusted } from './call-of.js'

const SERVICE = 'claviger.v1.ProjectRoleService'

/** Spec: Endpoints §4. */
export const addProjectRole = (
  projectId: string,
  body: JsonObject,
  details: Details = {},
): Call => {
  const request = { projectId, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/AddProjectRole`,
    request,
    http: ['POST', `/v1/projects/${segment(projectId)}/roles`, body],
    inProcess: (iam) => iam.projectRoles.add(request as Untrusted, contextOf(details)),
  })
}

export const addProjectRoles = (
  projectId: string,
  body: JsonObject,
  details: Details = {},
): Call => {
  const request = { projectId, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/AddProjectRoles`,
    request,
    http: ['POST', `/v1/projects/${segment(projectId)}/roles:batchAdd`, body],
    inProcess: (iam) => iam.projectRoles.addMany(request as Untrusted, contextOf(details)),
  })
}

/** Which role, as protobuf and as a URL have it. */
const roleAt = (projectId: string, roleKey: string) => ({
  request: { projectId, roleKey },
  path: `/v1/projects/${segment(projectId)}/role?role_key=${segment(roleKey)}`,
})

export const updateProjectRole = (
  [projectId, roleKey]: readonly [string, string],
  body: JsonObject,
  details: Details = {},
): Call => {
  const role = roleAt(projectId, roleKey)
  const request = { ...role.request, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/UpdateProjectRole`,
    request,
    http: ['PUT', role.path, body],
    inProcess: (iam) => iam.projectRoles.update(request as Untrusted, contextOf(details)),
  })
}

export const patchProjectRole = (
  [projectId, roleKey]: readonly [string, string],
  body: JsonObject,
  details: Details = {},
): Call => {
  const role = roleAt(projectId, roleKey)
  const request = { ...role.request, ...body }
  const { updateMask: _, ...given }: JsonObject = request
  return callOf(details, {
    rpc: `${SERVICE}/PatchProjectRole`,
    request,
    http: ['PATCH', role.path, body],
    inProcess: (iam) => iam.projectRoles.patch(given as Untrusted, contextOf(details)),
  })
}

export const removeProjectRole = (
  [projectId, roleKey]: readonly [string, string],
  details: Details = {},
): Call => {
  const { request, path } = roleAt(projectId, roleKey)
  return callOf(details, {
    rpc: `${SERVICE}/RemoveProjectRole`,
    request,
    http: ['DELETE', path],
    inProcess: (iam) => iam.projectRoles.remove(request, contextOf(details)),
  })
}

export const getProjectRole = (
  [projectId, roleKey]: readonly [string, string],
  details: Details = {},
): Call => {
  const { request, path } = roleAt(projectId, roleKey)
  return callOf(details, {
    rpc: `${SERVICE}/GetProjectRole`,
    request,
    http: ['GET', path],
    inProcess: (iam) => iam.projectRoles.get(request, contextOf(details)),
    shape: (found) => ({ projectRole: shown(found) }),
  })
}

export const listProjectRoles = (
  projectId: string,
  details: Details = {},
  [field, value]: readonly ['group' | 'permission', string] = ['group', 'content'],
): Call => {
  const request = { projectId, filter: { [field]: { equals: value } } }
  return callOf(details, {
    rpc: `${SERVICE}/ListProjectRoles`,
    request,
    http: ['GET', `/v1/projects/${segment(projectId)}/roles?filter.${field}.equals=${value}`],
    inProcess: (iam) => iam.projectRoles.list(request, contextOf(details)),
    shape: page('projectRoles'),
  })
}
