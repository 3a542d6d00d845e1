import type { Names, Person, ProjectIds } from './settings.js'

export type { Person, ProjectIds }

/** Where roles count: in a project, or on one resource of it. */
export interface Scope extends ProjectIds {
  readonly resource?: string | undefined
}

const people = new Map<string, Person>()
const organizations = new Map<string, string>()
const providers = new Map<string, string>()
const projects = new Map<string, string>()
const roles = new Map<string, string>()
let own = ''

const keyOf = ({ projectId, projectOrgId }: ProjectIds, roleKey?: string): string =>
  JSON.stringify([projectOrgId || own, projectId, roleKey])

/** Remembers the names of an answer: what is drawn of it has them at once. */
export const learn = ({ orgId, ...names }: Names): void => {
  own = orgId
  for (const person of names.users) learnPerson(person)
  for (const { id, name } of names.organizations) organizations.set(id, name)
  for (const { idpId, name } of names.providers) providers.set(idpId, name)
  for (const project of names.projects) {
    projects.set(keyOf(project), project.name)
    for (const { roleKey, displayName } of project.roles)
      roles.set(keyOf(project, roleKey), displayName)
  }
}

export const learnPerson = (person: Person): void => void people.set(person.id, person)

export const learnOrganization = (id: string, name: string): void =>
  void organizations.set(id, name)

/** The current organization; empty before the first answer. */
export const ownOrganization = (): string => own

/** Whether a project is of the current organization. */
export const isOwn = ({ projectOrgId }: Pick<ProjectIds, 'projectOrgId'>): boolean =>
  !projectOrgId || projectOrgId === own

/** A user, if the host has described them. */
export const personOf = (id: string): Person | undefined => people.get(id)

/** Names, or ids where there are none. */
export const nameOf = (id: string): string => people.get(id)?.name ?? id
export const organizationNameOf = (id: string): string => organizations.get(id) ?? id
export const providerNameOf = (id: string): string => providers.get(id) ?? id
export const projectNameOf = (ids: ProjectIds): string => projects.get(keyOf(ids)) ?? ids.projectId
export const roleNameOf = (ids: ProjectIds, roleKey: string): string =>
  roles.get(keyOf(ids, roleKey)) || roleKey
