import type { ProjectRoleAdded } from '../domain/project-role/events.js'
import type { ProjectRole } from '../ports/read-model.js'
import { firstDetails, laterDetails } from './details.js'
import type { Recorded, ViewEvents } from './event-cases.js'

type Row = ProjectRole | undefined

/**
 * The role after `event`; undefined when there is none. What a removed project does to its roles is
 * up to who keeps the rows: it happens in another stream.
 */
export const projectRoleView = (row: Row, event: ViewEvents['project_role']): Row => {
  switch (event.type) {
    case 'project_role.added':
      return added(event)
    case 'project_role.updated':
      return row && { ...row, ...event.data, details: laterDetails(row.details, event) }
    case 'project_role.removed':
      return undefined
  }
}

/** Names each field: they are shown in this order, whatever the order in the event. */
const added = (event: Recorded<ProjectRoleAdded>): ProjectRole => {
  const { data } = event
  return {
    projectId: data.projectId,
    roleKey: data.roleKey,
    displayName: data.displayName,
    group: data.group,
    state: 'active',
    details: firstDetails(event),
  }
}
