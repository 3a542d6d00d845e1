import type { ProjectRoleAdded, ProjectRoleEvent } from './events.js'

/** What is shown of a role. */
export interface ProjectRoleView extends Omit<ProjectRoleAdded['data'], 'projectId' | 'roleKey'> {
  readonly projectId: string
  readonly roleKey: string
  readonly state: 'active'
}

/**
 * The role after `event`; undefined when there is none. The removal of its project is an event of another
 * stream: it removes the rows of the roles, see `changeRow`.
 */
export const projectRoleView = (
  view: ProjectRoleView | undefined,
  event: ProjectRoleEvent,
): ProjectRoleView | undefined => {
  switch (event.type) {
    case 'project_role.added':
      return added(event)
    case 'project_role.updated':
      return view && { ...view, ...event.data }
    case 'project_role.removed':
      return undefined
  }
}

/** Names each field: they are shown in this order, whatever the order in the event. */
const added = ({ data }: ProjectRoleAdded): ProjectRoleView => ({
  projectId: data.projectId,
  roleKey: data.roleKey,
  displayName: data.displayName,
  group: data.group,
  state: 'active',
})
