import { isRequiredText, MAX_GRANTED_ROLES } from '../domain/values.js'
import type {
  DesiredIdentityProvider,
  DesiredProject,
  DesiredRole,
  DesiredSettings,
  UserGrantRolesInput,
} from '../index.js'
import { type Found, idFor, textsIn } from './document.js'
import type { ImportedOrganization, Warn } from './imported.js'

/** Most projects, and most identity providers, of one desired state. */
const MAX_OBJECTS = 1_000

/** A user's roles of one project while an export is read. */
interface UserGrantDraft {
  readonly user: Omit<UserGrantRolesInput, 'roles'>
  readonly roleKeys: Set<string>
}

/** An organization while an export is read. */
export interface OrganizationDraft {
  readonly orgId: string
  readonly projects: Map<string, ProjectDraft>
  readonly providers: Map<string, DesiredIdentityProvider>
  /** By owner and id of the project, and user. */
  readonly userGrants: Map<string, UserGrantDraft>
}

export const openOrganization = (orgId: string): OrganizationDraft => ({
  orgId,
  projects: new Map(),
  providers: new Map(),
  userGrants: new Map(),
})

/** A project of an export, with the path of its id. */
interface FoundProject {
  readonly id: string
  readonly name: string
  readonly settings?: DesiredSettings | undefined
  readonly path: string
}

/** Adds a project; undefined, with a warning, when its id is taken. */
export const addProject = (
  { orgId, projects }: OrganizationDraft,
  { id: found, name, settings, path }: FoundProject,
  warn: Warn,
): ProjectDraft | undefined => {
  const id = idFor(found, path, warn)
  if (projects.has(id)) {
    warn('Doubled', path)
    return undefined
  }
  const [roles, grants, mappings] = [new Map(), new Map(), new Map()]
  const project = { orgId, id, name, settings, roles, grants, mappings }
  projects.set(id, project)
  return project
}

/** A role of a user, with its path. */
interface FoundUserRole {
  readonly userId: unknown
  readonly project: ProjectDraft
  readonly roleKey: string
  readonly path: string
}

/** Adds a role to a user, if the project has it and the organization may give it. */
export const addUserRole = (
  { orgId, userGrants }: OrganizationDraft,
  { userId, project, roleKey, path }: FoundUserRole,
  warn: Warn,
): void => {
  const isForeign = project.orgId !== orgId
  const isGranted = !isForeign || project.grants.get(orgId)?.has(roleKey)
  if (!isRequiredText(userId)) warn('UserUnknown', path)
  else if (!project.roles.has(roleKey)) warn('RoleUnknown', path)
  else if (!isGranted) warn('GrantMissing', path)
  else {
    const key = `${project.orgId}+${project.id}+${userId}`
    const { id: projectId, orgId: projectOrgId } = project
    const grant: UserGrantDraft = userGrants.get(key) ?? {
      user: { userId, projectId, ...(isForeign && { projectOrgId }) },
      roleKeys: new Set(),
    }
    userGrants.set(key, grant)
    const { roleKeys } = grant
    if (roleKeys.size >= MAX_GRANTED_ROLES && !roleKeys.has(roleKey)) warn('TooMany', path)
    else roleKeys.add(roleKey)
  }
}

/** The result for an organization; several when it has more objects than one desired state can hold. */
export const importedFrom = (
  { orgId, projects, providers, userGrants }: OrganizationDraft,
  source: string,
): readonly ImportedOrganization[] => {
  const desired = [...projects.values()].map(desiredProject)
  const mapped = new Set<string>(
    desired.flatMap(({ mappings = [] }) => mappings.map(({ idpId }) => idpId)),
  )
  const ofProjects = inParts(desired, ({ mappings }) => mappings !== undefined)
  const ofProviders = inParts([...providers.values()], ({ idpId }) => mapped.has(idpId))
  // Mappings need their providers, which are in the part of the first projects or, if they are too many, before it.
  const before = Math.max(0, Math.ceil(mapped.size / MAX_OBJECTS) - 1)
  const length = Math.max(ofProviders.length, before + ofProjects.length)
  return Array.from({ length }, (_, index) => ({
    orgId,
    access: {
      managedBy: `import:${source}`,
      projects: ofProjects[index - before] ?? [],
      identityProviders: ofProviders[index] ?? [],
    },
    userGrants: index === 0 ? [...userGrants.values()].map(userGrantOf) : [],
  }))
}

/** Parts of at most {@link MAX_OBJECTS}. If one part cannot hold all items, those that `isFirst` selects come first. */
const inParts = <Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): readonly (readonly Item[])[] => {
  if (items.length <= MAX_OBJECTS) return [items]
  const parts: Item[][] = []
  const sorted = [...items.filter(isFirst), ...items.filter((item) => !isFirst(item))]
  while (sorted.length > 0) parts.push(sorted.splice(0, MAX_OBJECTS))
  return parts
}

