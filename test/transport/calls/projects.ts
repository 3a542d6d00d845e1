// One function for each rpc. The paths stand here as a client writes them, not as our annotations are read.
import { type Call, contextOf, type Details, type JsonObject } from '../call.js'
import { callOf, page, segment, shown, type Untrusted } from './call-of.js'

const SERVICE = 'claviger.v1.ProjectService'

export const addProject = (input: JsonObject, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/AddProject`,
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
  return callOf(details, {
    rpc: `${SERVICE}/UpdateProject`,
    request,
    http: ['PUT', `/v1/projects/${segment(id)}`, body],
    inProcess: (iam) => iam.projects.update(request as Untrusted, contextOf(details)),
  })
}

export const patchProject = (id: string, body: JsonObject, details: Details = {}): Call => {
  const request = { id, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/PatchProject`,
    request,
    http: ['PATCH', `/v1/projects/${segment(id)}`, body],
    inProcess: (iam) => iam.projects.patch(request as Untrusted, contextOf(details)),
  })
}

export const deactivateProject = (id: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/DeactivateProject`,
    request: { id },
    http: ['POST', `/v1/projects/${segment(id)}:deactivate`],
    inProcess: (iam) => iam.projects.deactivate({ id }, contextOf(details)),
  })

export const reactivateProject = (id: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/ReactivateProject`,
    request: { id },
    http: ['POST', `/v1/projects/${segment(id)}:reactivate`],
    inProcess: (iam) => iam.projects.reactivate({ id }, contextOf(details)),
  })

export const removeProject = (id: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/RemoveProject`,
    request: { id },
    http: ['DELETE', `/v1/projects/${segment(id)}`],
    inProcess: (iam) => iam.projects.remove({ id }, contextOf(details)),
  })

export const getProject = (id: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/GetProject`,
    request: { id },
    http: ['GET', `/v1/projects/${segment(id)}`],
    inProcess: (iam) => iam.projects.get({ id }, contextOf(details)),
    shape: (found) => ({ project: shown(found) }),
  })

export const listProjects = (pageSize: number, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/ListProjects`,
    request: { pageSize, orderBy: 'id' },
    http: ['GET', `/v1/projects?page_size=${pageSize}&order_by=id`],
    inProcess: (iam) =>
      iam.projects.list({ pageSize, sort: [{ field: 'id' }] }, contextOf(details)),
    shape: page('projects'),
  })

export const checkLogin = (id: string, body: JsonObject, details: Details = {}): Call => {
  const request = { id, ...body }
  return callOf(details, {
    rpc: `${SERVICE}/CheckLogin`,
    request,
    http: ['POST', `/v1/projects/${segment(id)}:checkLogin`, body],
    inProcess: (iam) => iam.projects.checkLogin(request as Untrusted, contextOf(details)),
    shape: () => ({}),
  })
}

export const listRoleClaims = (
  id: string,
  user: { readonly userId: string; readonly userOrgId: string },
  details: Details = {},
): Call =>
  callOf(details, {
    rpc: `${SERVICE}/ListRoleClaims`,
    request: { id, ...user },
    http: ['GET', `/v1/projects/${segment(id)}/roleClaims?${new URLSearchParams(user)}`],
    inProcess: (iam) =>
      iam.projects
        .roleClaims({ id, ...user }, contextOf(details))
        .map((roleClaims) => ({ roleClaims })),
    shape: (claims) => claims,
  })
