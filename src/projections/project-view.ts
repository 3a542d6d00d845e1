import type { Project } from '../ports/read-model.js'
import { firstDetails, laterDetails } from './details.js'
import type { ViewEvents } from './known-event.js'

type Event = ViewEvents['project']
type Row = Project | undefined

/** The project after `event`; undefined when there is none. */
export const projectView = (row: Row, event: Event): Row => {
  if (event.type === 'project.added') {
    return { ...event.data, state: 'active', details: firstDetails(event) }
  }
  return row && changed(row, event)
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
