import { isRequiredText, MAX_GRANTED_ROLES } from '../domain/values.js'
import type {
  DesiredIdentityProvider,
  DesiredProject,
  DesiredRole,
  DesiredSettings,
  UserGrantRolesInput,
} from '../index.js'
import { type Found, idFor, textsIn, warn } from './document.js'
import type { ImportedOrganization } from './imported.js'

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

/** Adds the project at `at`; undefined, with a warning, when its id is taken. */
export const addProject = (
  { orgId, projects }: OrganizationDraft,
  at: Found,
  { id: name, ...fields }: Pick<ProjectDraft, 'id' | 'name' | 'settings'>,
): ProjectDraft | undefined => {
  const id = idFor(name, at)
  if (projects.has(id)) {
    warn(at, 'Doubled')
    return undefined
  }
  const [roles, grants, mappings] = [new Map(), new Map(), new Map()]
  const project = { ...fields, orgId, id, roles, grants, mappings }
  projects.set(id, project)
  return project
}

const grantKey = ({ orgId, id }: ProjectDraft, userId: string): string => `${orgId}+${id}+${userId}`

/** Whether a user has roles in a project. */
export const hasRoles = (
  { userGrants }: OrganizationDraft,
  project: ProjectDraft,
  userId: string,
): boolean => userGrants.has(grantKey(project, userId))

/** Adds the role at `at` to a user, if the project has it and the organization may give it. */
export const addUserRole = (
  { orgId, userGrants }: OrganizationDraft,
  at: Found,
  {
    userId,
    project,
    roleKey,
  }: { readonly userId: unknown; readonly project: ProjectDraft; readonly roleKey: string },
): void => {
  const isForeign = project.orgId !== orgId
  const isGranted = !isForeign || project.grants.get(orgId)?.has(roleKey)
  if (!isRequiredText(userId)) warn(at, 'UserUnknown')
  else if (!project.roles.has(roleKey)) warn(at, 'RoleUnknown')
  else if (!isGranted) warn(at, 'GrantMissing')
  else {
    const key = grantKey(project, userId)
    const { id: projectId, orgId: projectOrgId } = project
    const grant: UserGrantDraft = userGrants.get(key) ?? {
      user: { userId, projectId, ...(isForeign && { projectOrgId }) },
      roleKeys: new Set(),
    }
    userGrants.set(key, grant)
    const { roleKeys } = grant
    if (roleKeys.size >= MAX_GRANTED_ROLES && !roleKeys.has(roleKey)) warn(at, 'TooMany')
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
  readonly settings?: DesiredSettings
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

/**
 * Adds the role with the key at `key`, unless it is unusable or taken. Without a display name, the key is shown.
 * Without a `group`, as in a source that has no groups of roles, the group that is set here stays.
 */
export const addRole = (
  { roles }: ProjectDraft,
  key: Found,
  fields: Partial<Pick<DesiredRole, 'displayName' | 'group'>> = {},
): void => {
  const { value: roleKey } = key
  if (!isRequiredText(roleKey)) warn(key, 'KeyUnusable')
  else if (roles.has(roleKey)) warn(key, 'Doubled')
  else if (roles.size >= MAX_DECLARED) warn(key, 'TooMany')
  else roles.set(roleKey, { roleKey, displayName: roleKey, ...fields })
}

/** Adds the grant at `at` to another organization, which will have this id, with the roles that the project has. */
export const addGrant = (
  { orgId, roles, grants }: ProjectDraft,
  at: Found,
  { grantedOrgId, roleKeys }: { readonly grantedOrgId: string; readonly roleKeys: Found },
): void => {
  const keys = grantedKeys(roles, roleKeys)
  if (grantedOrgId === orgId) warn(at, 'OrganizationUnknown')
  else if (grants.has(grantedOrgId)) warn(at, 'Doubled')
  else if (grants.size >= MAX_DECLARED) warn(at, 'TooMany')
  else if (keys.size === 0) warn(at, 'NoRoles')
  else grants.set(grantedOrgId, keys)
}

/** Adds a role of the project, for the mapper at `at`, to the mapping of a group of an imported provider. */
export const addMappedRole = (
  { mappings }: ProjectDraft,
  at: Found,
  {
    idpId,
    group,
    roleKey,
  }: { readonly idpId: string; readonly group: string; readonly roleKey: string },
): void => {
  const key = `${idpId}+${group}`
  const mapping = mappings.get(key) ?? { idpId, group, roleKeys: new Set<string>() }
  const isFull = mapping.roleKeys.size >= MAX_GRANTED_ROLES || mappings.size >= MAX_DECLARED
  if (isFull && !mapping.roleKeys.has(roleKey)) warn(at, 'TooMany')
  else {
    mappings.set(key, mapping)
    mapping.roleKeys.add(roleKey)
  }
}

const grantedKeys = (roles: ProjectDraft['roles'], roleKeys: Found): ReadonlySet<string> => {
  const keys = new Set<string>()
  for (const key of textsIn(roleKeys))
    if (!roles.has(key.value)) warn(key, 'RoleUnknown')
    else if (keys.size >= MAX_GRANTED_ROLES && !keys.has(key.value)) warn(key, 'TooMany')
    else keys.add(key.value)
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
