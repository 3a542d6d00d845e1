import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Json } from './api.js'
import {
  isOwn,
  organizationNameOf,
  type ProjectIds,
  personOf,
  projectNameOf,
  providerNameOf,
  roleNameOf,
} from './known.js'
import { href } from './router.js'
import { fieldName, say, texts } from './texts.js'

/** The name of a user, or the id. */
export const UserName = ({ id }: { readonly id: string }) => {
  const person = personOf(id)
  return <bdi title={[person?.email, id].filter(Boolean).join('\n')}>{person?.name ?? id}</bdi>
}

/** A link to the page of a user: the name, and the address below it. */
export const UserLink = ({ id, tabIndex }: { readonly id: string; readonly tabIndex?: number }) => (
  <a tabIndex={tabIndex} href={href('user', { userId: id })}>
    <span class="person">
      <UserName id={id} />
      {personOf(id)?.email && <bdi class="id">{personOf(id)?.email}</bdi>}
    </span>
  </a>
)

/** The name of an organization, or its id. */
export const OrganizationName = ({ id }: { readonly id: string }) => (
  <bdi title={id}>{organizationNameOf(id)}</bdi>
)

/** The name of a project as a text; with the name of its organization, if it is another. */
export const projectTitleOf = (ids: ProjectIds): string => {
  const name = projectNameOf(ids)
  return isOwn(ids)
    ? name
    : say(texts.projectOwner, { name, org: organizationNameOf(ids.projectOrgId ?? '') })
}

/** The name of a project; with the name of its organization, if it is another. */
export const ProjectName = (ids: ProjectIds) => (
  <bdi title={ids.projectId}>{projectTitleOf(ids)}</bdi>
)

/** The name of an identity provider of the organization, or its id. */
export const ProviderName = ({ id }: { readonly id: string }) => (
  <bdi title={id}>{providerNameOf(id)}</bdi>
)

/** Begins the field of a role in a history. */
export const ROLE = 'roles.'

/** Name of a field that has changed: of a role, its name. */
export const changedName = (field: string, project: ProjectIds | undefined): string =>
  field.startsWith(ROLE) && project
    ? roleNameOf(project, field.slice(ROLE.length))
    : fieldName(field)

const ProjectOfRoles = createContext<ProjectIds | undefined>(undefined)

/** The project that an object is, or lies in. */
export const projectIn = (object: Json): ProjectIds | undefined => {
  const { projectId = object['id'], projectOrgId } = object
  return projectId
    ? {
        projectId: String(projectId),
        projectOrgId: projectOrgId ? String(projectOrgId) : undefined,
      }
    : undefined
}

interface RolesOfProps {
  /** An object that is, or lies in, the project of the roles that are shown within. */
  readonly object: Json
  readonly children: ComponentChildren
}

/** Names the roles of a project that are shown within. */
export const RolesOf = ({ object, children }: RolesOfProps) => (
  <ProjectOfRoles.Provider value={projectIn(object)}>{children}</ProjectOfRoles.Provider>
)

/** The name of a role within {@link RolesOf}, or its key. */
export const RoleName = ({ roleKey }: { readonly roleKey: string }) => {
  const project = useContext(ProjectOfRoles)
  return <bdi title={roleKey}>{project ? roleNameOf(project, roleKey) : roleKey}</bdi>
}
