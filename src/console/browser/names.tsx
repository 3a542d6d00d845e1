import { signal } from '@preact/signals'
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import {
  identityProviderService,
  projectRoleService,
  projectService,
  type WireMethod,
} from '../../transport/wire.js'
import { call, type Json, pagesOf, pathOf, rowsIn } from './api.js'
import { usePermission } from './permissions.js'

interface NamedObject {
  readonly name: string
  readonly orgId: string
}

const FRESH_MS = 10_000

interface Named {
  /** The field with the id. */
  readonly id: string
  /** The field with the name. */
  readonly name: string
  readonly parameters?: Json
}

/** The names of the objects of a list by their ids, read when they are first shown, and again when they are old. */
const namesOf = (operation: WireMethod, { id, name, parameters }: Named) => {
  const names = signal<ReadonlyMap<string, NamedObject>>(new Map())
  let askedAt = Number.NEGATIVE_INFINITY
  const ask = async (): Promise<void> => {
    if (performance.now() - askedAt < FRESH_MS) return
    askedAt = performance.now()
    const path = pathOf(operation, { ...parameters, pageSize: 1000 })
    const outcome = await call({ method: 'GET', path })
    if ('failure' in outcome) return
    names.value = new Map(
      rowsIn(outcome.body, pagesOf(operation)).map((object) => [
        String(object[id]),
        { name: String(object[name]), orgId: object.details.resourceOwner },
      ]),
    )
  }
  return { names, ask }
}

const projects = namesOf(projectService.listProjects, { id: 'id', name: 'name' })
const providers = namesOf(identityProviderService.listIdentityProviders, {
  id: 'idpId',
  name: 'name',
})

const rolesByProject = new Map<string, ReturnType<typeof namesOf>>()

const rolesOf = (projectId: string) => {
  const named = { id: 'roleKey', name: 'displayName', parameters: { projectId } }
  const roles = rolesByProject.get(projectId) ?? namesOf(projectRoleService.listProjectRoles, named)
  rolesByProject.set(projectId, roles)
  return roles
}

const ProjectOfRoles = createContext('')

interface RolesOfProps {
  /** An object that is, or lies in, the project of the roles that are shown within. */
  readonly object: Json
  readonly children: ComponentChildren
}

/** Names the roles of a project of the organization that are shown within. */
export const RolesOf = ({ object, children }: RolesOfProps) => {
  const { projectId = object['id'], projectOrgId } = object
  const isOwn = !projectOrgId || projectOrgId === ownOrganization()
  return (
    <ProjectOfRoles.Provider value={isOwn && projectId ? String(projectId) : ''}>
      {children}
    </ProjectOfRoles.Provider>
  )
}

/** The name of a role within {@link RolesOf}, or its key. */
export const RoleName = ({ roleKey }: { readonly roleKey: string }) => {
  const projectId = useContext(ProjectOfRoles)
  const mayRead = usePermission('project.role.read')
  const roles = projectId ? rolesOf(projectId) : undefined
  useEffect(() => void (mayRead && roles?.ask()), [roles, roleKey, mayRead])
  return <bdi title={roleKey}>{roles?.names.value.get(roleKey)?.name || roleKey}</bdi>
}

interface ProjectNameProps {
  readonly id: string
  /** The organization of the project. Default: the current one. */
  readonly orgId?: string | undefined
}

/** The name of a project, or its id. For a project of another organization, both ids. */
export const ProjectName = ({ id, orgId }: ProjectNameProps) => {
  const mayRead = usePermission('project.read')
  useEffect(() => void (mayRead && projects.ask()), [id, mayRead])
  const project = projects.names.value.get(id)
  const isOwn = !orgId || !project || project.orgId === orgId
  return <bdi title={id}>{isOwn ? (project?.name ?? id) : `${id} (${orgId})`}</bdi>
}

/** The name of an identity provider of the organization, or its id. */
export const ProviderName = ({ id }: { readonly id: string }) => {
  const mayRead = usePermission('identity_provider.read')
  useEffect(() => void (mayRead && providers.ask()), [id, mayRead])
  const provider = providers.names.value.get(id)
  return provider ? (
    <span>
      <bdi>{provider.name}</bdi> <bdi class="id">{id}</bdi>
    </span>
  ) : (
    <bdi>{id}</bdi>
  )
}

/** The name of a project of the organization, or its id. */
export const projectNameOf = (id: string): string => projects.names.value.get(id)?.name ?? id

/** The current organization, from the owner of its projects; empty without projects. */
export const ownOrganization = (): string => [...projects.names.value.values()][0]?.orgId ?? ''
