import { aggregates } from '../../domain/aggregates.js'
import { exists } from '../../domain/decider.js'
import type { ObjectRef } from '../../domain/values.js'
import { OrgId, ProjectId, UserId } from '../../domain/values.js'
import type { EventStore, Position } from '../../ports/event-store.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import { withHeld } from '../../projections/assignments.js'
import type { View } from '../recording/view.js'
import { currentProjectGrantIn } from './decide-project-grant.js'
import { currentGrant } from './decide-user-grant.js'
import { PastView } from './past-view.js'

interface Found<Row> {
  /** As the events of its own stream leave it. */
  readonly row: Row
  readonly object: ObjectRef
  /** The organization that owns the object. */
  readonly orgId: string
  /** The last position that counts for what ends its roles; all do when absent. */
  readonly until?: Position
}

/**
 * `row` as it is shown: a grant without the roles that had ended, and none at all without its project. Other objects are
 * shown as they are.
 */
export const withLivingRoles = async <Row extends Views[ViewType]>(
  store: EventStore,
  { row, object, orgId, until }: Found<Row>,
): Promise<Views[ViewType] | undefined> => {
  const assigns = aggregates[object.type].assignments?.assigns
  if (!assigns) return row
  const view = new PastView(store, orgId, until)
  const living = await view.settle((past) => livingRoles(past, object))
  return living && withHeld(assigns, row, living)
}

/** Keys of the current roles of a grant; undefined when its project does not exist. */
const livingRoles = (view: View, object: ObjectRef): ReadonlySet<string> | undefined => {
  if (object.type === 'project_grant') {
    const projectId = ProjectId.parse(object.projectId)
    const { state } = currentProjectGrantIn(view, {
      projectId,
      grantedOrgId: OrgId.parse(object.grantedOrgId),
    })
    return keysOf(exists(state) ? state.roles : [])
  }
  if (object.type !== 'user_grant') return undefined
  const { userId, projectId, projectOrgId = view.orgId } = object
  const { state, project } = currentGrant(view, {
    userId: UserId.parse(userId),
    projectId: ProjectId.parse(projectId),
    projectOrgId: OrgId.parse(projectOrgId),
  })
  return exists(project.project) ? keysOf(exists(state) ? state.roles : []) : undefined
}

const keysOf = (roles: readonly { readonly roleKey: string }[]): ReadonlySet<string> =>
  new Set(roles.map(({ roleKey }) => roleKey))
