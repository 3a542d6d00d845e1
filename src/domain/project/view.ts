import type { ProjectAdded, ProjectEvent } from './events.js'

/** What is shown of a project. */
export interface ProjectView extends Omit<ProjectAdded['data'], 'id'> {
  readonly id: string
  readonly state: 'active' | 'inactive'
}

/** The project after `event`; undefined when there is none. */
export const projectView = (
  view: ProjectView | undefined,
  event: ProjectEvent,
): ProjectView | undefined => {
  switch (event.type) {
    case 'project.added':
      return added(event)
    case 'project.updated':
      return view && { ...view, ...event.data }
    case 'project.deactivated':
      return view && { ...view, state: 'inactive' }
    case 'project.reactivated':
      return view && { ...view, state: 'active' }
    case 'project.removed':
      return undefined
  }
}

/** Names each field: they are shown in this order, whatever the order in the event. */
const added = ({ data }: ProjectAdded): ProjectView => ({
  id: data.id,
  name: data.name,
  projectRoleAssertion: data.projectRoleAssertion,
  projectRoleCheck: data.projectRoleCheck,
  hasProjectCheck: data.hasProjectCheck,
  privateLabelingSetting: data.privateLabelingSetting,
  state: 'active',
})
