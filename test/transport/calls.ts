import type { Json } from 'claviger'
import { type Call, contextOf, type Details, headersOf, type JsonObject } from './call.js'

// One function for each rpc. The paths stand here as a client writes them, not as our annotations are read.

const IDPS = 'claviger.v1.IdentityProviderService'
const PROJECTS = 'claviger.v1.ProjectService'
const ROLES = 'claviger.v1.ProjectRoleService'

type Essential = Pick<Call, 'rpc' | 'request' | 'http' | 'inProcess'> & Partial<Pick<Call, 'shape'>>

const call = (details: Details, essential: Essential): Call => ({
  shape: ({ details: written }) => ({ details: written ?? null }),
  headers: headersOf(details),
  ...essential,
})

/** A state as protobuf has it. */
const shown = (outcome: JsonObject): JsonObject => ({
  ...outcome,
  state: `STATE_${String(outcome['state']).toUpperCase()}`,
})

const page =
  (name: string) =>
  ({ items, nextPageToken, totalSize, sequence }: JsonObject): Json => ({
    [name]: Array.isArray(items) ? items.map(shown) : [],
    nextPageToken: nextPageToken ?? '',
    totalSize: totalSize ?? 0,
    sequence: sequence ?? '',
  })

const segment = encodeURIComponent

// The inputs below are what a client sends; the library takes them untrusted, whatever their type.
// biome-ignore lint/suspicious/noExplicitAny: tests send what no type allows
type Untrusted = any

/** Spec: Endpoints §1. */
export const addOidc = (input: JsonObject, details: Details = {}): Call =>
  call(details, {
    rpc: `${IDPS}/AddOidcIdentityProvider`,
    request: input,
    http: ['POST', '/v1/idps/oidc', input],
    inProcess: (iam) => iam.identityProviders.addOidc(input as Untrusted, contextOf(details)),
    shape: ({ details: written, idpId }) => ({ details: written ?? null, idpId: idpId ?? null }),
  })

/** Spec: Endpoints §2. */
export const updateOidcConfig = (idpId: string, body: JsonObject, details: Details = {}): Call => {
  const request = { idpId, ...body }
  return call(details, {
    rpc: `${IDPS}/UpdateOidcConfig`,
    request,
    http: ['PUT', `/v1/idps/${segment(idpId)}/oidc_config`, body],
    inProcess: (iam) =>
      iam.identityProviders.updateOidcConfig(request as Untrusted, contextOf(details)),
  })
}

export const updateIdentityProvider = (idpId: string, body: JsonObject, details: Details = {}) => {
  const request = { idpId, ...body }
  return call(details, {
    rpc: `${IDPS}/UpdateIdentityProvider`,
    request,
    http: ['PUT', `/v1/idps/${segment(idpId)}`, body],
    inProcess: (iam) => iam.identityProviders.update(request as Untrusted, contextOf(details)),
  })
}

export const deactivateIdentityProvider = (idpId: string, details: Details = {}): Call =>
  call(details, {
    rpc: `${IDPS}/DeactivateIdentityProvider`,
    request: { idpId },
    http: ['POST', `/v1/idps/${segment(idpId)}:deactivate`],
    inProcess: (iam) => iam.identityProviders.deactivate({ idpId }, contextOf(details)),
  })

export const reactivateIdentityProvider = (idpId: string, details: Details = {}): Call =>
  call(details, {
    rpc: `${IDPS}/ReactivateIdentityProvider`,
    request: { idpId },
    http: ['POST', `/v1/idps/${segment(idpId)}:reactivate`],
    inProcess: (iam) => iam.identityProviders.reactivate({ idpId }, contextOf(details)),
  })

export const removeIdentityProvider = (idpId: string, details: Details = {}): Call =>
  call(details, {
    rpc: `${IDPS}/RemoveIdentityProvider`,
    request: { idpId },
    http: ['DELETE', `/v1/idps/${segment(idpId)}`],
    inProcess: (iam) => iam.identityProviders.remove({ idpId }, contextOf(details)),
  })

export const getIdentityProvider = (idpId: string, details: Details = {}): Call =>
  call(details, {
    rpc: `${IDPS}/GetIdentityProvider`,
    request: { idpId },
    http: ['GET', `/v1/idps/${segment(idpId)}`],
    inProcess: (iam) => iam.identityProviders.get({ idpId }, contextOf(details)),
    shape: (found) => ({ identityProvider: shown(found) }),
  })

