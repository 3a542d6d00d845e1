import { projectGrantService, projectService } from '../../transport/wire.js'
import { call, pathOf, type StoredObject } from './api.js'
import { projectNameOf } from './names.js'
import { type Option, Picker } from './picker.js'

/** A project that roles can be given in: one of the organization, or one that was granted to it. */
export interface ProjectOption extends Option {
  readonly projectId: string
  readonly projectOrgId?: string
}

/** The objects of one page of a list; none where it cannot be read. */
export const listOf = async (path: string, items: string): Promise<readonly StoredObject[]> => {
  const outcome = await call<{ readonly [items: string]: readonly StoredObject[] }>({
    method: 'GET',
    path,
  })
  return 'body' in outcome ? (outcome.body[items] ?? []) : []
}

/** Projects by a part of their names: those of the organization, then those granted to it. */
export const findProjects = async (text: string): Promise<readonly ProjectOption[]> => {
  const named = text && { 'filter.name.contains': text, 'filter.name.ignore_case': 'true' }
  const page = { pageSize: 50 }
  const [own, received] = await Promise.all([
    listOf(pathOf(projectService.listProjects, { ...page, ...named, orderBy: 'name' }), 'projects'),
    listOf(pathOf(projectGrantService.listReceivedProjectGrants, page), 'projectGrants'),
  ])
  return [
    ...own.map(({ id, name }) => ({ id: String(id), projectId: String(id), name: String(name) })),
    ...received
      .filter(({ projectId }) => String(projectId).includes(text))
      .map(({ projectId, projectOrgId }) => ({
        id: `${projectOrgId} ${projectId}`,
        projectId: String(projectId),
        projectOrgId: String(projectOrgId),
        name: String(projectId),
        detail: String(projectOrgId),
      })),
  ]
}

interface ProjectPickerProps {
  readonly label: string
  /** Id of the project; empty for none. */
  readonly chosen: string
  readonly change: (project: ProjectOption | undefined) => void
  readonly error?: string | undefined
}

/** Picks one project by its name. */
export const ProjectPicker = ({ chosen, change, ...field }: ProjectPickerProps) => (
  <Picker<ProjectOption>
    {...field}
    chosen={chosen ? [{ id: chosen, projectId: chosen, name: projectNameOf(chosen) }] : []}
    change={([option]) => change(option)}
    find={findProjects}
  />
)
