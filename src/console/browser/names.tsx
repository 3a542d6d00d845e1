import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { identityProviderService, projectService, type WireMethod } from '../../transport/wire.js'
import { call, itemsOf, type Json, pathOf, type StoredObject } from './api.js'
import { usePermission } from './permissions.js'

interface NamedObject {
  readonly name: string
  readonly orgId: string
}

const FRESH_MS = 10_000

/** The names of the objects of a list by their ids, read when they are first shown, and again when they are old. */
const namesOf = (operation: WireMethod, idOf: (object: Json) => unknown) => {
  const names = signal<ReadonlyMap<string, NamedObject>>(new Map())
  let askedAt = Number.NEGATIVE_INFINITY
  const ask = async (): Promise<void> => {
    if (performance.now() - askedAt < FRESH_MS) return
    askedAt = performance.now()
    const outcome = await call({ method: 'GET', path: pathOf(operation, { pageSize: 1000 }) })
    if ('failure' in outcome) return
    const found = (outcome.body[itemsOf(operation)] ?? []) as readonly StoredObject[]
    names.value = new Map(
      found.map((object) => [
        String(idOf(object)),
        { name: String(object['name']), orgId: object.details.resourceOwner },
      ]),
    )
  }
  return { names, ask }
}

const projects = namesOf(projectService.listProjects, ({ id }) => id)
const providers = namesOf(identityProviderService.listIdentityProviders, ({ idpId }) => idpId)

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