export const listIdentityProviders = (details: Details = {}): Call =>
  call(details, {
    rpc: `${IDPS}/ListIdentityProviders`,
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

export const addProject = (input: JsonObject, details: Details = {}): Call =>
  call(details, {
    rpc: `${PROJECTS}/AddProject`,
    request: input,
    http: ['POST', '/v1/projects', input],
    inProcess: (iam) => iam.projects.add(input as Untrusted, contextOf(details)),
    shape: ({ details: written, projectId }) => ({
      details: written ?? null,
      id: projectId ?? null,
    }),
  })

/** Spec: Endpoints §3. */
export const updateProject = (id: string, body: JsonObject, details: Details = {}): Call => {
  const request = { id, ...body }
  return call(details, {
    rpc: `${PROJECTS}/UpdateProject`,
    request,
    http: ['PUT', `/v1/projects/${segment(id)}`, body],
    inProcess: (iam) => iam.projects.update(request as Untrusted, contextOf(details)),
  })
}

export const deactivateProject = (id: string, details: Details = {}): Call =>
  call(details, {
    rpc: `${PROJECTS}/DeactivateProject`,
    request: { id },
    http: ['POST', `/v1/projects/${segment(id)}:deactivate`],
    inProcess: (iam) => iam.projects.deactivate({ id }, contextOf(details)),
  })

export const reactivateProject = (id: string, details: Details = {}): Call =>
  call(details, {
    rpc: `${PROJECTS}/ReactivateProject`,
    request: { id },
    http: ['POST', `/v1/projects/${segment(id)}:reactivate`],
    inProcess: (iam) => iam.projects.reactivate({ id }, contextOf(details)),
  })

export const removeProject = (id: string, details: Details = {}): Call =>
  call(details, {
    rpc: `${PROJECTS}/RemoveProject`,
    request: { id },
    http: ['DELETE', `/v1/projects/${segment(id)}`],
    inProcess: (iam) => iam.projects.remove({ id }, contextOf(details)),
  })

export const getProject = (id: string, details: Details = {}): Call =>
  call(details, {
    rpc: `${PROJECTS}/GetProject`,
    request: { id },
    http: ['GET', `/v1/projects/${segment(id)}`],
    inProcess: (iam) => iam.projects.get({ id }, contextOf(details)),
    shape: (found) => ({ project: shown(found) }),
  })

export const listProjects = (pageSize: number, details: Details = {}): Call =>
  call(details, {
    rpc: `${PROJECTS}/ListProjects`,
    request: { pageSize, orderBy: 'id' },
    http: ['GET', `/v1/projects?page_size=${pageSize}&order_by=id`],
    inProcess: (iam) =>
      iam.projects.list({ pageSize, sort: [{ field: 'id' }] }, contextOf(details)),
    shape: page('projects'),
  })

export const checkLogin = (id: string, body: JsonObject, details: Details = {}): Call => {
  const request = { id, ...body }
  return call(details, {
    rpc: `${PROJECTS}/CheckLogin`,
    request,
    http: ['POST', `/v1/projects/${segment(id)}:checkLogin`, body],
    inProcess: (iam) => iam.projects.checkLogin(request as Untrusted, contextOf(details)),
    shape: () => ({}),
  })
}

/** Spec: Endpoints §4. */
export const addProjectRole = (
  projectId: string,
  body: JsonObject,
  details: Details = {},
): Call => {
  const request = { projectId, ...body }
  return call(details, {
    rpc: `${ROLES}/AddProjectRole`,
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
  return call(details, {
    rpc: `${ROLES}/AddProjectRoles`,
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
  return call(details, {
    rpc: `${ROLES}/UpdateProjectRole`,
    request,
    http: ['PUT', role.path, body],
    inProcess: (iam) => iam.projectRoles.update(request as Untrusted, contextOf(details)),
  })
}

export const removeProjectRole = (
  [projectId, roleKey]: readonly [string, string],
  details: Details = {},
): Call => {
  const { request, path } = roleAt(projectId, roleKey)
  return call(details, {
    rpc: `${ROLES}/RemoveProjectRole`,
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
  return call(details, {
    rpc: `${ROLES}/GetProjectRole`,
    request,
    http: ['GET', path],
    inProcess: (iam) => iam.projectRoles.get(request, contextOf(details)),
    shape: (found) => ({ projectRole: shown(found) }),
  })
}

export const listProjectRoles = (projectId: string, details: Details = {}): Call =>
  call(details, {
    rpc: `${ROLES}/ListProjectRoles`,
    request: { projectId, filter: { group: { equals: 'content' } } },
    http: ['GET', `/v1/projects/${segment(projectId)}/roles?filter.group.equals=content`],
    inProcess: (iam) =>
      iam.projectRoles.list(
        { projectId, filter: { group: { equals: 'content' } } },
        contextOf(details),
      ),
    shape: page('projectRoles'),
  })
