import type { Json } from './api.js'
import { texts } from './texts.js'

/** Paths of the pages below the prefix. Objects are named in the query, since any text may be a key. */
export const PAGES = [
  '',
  'providers',
  'provider',
  'projects',
  'project',
  'role',
  'project-grant',
  'users',
  'user',
  'user-grant',
  'domains',
  'domain',
  'timeline',
  'matrix',
  'review',
  'plan',
] as const

export type PageName = (typeof PAGES)[number]

/** A field of a form. `least` and `most` are the bounds of the interface, which a test compares. */
export interface FormField {
  readonly name: string
  readonly as: 'text' | 'secret' | 'lines' | 'roles' | 'flag' | readonly string[]
  readonly least?: number
  readonly most?: number
  /** Only where an object is added. */
  readonly isNew?: boolean
  /** Only where an object is changed. */
  readonly isLater?: boolean
  /** Not sent when it is empty. */
  readonly isOptional?: boolean
}

/** What the console knows of a type of objects. A new aggregate is one more of these. */
export interface ObjectType {
  readonly type: string
  readonly page: PageName
  readonly title: string
  /** Fields of its address, in the query of its page and in references. */
  readonly ids: readonly string[]
  /** Where the interface has it; the query included. */
  readonly path: (ids: Json) => string
  /** A path with what is asked of the object, such as `/history` or `:deactivate`. */
  readonly below: (ids: Json, more: string) => string
  /** Its name in an answer. */
  readonly answer: string
  readonly shown: readonly string[]
  readonly form: readonly FormField[]
  /** What it takes to change objects, and to add and remove them. */
  readonly permission: string
  readonly update: 'PATCH' | 'PUT'
  /** Where it is changed below its path; at its path when absent. */
  readonly updateBelow?: string
  /** Whether it is deactivated and reactivated. */
  readonly hasState: boolean
  /** The states that its lists are filtered by. */
  readonly states?: readonly string[]
  /** Something else that is done to it in one of its states, below its path. */
  readonly step?: { readonly title: string; readonly below: string; readonly state: string }
}

const part = (value: unknown): string => encodeURIComponent(String(value ?? ''))
const query = (ids: Json, names: readonly string[]): string =>
  names
    .filter((name) => ids[name])
    .map((name) => `${name}=${part(ids[name])}`)
    .join('&')
const name: FormField = { name: 'name', as: 'text', least: 1, most: 200 }
const STATES = ['STATE_ACTIVE', 'STATE_INACTIVE']
const mapping = [
  'OIDC_MAPPING_FIELD_UNSPECIFIED',
  'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  'OIDC_MAPPING_FIELD_EMAIL',
]

const inPath = (path: (ids: Json) => string) => ({
  path,
  below: (ids: Json, more: string) => path(ids) + more,
})
const inQuery = (path: (ids: Json) => string, names: readonly string[]) => ({
  path: (ids: Json) => `${path(ids)}?${query(ids, names)}`,
  below: (ids: Json, more: string) => `${path(ids)}${more}?${query(ids, names)}`,
})

const GRANT_IDS = ['userId', 'projectId', 'projectOrgId']

export const provider: ObjectType = {
  type: 'identity_provider',
  page: 'provider',
  title: texts.provider,
  ids: ['idpId'],
  ...inPath(({ idpId }) => `/v1/idps/${part(idpId)}`),
  answer: 'identityProvider',
  shown: [
    'name',
    'idpId',
    'issuer',
    'clientId',
    'scopes',
    'stylingType',
    'displayNameMapping',
    'usernameMapping',
    'autoRegister',
  ],
  form: [
    name,
    { name: 'issuer', as: 'text', least: 1, most: 200 },
    { name: 'clientId', as: 'text', least: 1, most: 200 },
    { name: 'clientSecret', as: 'secret', most: 200 },
    { name: 'scopes', as: 'lines', most: 100 },
    { name: 'stylingType', as: ['STYLING_TYPE_UNSPECIFIED', 'STYLING_TYPE_GOOGLE'] },
    { name: 'displayNameMapping', as: mapping },
    { name: 'usernameMapping', as: mapping },
    { name: 'autoRegister', as: 'flag' },
  ],
  permission: 'identity_provider.write',
  update: 'PATCH',
  hasState: true,
  states: STATES,
}

