import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { projectService } from '../../transport/wire.js'
import { call, pathOf, type StoredObject } from './api.js'
import { usePermission } from './permissions.js'

interface NamedProject {
  readonly name: string
  readonly orgId: string
}

/** The projects of the organization, by id. */
const projects = signal<ReadonlyMap<string, NamedProject>>(new Map())

const FRESH_MS = 10_000
let askedAt = Number.NEGATIVE_INFINITY

const ask = async (): Promise<void> => {
  if (performance.now() - askedAt < FRESH_MS) return
  askedAt = performance.now()
  const path = pathOf(projectService.listProjects, { pageSize: 1000 })
  const outcome = await call<{ readonly projects?: readonly StoredObject[] }>({
    method: 'GET',
    path,
  })
  if ('failure' in outcome) return
  const found = outcome.body.projects ?? []
  projects.value = new Map(
    found.map(({ id, name, details }) => [
      String(id),
      { name: String(name), orgId: details.resourceOwner },
    ]),
  )
}

interface ProjectNameProps {
  readonly id: string
  /** The organization of the project; the one at hand when absent. */
  readonly orgId?: string | undefined
}

/** The name of a project, or its id. Of one that belongs to another organization it shows both ids. */
export const ProjectName = ({ id, orgId }: ProjectNameProps) => {
  const mayRead = usePermission('project.read')
  useEffect(() => void (mayRead && ask()), [id, mayRead])
  const project = projects.value.get(id)
  const isOwn = !orgId || !project || project.orgId === orgId
  return <bdi title={id}>{isOwn ? (project?.name ?? id) : `${id} (${orgId})`}</bdi>
}

/** The name of a project of the organization, or its id. */
export const projectNameOf = (id: string): string => projects.value.get(id)?.name ?? id

/** The organization at hand, which the owner of its projects is; empty where it has none. */
export const ownOrganization = (): string => [...projects.value.values()][0]?.orgId ?? ''
