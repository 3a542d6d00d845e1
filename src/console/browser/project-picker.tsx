import { projectGrantService, projectService, type WireMethod } from '../../transport/wire.js'
import { call, type Json, pagesOf, pathOf, rowsIn, type StoredObject } from './api.js'
import { readAll } from './csv.js'
import { isOwn, type ProjectIds } from './known.js'
import { projectTitleOf } from './names.js'
import { usePermission } from './permissions.js'
import { type Option, Picker } from './picker.js'
import { useRows } from './query.js'

/** A project that roles can be given in: one of the organization, or one that was granted to it. */
export interface ProjectOption extends Option, ProjectIds {}

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

/** A project as an option, by the names that are known. */
export const projectOption = (ids: ProjectIds): ProjectOption => ({
  id: isOwn(ids) ? ids.projectId : `${ids.projectOrgId} ${ids.projectId}`,
  projectId: ids.projectId,
  ...(!isOwn(ids) && { projectOrgId: ids.projectOrgId }),
  name: projectTitleOf(ids),
})

const ownOption = ({ id, name }: StoredObject): ProjectOption => ({
  ...{ id: String(id), projectId: String(id), name: String(name) },
})

const receivedOption = ({ projectId, projectOrgId }: StoredObject): ProjectOption =>
  projectOption({ projectId: String(projectId), projectOrgId: String(projectOrgId) })

const RECEIVED = { pageSize: 500 }

/** Projects by a part of their names: those of the organization, then those granted to it. */
export const findProjects = async (text: string): Promise<readonly ProjectOption[]> => {
  const wanted = text.toLowerCase()
  // Received ones are named by the server with its answer, and found here.
  const [own, received] = await Promise.all([
    listOf(projectService.listProjects, namedLike(text)),
    readAll<StoredObject>(projectGrantService.listReceivedProjectGrants, {}),
  ])
  return [
    ...own.map(ownOption),
    ...('rows' in received ? received.rows : [])
      .map(receivedOption)
      .filter(({ name, projectId }) =>
        [name, projectId].some((each) => each.toLowerCase().includes(wanted)),
      ),
  ]
}

/** All projects that roles can be given in, and why they could not be read. */
export const useProjects = () => {
  const maySee = usePermission('project.read')
  const maySeeReceived = usePermission('project.grant.read')
  const page = { pageSize: 1000, orderBy: 'name' }
  const own = useRows(projectService.listProjects, maySee ? page : undefined)
  const received = useRows(
    projectGrantService.listReceivedProjectGrants,
    maySeeReceived ? RECEIVED : undefined,
  )
  const isRead = (!maySee || own.rows) && (!maySeeReceived || received.rows)
  return {
    projects: isRead
      ? [...(own.rows ?? []).map(ownOption), ...(received.rows ?? []).map(receivedOption)]
      : undefined,
    failure: own.failure ?? received.failure,
    isDenied: maySee === false && maySeeReceived === false,
    readMore: own.hasMore ? own.more : received.hasMore ? received.more : undefined,
  }
}

interface ProjectPickerProps {
  readonly label: string
  /** Id of the project; empty for none. */
  readonly chosen: string
  readonly owner: string | undefined
  readonly change: (project: ProjectOption | undefined) => void
  readonly error?: string | undefined
}

/** Picks one project by its name. */
export const ProjectPicker = ({ chosen, owner, change, ...field }: ProjectPickerProps) => (
  <Picker<ProjectOption>
    {...field}
    chosen={chosen ? [projectOption({ projectId: chosen, projectOrgId: owner })] : []}
    change={([option]) => change(option)}
    find={findProjects}
  />
)