export const project: ObjectType = {
  type: 'project',
  page: 'project',
  title: texts.project,
  ids: ['id'],
  ...inPath(({ id }) => `/v1/projects/${part(id)}`),
  answer: 'project',
  shown: [
    'name',
    'id',
    'projectRoleAssertion',
    'projectRoleCheck',
    'hasProjectCheck',
    'privateLabelingSetting',
  ],
  form: [
    { name: 'id', as: 'text', most: 64, isNew: true },
    name,
    { name: 'projectRoleAssertion', as: 'flag' },
    { name: 'projectRoleCheck', as: 'flag' },
    { name: 'hasProjectCheck', as: 'flag' },
    {
      name: 'privateLabelingSetting',
      as: [
        'PRIVATE_LABELING_SETTING_UNSPECIFIED',
        'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
        'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
      ],
    },
  ],
  permission: 'project.write',
  update: 'PATCH',
  hasState: true,
  states: STATES,
}

export const role: ObjectType = {
  type: 'project_role',
  page: 'role',
  title: texts.role,
  ids: ['projectId', 'roleKey'],
  ...inQuery(({ projectId }) => `/v1/projects/${part(projectId)}/role`, ['roleKey']),
  answer: 'projectRole',
  shown: ['displayName', 'roleKey', 'group', 'projectId'],
  form: [
    { name: 'roleKey', as: 'text', least: 1, most: 200, isNew: true },
    { name: 'displayName', as: 'text', least: 1, most: 200 },
    { name: 'group', as: 'text', most: 200 },
  ],
  permission: 'project.role.write',
  update: 'PATCH',
  hasState: false,
}

export const projectGrant: ObjectType = {
  type: 'project_grant',
  page: 'project-grant',
  title: texts.projectGrant,
  ids: ['projectId', 'grantedOrgId'],
  ...inPath(
    ({ projectId, grantedOrgId }) => `/v1/projects/${part(projectId)}/grants/${part(grantedOrgId)}`,
  ),
  answer: 'projectGrant',
  shown: ['grantedOrgId', 'projectId', 'projectOrgId', 'roleKeys'],
  form: [
    { name: 'grantedOrgId', as: 'text', least: 1, most: 64, isNew: true },
    { name: 'roleKeys', as: 'lines', least: 1, most: 400 },
  ],
  permission: 'project.grant.write',
  update: 'PUT',
  hasState: true,
  states: STATES,
}

export const userGrant: ObjectType = {
  type: 'user_grant',
  page: 'user-grant',
  title: texts.userGrant,
  ids: GRANT_IDS,
  ...inQuery(() => '/v1/userGrant', GRANT_IDS),
  answer: 'userGrant',
  shown: ['userId', 'projectId', 'projectOrgId', 'roles'],
  form: [
    { name: 'userId', as: 'text', least: 1, most: 200, isNew: true },
    { name: 'projectId', as: 'text', least: 1, most: 64, isNew: true },
    { name: 'projectOrgId', as: 'text', most: 64, isNew: true },
    { name: 'roles', as: 'roles', least: 1, most: 400 },
  ],
  permission: 'user.grant.write',
  update: 'PUT',
  hasState: true,
  states: STATES,
}

export const domain: ObjectType = {
  type: 'domain',
  page: 'domain',
  title: texts.domain,
  ids: ['domain'],
  ...inPath(({ domain }) => `/v1/domains/${part(domain)}`),
  answer: 'domain',
  shown: ['domain', 'state', 'idpId', 'recordName', 'challenge'],
  form: [
    { name: 'domain', as: 'text', least: 1, most: 253, isNew: true },
    { name: 'idpId', as: 'text', least: 1, most: 64, isLater: true, isOptional: true },
  ],
  permission: 'domain.write',
  update: 'PUT',
  updateBelow: '/provider',
  hasState: false,
  states: ['DOMAIN_STATE_PENDING', 'DOMAIN_STATE_VERIFIED'],
  step: { title: texts.verify, below: ':verify', state: 'DOMAIN_STATE_PENDING' },
}

export const objectTypes: readonly ObjectType[] = [
  provider,
  project,
  role,
  projectGrant,
  userGrant,
  domain,
]
