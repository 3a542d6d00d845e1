import { isRequiredText, MAX_GRANTED_ROLES } from '../../domain/values.js'
import type { DesiredIdentityProvider, DesiredSettings, GivenUserGrant } from '../../index.js'
import type { ImportedOrganization } from '../imported.js'
import { idFor } from '../reading/ids.js'
import type { Warn } from '../warning.js'
import { desiredProject, type ProjectDraft } from './project-draft.js'

/** Most projects, and most identity providers, of one desired state. */
const MAX_OBJECTS = 1_000

/** A user's roles of one project while an export is read. */
interface UserGrantDraft extends GivenUserGrant {
  readonly roles: { readonly roleKey: string }[]
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

/** A project as it was found, with the place of its id. */
export interface FoundProject {
  readonly id: string
  readonly name: string
  readonly settings?: DesiredSettings | undefined
  readonly path: string
}

/** Adds a project; undefined when its id was there before. */
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
  const project = { orgId, id, name, settings, roles: new Map(), grants: new Map() }
  projects.set(id, project)
  return project
}

/** A role that a user has, with the place where it says so. */
export interface FoundUserRole {
  readonly userId: unknown
  readonly project: ProjectDraft
  readonly roleKey: string
  readonly path: string
}

/** Gives a user a role that the project has and that the organization may give. */
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
      userId,
      projectId,
      ...(isForeign && { projectOrgId }),
      roles: [],
    }
    userGrants.set(key, grant)
    const isHeld = grant.roles.some((role) => role.roleKey === roleKey)
    if (!isHeld && grant.roles.length >= MAX_GRANTED_ROLES) warn('TooMany', path)
    else if (!isHeld) grant.roles.push({ roleKey })
  }
}

/** What was read of an organization; several when it has more than one desired state can hold. */
export const importedFrom = (
  { orgId, projects, providers, userGrants }: OrganizationDraft,
  source: string,
): readonly ImportedOrganization[] => {
  const [allProjects, allProviders] = [[...projects.values()], [...providers.values()]]
  const count = Math.ceil(Math.max(allProjects.length, allProviders.length, 1) / MAX_OBJECTS)
  return Array.from({ length: count }, (_, index) => {
    const [from, to] = [index * MAX_OBJECTS, (index + 1) * MAX_OBJECTS]
    return {
      orgId,
      access: {
        managedBy: `import:${source}`,
        projects: allProjects.slice(from, to).map(desiredProject),
        identityProviders: allProviders.slice(from, to),
      },
      userGrants: index === 0 ? [...userGrants.values()] : [],
    }
  })
}
