import type { ProjectAdded } from '../domain/project/events.js'
import type { Project } from '../ports/read-model.js'
import { firstDetails, laterDetails } from './details.js'
import type { Recorded, ViewEvents } from './event-cases.js'

type Event = ViewEvents['project']
type Row = Project | undefined

/** The project after `event`; undefined when there is none. */
export const projectView = (row: Row, event: Event): Row => {
  if (event.type === 'project.added') return added(event)
  return row && changed(row, event)
}

/** Names each field: they are shown in this order, whatever the order in the event. */
const added = (event: Recorded<ProjectAdded>): Project => {
  const { data } = event
  return {
    id: data.id,
    name: data.name,
    projectRoleAssertion: data.projectRoleAssertion,
    projectRoleCheck: data.projectRoleCheck,
    hasProjectCheck: data.hasProjectCheck,
    privateLabelingSetting: data.privateLabelingSetting,
    state: 'active',
    details: firstDetails(event),
  }
}

const changed = (row: Project, event: Exclude<Event, { readonly type: 'project.added' }>): Row => {
  const details = laterDetails(row.details, event)
  switch (event.type) {
    case 'project.updated':
      return { ...row, ...event.data, details }
    case 'project.deactivated':
      return { ...row, state: 'inactive', details }
    case 'project.reactivated':
      return { ...row, state: 'active', details }
    case 'project.removed':
      return undefined
  }
}
