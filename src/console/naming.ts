import type { Iam } from '../index.js'
import type { Names } from './browser/settings.js'
import { type Asker, type Descriptions, described, type UserDescription } from './directory.js'
import type { ConsoleOptions } from './options.js'

interface ProjectIds {
  readonly projectId: string
  readonly projectOrgId: string
}

type NamedProject = Names['projects'][number]

type Json = Readonly<Record<string, unknown>>

/** The ids in an answer. */
class Ids {
  readonly users = new Set<string>()
  readonly organizations = new Set<string>()
  readonly providers = new Set<string>()
  /** Keys of roles by project. */
  readonly projects = new Map<string, ProjectIds & { readonly roleKeys: Set<string> }>()
  readonly #orgId: string

  constructor(orgId: string) {
    this.#orgId = orgId
    this.organizations.add(orgId)
  }

  /** Collects the ids in a value; the keys of roles within belong to `project`, unless the value names another. */
  collect(value: unknown, project?: ProjectIds): void {
    if (Array.isArray(value)) for (const item of value) this.collect(item, project)
    else if (typeof value === 'object' && value !== null) this.#object(value as Json, project)
  }

  #object(value: Json, outer: ProjectIds | undefined): void {
    const project = this.#projectOf(value) ?? outer
    const keys = project && this.#rolesOf(project)
    for (const [name, field] of Object.entries(value)) {
      if (typeof field !== 'string' || field === '') this.collect(field, project)
      else if (name === 'userId') this.users.add(field)
      else if (name === 'idpId') this.providers.add(field)
      else if (name === 'roleKey') keys?.add(field)
      else if (ORGANIZATIONS.includes(name)) this.organizations.add(field)
      else if (name === 'field' && field.startsWith(ROLE)) keys?.add(field.slice(ROLE.length))
    }
    const { roleKeys, field, from, to } = value
    for (const list of field === 'roleKeys' ? [from, to] : [roleKeys])
      if (Array.isArray(list)) for (const key of list) keys?.add(String(key))
  }

  /** The project that a value is of, or lies in; that of an entry of history is in its object. */
  #projectOf({ object, ...value }: Json): ProjectIds | undefined {
    const { type, id, projectId = type === 'project' ? id : undefined, projectOrgId } = value
    if (typeof projectId === 'string' && projectId !== '')
      return { projectId, projectOrgId: String(projectOrgId || this.#orgId) }
    return typeof object === 'object' && object ? this.#projectOf(object as Json) : undefined
  }

  #rolesOf(project: ProjectIds): Set<string> {
    const key = JSON.stringify([project.projectOrgId, project.projectId])
    const known = this.projects.get(key) ?? { ...project, roleKeys: new Set<string>() }
    this.projects.set(key, known)
    return known.roleKeys
  }
}

const ORGANIZATIONS = ['orgId', 'projectOrgId', 'grantedOrgId', 'resourceOwner']
/** Begins the field of a role in a history. */
const ROLE = 'roles.'

/** Parameters that name a user, as the pages write them. */
const USERS = ['userId', 'user', 'actor', 'filter.user_id.equals']

/** A request of the pages, and the answer to it. */
interface Exchange {
  readonly path: string
  readonly query: string
  readonly body: unknown
  readonly answer: unknown
}

/**
 * Names what an answer has ids of, as far as the caller may read it. Roles without a project, such as in the impact of a
 * write, are of the project that the request is about.
 */
export const namesOf = async (
  iam: Iam,
  options: ConsoleOptions,
  { path, query, body, answer }: Exchange,
  asker: Asker,
): Promise<Names> => {
  const { orgId } = asker
  const ids = new Ids(orgId)
  const search = new URLSearchParams(query)
  for (const name of USERS) for (const id of search.getAll(name)) if (id) ids.users.add(id)
  const value = (name: string, snake: string) =>
    search.get(name) || search.get(`filter.${snake}.equals`) || Reflect.get(Object(body), name)
  const projectId = value('projectId', 'project_id') || /\/v1\/projects\/([^/:]+)/.exec(path)?.[1]
  const project = projectId && {
    projectId: decoded(String(projectId)),
    projectOrgId: String(value('projectOrgId', 'project_org_id') || orgId),
  }
  ids.collect(body)
  ids.collect({ ...project, answer })
  const describe = async (port: Descriptions | undefined, all: ReadonlySet<string>) =>
    port ? describedBy(port, [...all], asker) : []
  const [users, organizations, providers, ...projects] = await Promise.all([
    describe(options.users, ids.users),
    describe(options.organizations, ids.organizations),
    providersOf(iam, ids.providers, asker),
    ...[...ids.projects.values()].map((each) => projectOf(iam, each, asker)),
  ])
  return { orgId, users, organizations, providers, projects: projects.flat() }
}

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Most ids of one call of a port. */
const MAX_IDS = 100

const describedBy = async (
  { describe }: Descriptions,
  ids: readonly string[],
  { caller, orgId }: Asker,
): Promise<readonly UserDescription[]> => {
  const parts = Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, at) =>
    ids.slice(at * MAX_IDS, (at + 1) * MAX_IDS),
  )
  const found = await Promise.all(parts.map((part) => describe(part, { caller, orgId })))
  return found
    .flat()
    .filter(({ id }) => ids.includes(id))
    .map(described)
}

/** More objects than these are read by their list. */
const FEW = 8
const ALL = { pageSize: 1000 }

const providersOf = async (
  { identityProviders }: Iam,
  ids: ReadonlySet<string>,
  asker: Asker,
): Promise<Names['providers']> => {
  if (ids.size === 0) return []
  const found = await identityProviders.list(ALL, asker)
  return found.isErr()
    ? []
    : found.value.items
        .filter(({ idpId }) => ids.has(idpId))
        .map(({ idpId, name }) => ({ idpId, name }))
}

const projectOf = async (
  { projects, projectRoles, projectGrants }: Iam,
  { roleKeys, ...ids }: ProjectIds & { readonly roleKeys: ReadonlySet<string> },
  asker: Asker,
): Promise<readonly NamedProject[]> => {
  const { projectId, projectOrgId } = ids
  if (projectOrgId !== asker.orgId) {
    const received = await projectGrants.getReceived(ids, asker)
    if (received.isErr()) return []
    const { name, roles } = received.value
    return [{ ...ids, name, roles: roles.map(named) }]
  }
  const project = await projects.get({ id: projectId }, asker)
  const roles =
    roleKeys.size > FEW
      ? await projectRoles.list({ projectId, ...ALL }, asker).unwrapOr({ items: [] })
      : { items: [] }
  const rest = [...roleKeys].filter((key) => !roles.items.some(({ roleKey }) => roleKey === key))
  const others = await Promise.all(
    rest.slice(0, MAX_IDS).map((roleKey) => projectRoles.get({ projectId, roleKey }, asker)),
  )
  const found = [...roles.items, ...others.flatMap((each) => (each.isOk() ? [each.value] : []))]
  return [
    { ...ids, name: project.isOk() ? project.value.name : projectId, roles: found.map(named) },
  ]
}

const named = ({ roleKey, displayName }: NamedProject['roles'][number]) => ({
  roleKey,
  displayName,
})
