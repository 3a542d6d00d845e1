// The path stands here as a client writes it, not as our annotations are read.
import type { Json, ScopesOfInput } from 'claviger'
import { type Call, contextOf, type Details, type JsonObject } from '../call.js'
import { callOf, segment, type Untrusted } from './call-of.js'

/** A plan as the network has it: without the events and the desired state, and without what it was planned on. */
const shape = ({ version, counts, changes, desired: _desired, ...plan }: JsonObject): Json => ({
  ...plan,
  ...(version !== undefined && { version: String(version) }),
  counts: { blocked: 0, superseded: 0, ...(counts as JsonObject) },
  changes: (changes as readonly JsonObject[]).map(({ events: _, sequence: __, ...shown }) => shown),
})

/** `desired` as the library takes it: with a number for its version, and without masks. */
const inLibrary = (desired: JsonObject): Untrusted =>
  JSON.parse(
    JSON.stringify(desired, (name, value) => {
      if (name === 'updateMask') return undefined
      if (name === 'initialState') return 'inactive'
      return name === 'version' ? Number(value) : value
    }),
  )

const applyCall = (desired: JsonObject, details: Details, isPlan: boolean): Call => {
  const request = { ...desired, ...(isPlan && { validateOnly: true }) }
  return callOf(details, {
    rpc: 'claviger.v1.AccessService/ApplyAccess',
    request,
    http: ['POST', '/v1/access:apply', request],
    inProcess: (iam) => iam[isPlan ? 'plan' : 'apply'](inLibrary(desired), contextOf(details)),
    shape,
  })
}

export const applyAccess = (desired: JsonObject, details: Details = {}): Call =>
  applyCall(desired, details, false)

export const planAccess = (desired: JsonObject, details: Details = {}): Call =>
  applyCall(desired, details, true)

/** A user, a project, and the role or the permission that is asked for. */
interface Asked {
  readonly resource?: string
  readonly userId: string
  readonly projectId: string
  readonly projectOrgId?: string
  readonly roleKey?: string
  readonly permission?: string
  readonly at?: string
}

/** The same as the library takes it: whatever is asked, also what does not compile. */
const question = ({ at, ...asked }: Asked): Untrusted => ({
  ...asked,
  ...(at !== undefined && { at: new Date(at) }),
})

export const checkAccess = (asked: Asked, details: Details = {}): Call =>
  callOf(details, {
    rpc: 'claviger.v1.AccessService/CheckAccess',
    request: { ...asked },
    http: ['GET', `/v1/access:check?${new URLSearchParams({ ...asked })}`],
    inProcess: (iam) => iam.access.check(question(asked), contextOf(details)),
    shape: (answer) => answer,
  })

export const explainAccess = (asked: Asked, details: Details = {}): Call =>
  callOf(details, {
    rpc: 'claviger.v1.AccessService/ExplainAccess',
    request: { ...asked },
    http: ['GET', `/v1/access:explain?${new URLSearchParams({ ...asked })}`],
    inProcess: (iam) => iam.access.explain(question(asked), contextOf(details)),
    // On the network a list is never absent.
    shape: ({ because, ...verdict }) => ({
      ...verdict,
      because: (because as readonly JsonObject[]).map((cause) => ({ changes: [], ...cause })),
    }),
  })

/** A page of what protobuf has under `name`. */
const found =
  (name: string) =>
  ({ items, nextPageToken = '' }: JsonObject): Json => ({
    [name]: (Array.isArray(items) ? items : []).map(({ via, ...item }) =>
      // Of a grant, protobuf names no group.
      via === 'grant' ? item : { ...item, via },
    ),
    nextPageToken,
  })

export const listRolesOfUser = (userId: string, pageSize: number, details: Details = {}): Call =>
  callOf(details, {
    rpc: 'claviger.v1.AccessService/ListRolesOfUser',
    request: { userId, pageSize },
    http: ['GET', `/v1/userRoles?user_id=${segment(userId)}&page_size=${pageSize}`],
    inProcess: (iam) => iam.access.rolesOf({ userId, pageSize }, contextOf(details)),
    shape: found('userRoles'),
  })

