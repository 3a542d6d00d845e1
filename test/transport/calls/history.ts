// One function for each rpc. The paths stand here as a client writes them, not as our annotations are read.
import type { ListHistoryInput, StateAtInput } from 'claviger'
import { type Call, contextOf, type Details, type JsonObject } from '../call.js'
import { callOf, segment, shown, shownDomain, shownSetupLink } from './call-of.js'

/** The services and paths of objects, by the type of the object. */
const OBJECTS = {
  identity_provider: {
    name: 'IdentityProvider',
    field: 'identityProvider',
    path: ([idpId = '']: readonly string[]) => [`/v1/idps/${segment(idpId)}/history`, ''],
    ids: ([idpId = '']: readonly string[]) => ({ idpId }),
  },
  project: {
    name: 'Project',
    field: 'project',
    path: ([id = '']: readonly string[]) => [`/v1/projects/${segment(id)}/history`, ''],
    ids: ([id = '']: readonly string[]) => ({ id }),
  },
  project_role: {
    name: 'ProjectRole',
    field: 'projectRole',
    path: ([projectId = '', roleKey = '']: readonly string[]) => [
      `/v1/projects/${segment(projectId)}/role/history`,
      `role_key=${segment(roleKey)}`,
    ],
    ids: ([projectId = '', roleKey = '']: readonly string[]) => ({ projectId, roleKey }),
  },
  project_grant: {
    name: 'ProjectGrant',
    field: 'projectGrant',
    path: ([projectId = '', grantedOrgId = '']: readonly string[]) => [
      `/v1/projects/${segment(projectId)}/grants/${segment(grantedOrgId)}/history`,
      '',
    ],
    ids: ([projectId = '', grantedOrgId = '']: readonly string[]) => ({ projectId, grantedOrgId }),
  },
  domain: {
    name: 'Domain',
    field: 'domain',
    path: ([domain = '']: readonly string[]) => [`/v1/domains/${segment(domain)}/history`, ''],
    ids: ([domain = '']: readonly string[]) => ({ domain }),
  },
  setup_link: {
    name: 'SetupLink',
    field: 'setupLink',
    path: ([linkId = '']: readonly string[]) => [`/v1/setupLinks/${segment(linkId)}/history`, ''],
    ids: ([linkId = '']: readonly string[]) => ({ linkId }),
  },
  role_mapping: {
    name: 'RoleMapping',
    field: 'roleMapping',
    path: ([idpId = '', group = '', projectId = '', projectOrgId = '']: readonly string[]) => [
      '/v1/roleMapping/history',
      `idp_id=${segment(idpId)}&group=${segment(group)}&project_id=${projectId}&project_org_id=${projectOrgId}`,
    ],
    ids: ([idpId = '', group = '', projectId = '', projectOrgId = '']: readonly string[]) => ({
      idpId,
      group,
      projectId,
      projectOrgId,
    }),
  },
  membership: {
    name: 'Membership',
    field: 'membership',
    path: ([idpId = '', userId = '']: readonly string[]) => [
      '/v1/membership/history',
      `idp_id=${segment(idpId)}&user_id=${segment(userId)}`,
    ],
    ids: ([idpId = '', userId = '']: readonly string[]) => ({ idpId, userId }),
  },
  user_grant: {
    name: 'UserGrant',
    field: 'userGrant',
    path: ([userId = '', projectId = '', projectOrgId = '']: readonly string[]) => [
      '/v1/userGrant/history',
      `user_id=${segment(userId)}&project_id=${projectId}&project_org_id=${projectOrgId}`,
    ],
    ids: ([userId = '', projectId = '', projectOrgId = '']: readonly string[]) => ({
      userId,
      projectId,
      projectOrgId,
    }),
  },
} as const

type Type = keyof typeof OBJECTS

/** States with an enumeration of their own. */
const SHOWN_AS: Partial<Record<Type, typeof shown>> = {
  domain: shownDomain,
  setup_link: shownSetupLink,
}

/** Which changes, as JSON, as parameters of a query, and as the library takes them. */
export interface Wanted {
  readonly request?: JsonObject
  readonly query?: string
  readonly input?: Omit<ListHistoryInput, 'object'>
}

const history = ({ items, nextAfter, nextBefore }: JsonObject): JsonObject => ({
  entries: items ?? [],
  ...(nextAfter !== undefined && { nextAfter }),
  ...(nextBefore !== undefined && { nextBefore }),
})

const targetOf = (path: string, ...queries: readonly string[]): string => {
  const query = queries.filter((text) => text !== '').join('&')
  return query === '' ? path : `${path}?${query}`
}

export const listHistory = (wanted: Wanted = {}, details: Details = {}): Call =>
  callOf(details, {
    rpc: 'claviger.v1.HistoryService/ListHistory',
    request: wanted.request ?? {},
    http: ['GET', targetOf('/v1/history', wanted.query ?? '')],
    inProcess: (iam) => iam.history.list(wanted.input ?? {}, contextOf(details)),
    shape: history,
  })

export const listHistoryOf = (
  [type, ...names]: readonly [type: Type, ...names: string[]],
  wanted: Wanted = {},
  details: Details = {},
): Call => {
  const { name, path, ids } = OBJECTS[type]
  const [at = '', key = ''] = path(names)
  const object = { type, ...ids(names) } as ListHistoryInput['object']
  return callOf(details, {
    rpc: `claviger.v1.${name}Service/List${name}History`,
    request: { ...ids(names), ...wanted.request },
    http: ['GET', targetOf(at, key, wanted.query ?? '')],
    inProcess: (iam) => iam.history.list({ object, ...wanted.input }, contextOf(details)),
    shape: history,
  })
}

export const getState = (
  [type, ...names]: readonly [type: Type, ...names: string[]],
  at: { readonly time: string } | { readonly sequence: bigint },
  details: Details = {},
): Call => {
  const { name, field, path, ids } = OBJECTS[type]
  const [list = '', key = ''] = path(names)
  const object = { type, ...ids(names) } as StateAtInput['object']
  const isTime = 'time' in at
  const asked = isTime ? { time: at.time } : { sequence: String(at.sequence) }
  const when = isTime ? { time: new Date(at.time) } : at
  return callOf(details, {
    rpc: `claviger.v1.${name}Service/Get${name}State`,
    request: { ...ids(names), ...asked },
    http: ['GET', targetOf(`${list}/state`, key, new URLSearchParams(asked).toString())],
    inProcess: (iam) => iam.history.stateAt({ object, ...when }, contextOf(details)),
    shape: (found) => ({ [field]: (SHOWN_AS[type] ?? shown)(found) }),
  })
}
