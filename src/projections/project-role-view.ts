import type { ProjectRole } from '../ports/read-model.js'
import { firstDetails, laterDetails } from './details.js'
import type { ViewEvents } from './known-event.js'

type Row = ProjectRole | undefined

/**
 * The role after `event`; undefined when there is none. What a removed project does to its roles is
 * up to who keeps the rows: it happens in another stream.
 */
export const projectRoleView = (row: Row, event: ViewEvents['project_role']): Row => {
  switch (event.type) {
    case 'project_role.added':
      return { ...event.data, state: 'active', details: firstDetails(event) }
    case 'project_role.updated':
      return row && { ...row, ...event.data, details: laterDetails(row.details, event) }
    case 'project_role.removed':
      return undefined
  }
}