const userGrantOf = ({ user, roleKeys }: UserGrantDraft): UserGrantRolesInput => ({
  ...user,
  roles: [...roleKeys].map((roleKey) => ({ roleKey })),
})

/** Most roles, and most grants, of one declared project. */
const MAX_DECLARED = 10_000

/** A project while an export is read. */
export interface ProjectDraft {
  readonly orgId: string
  readonly id: string
  readonly name: string
  readonly settings: DesiredSettings | undefined
  readonly roles: Map<string, DesiredRole>
  /** The keys of roles, by the organization that has the grant. */
  readonly grants: Map<string, ReadonlySet<string>>
  /** By provider and group. */
  readonly mappings: Map<string, MappingDraft>
}

/** The roles of a group while an export is read. */
interface MappingDraft {
  readonly idpId: string
  readonly group: string
  readonly roleKeys: Set<string>
}

/** A role of an export, with the path of its key. */
interface FoundRole {
  readonly roleKey: unknown
  readonly displayName: string
  /** Absent if the source has no groups of roles; the group that is set here stays. */
  readonly group?: string | undefined
  readonly path: string
}

/** Adds a role, unless its key is unusable or taken. */
export const addRole = (
  { roles }: ProjectDraft,
  { roleKey, displayName, group, path }: FoundRole,
  warn: Warn,
): void => {
  if (!isRequiredText(roleKey)) warn('KeyUnusable', path)
  else if (roles.has(roleKey)) warn('Doubled', path)
  else if (roles.size >= MAX_DECLARED) warn('TooMany', path)
  else roles.set(roleKey, { roleKey, displayName, ...(group !== undefined && { group }) })
}

/** A grant of a project in an export. */
interface FoundGrant {
  /** The id that the organization will have. */
  readonly grantedOrgId: string
  readonly roleKeys: Found
  readonly path: string
}

/** Adds a grant to another organization, with the roles that the project has. */
export const addGrant = (
  { orgId, roles, grants }: ProjectDraft,
  { grantedOrgId, roleKeys, path }: FoundGrant,
  warn: Warn,
): void => {
  const keys = grantedKeys(roles, roleKeys, warn)
  if (grantedOrgId === orgId) warn('OrganizationUnknown', path)
  else if (grants.has(grantedOrgId)) warn('Doubled', path)
  else if (grants.size >= MAX_DECLARED) warn('TooMany', path)
  else if (keys.size === 0) warn('NoRoles', path)
  else grants.set(grantedOrgId, keys)
}

/** A role that the members of a group have in an export. */
interface FoundMapping {
  /** The id of an imported provider. */
  readonly idpId: string
  readonly group: string
  /** One of the roles of the project. */
  readonly roleKey: string
  readonly path: string
}

/** Adds a role to the mapping of a group. */
export const addMappedRole = (
  { mappings }: ProjectDraft,
  { idpId, group, roleKey, path }: FoundMapping,
  warn: Warn,
): void => {
  const key = `${idpId}+${group}`
  const mapping = mappings.get(key) ?? { idpId, group, roleKeys: new Set<string>() }
  const isFull = mapping.roleKeys.size >= MAX_GRANTED_ROLES || mappings.size >= MAX_DECLARED
  if (isFull && !mapping.roleKeys.has(roleKey)) warn('TooMany', path)
  else {
    mappings.set(key, mapping)
    mapping.roleKeys.add(roleKey)
  }
}

const grantedKeys = (
  roles: ProjectDraft['roles'],
  roleKeys: Found,
  warn: Warn,
): ReadonlySet<string> => {
  const keys = new Set<string>()
  for (const { value, path } of textsIn(roleKeys, warn))
    if (!roles.has(value)) warn('RoleUnknown', path)
    else if (keys.size >= MAX_GRANTED_ROLES && !keys.has(value)) warn('TooMany', path)
    else keys.add(value)
  return keys
}

const desiredProject = ({
  id,
  name,
  settings,
  roles,
  grants,
  mappings,
}: ProjectDraft): DesiredProject => ({
  id,
  name,
  ...(settings && { settings }),
  roles: [...roles.values()],
  ...(grants.size > 0 && {
    grants: [...grants].map(([grantedOrgId, keys]) => ({ grantedOrgId, roleKeys: [...keys] })),
  }),
  ...(mappings.size > 0 && {
    mappings: [...mappings.values()].map(({ roleKeys, ...group }) => ({
      ...group,
      roleKeys: [...roleKeys],
    })),
  }),
})
