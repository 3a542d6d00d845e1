import { projectGrantService, projectService, type WireMethod } from '../../transport/wire.js'
import { call, type Json, pagesOf, pathOf, rowsIn, type StoredObject } from './api.js'
import { projectNameOf } from './names.js'
import { type Option, Picker } from './picker.js'

/** A project that roles can be given in: one of the organization, or one that was granted to it. */
export interface ProjectOption extends Option {
  readonly projectId: string
  readonly projectOrgId?: string
}

/** The objects of one page of a list; none where it cannot be read. */
export const listOf = async (
  operation: WireMethod,
  parameters: Json,
): Promise<readonly StoredObject[]> => {
  const outcome = await call({ method: 'GET', path: pathOf(operation, parameters) })
  return 'body' in outcome ? rowsIn(outcome.body, pagesOf(operation)) : []
}

/** Parameters that find the first 50 objects by a part of their names. */
export const namedLike = (text: string): Json => ({
  'filter.name.contains': text,
  'filter.name.ignore_case': text && 'true',
  orderBy: 'name',
  pageSize: 50,
})

/** Projects by a part of their names: those of the organization, then those granted to it. */
export const findProjects = async (text: string): Promise<readonly ProjectOption[]> => {
  const [own, received] = await Promise.all([
    listOf(projectService.listProjects, namedLike(text)),
    listOf(projectGrantService.listReceivedProjectGrants, { pageSize: 50 }),
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