export const listPastRolesOfUser = (userId: string, at: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: 'claviger.v1.AccessService/ListRolesOfUser',
    request: { userId, at },
    http: ['GET', `/v1/userRoles?${new URLSearchParams({ user_id: userId, at })}`],
    inProcess: (iam) => iam.access.rolesOf({ userId, at: new Date(at) }, contextOf(details)),
    shape: found('userRoles'),
  })

/** Where a user has a permission or a role. */
export const listScopesOfUser = (
  asked: Readonly<Record<string, string | number>>,
  details: Details = {},
): Call => {
  const query = new URLSearchParams(
    Object.entries(asked).map(([name, value]) => [name, `${value}`]),
  )
  const { at, ...rest } = asked
  const input = { ...rest, ...(at !== undefined && { at: new Date(at) }) }
  return callOf(details, {
    rpc: 'claviger.v1.AccessService/ListScopesOfUser',
    request: { ...asked },
    http: ['GET', `/v1/userScopes?${query}`],
    inProcess: (iam) => iam.access.scopesOf(input as unknown as ScopesOfInput, contextOf(details)),
    shape: found('scopes'),
  })
}

/** Which users to list, as JSON and as parameters of a query. */
export interface Users {
  readonly resource?: string
  readonly userIds?: readonly string[]
  readonly projectId?: string
  readonly projectOrgId?: string
  readonly roleKey?: string
  readonly permission?: string
  readonly at?: string
  readonly pageSize?: number
}

/** The users of the organization. */
export const listUsers = (users: Users, details: Details = {}): Call => {
  const { at, userIds = [], ...rest } = users
  const query = new URLSearchParams(userIds.map((userId) => ['user_ids', userId]))
  for (const [name, value] of Object.entries({ ...rest, ...(at && { at }) }))
    query.set(name, `${value}`)
  const ids = userIds.length > 0 ? { userIds } : {}
  const input = { ...rest, ...ids, ...(at !== undefined && { at: new Date(at) }) }
  return callOf(details, {
    rpc: 'claviger.v1.AccessService/ListUsers',
    request: { ...users },
    http: ['GET', `/v1/users${query.size > 0 ? `?${query}` : ''}`],
    inProcess: (iam) => iam.access.users(input, contextOf(details)),
    shape: ({ items, nextPageToken = '' }) => ({
      users: (items as readonly { roles: readonly JsonObject[] }[]).map(({ roles, ...user }) => ({
        ...user,
        roles: roles.map(({ via, ...role }) =>
          via === 'grant' ? role : { ...role, via: via ?? null },
        ),
      })),
      nextPageToken,
    }),
  })
}

/** Which holders to list, as JSON and as parameters of a query. */
export interface Holders {
  readonly resource?: string
  readonly roleKey?: string
  readonly permission?: string
  readonly userId?: string
  readonly projectOrgId?: string
  readonly at?: string
}

/** The holders of all projects of the organization. */
export const listAllRoleHolders = (holders: Holders, details: Details = {}): Call => {
  const query = `${new URLSearchParams({ ...holders })}`
  const { at, ...rest } = holders
  const input = { ...rest, ...(at !== undefined && { at: new Date(at) }) }
  return callOf(details, {
    rpc: 'claviger.v1.AccessService/ListAllRoleHolders',
    request: { ...holders },
    http: ['GET', `/v1/roleHolders${query && `?${query}`}`],
    inProcess: (iam) => iam.access.whoHas(input, contextOf(details)),
    shape: found('roleHolders'),
  })
}

export const listRoleHolders = (
  projectId: string,
  holders: Holders,
  details: Details = {},
): Call => {
  const query = `${new URLSearchParams({ ...holders })}`
  const { at, ...role } = holders
  const input = { projectId, ...role, ...(at !== undefined && { at: new Date(at) }) }
  return callOf(details, {
    rpc: 'claviger.v1.AccessService/ListRoleHolders',
    request: { projectId, ...holders },
    http: ['GET', `/v1/projects/${segment(projectId)}/roleHolders${query && `?${query}`}`],
    inProcess: (iam) => iam.access.whoHas(input, contextOf(details)),
    shape: found('roleHolders'),
  })
}

export const listPermissions = (details: Details = {}): Call =>
  callOf(details, {
    rpc: 'claviger.v1.AccessService/ListPermissions',
    request: {},
    http: ['GET', '/v1/permissions'],
    inProcess: (iam) => iam.access.permissions({}, contextOf(details)),
    shape: (answer) => answer,
  })
