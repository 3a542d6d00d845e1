import * as z from 'zod/mini'
import { type Aggregate, filterableText, readerOf, sortableText } from '../aggregate.js'
import { ProjectId, type ProjectRef, type ProjectRoleRef, RoleKey } from '../values.js'
import { projectRole } from './decider.js'
import { type ProjectRoleAdded, ProjectRoleEvent, projectRoleStream } from './events.js'

type Ids = Pick<ProjectRoleRef, 'projectId' | 'roleKey'>

const ref = ({ projectId, roleKey }: Ids): ProjectRoleRef => ({
  type: 'project_role',
  projectId,
  roleKey,
})

const projectOf = ({ projectId }: Ids): ProjectRef => ({ type: 'project', id: projectId })

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

/** Roles of projects. */
export const projectRoles = {
  type: 'project_role',
  label: 'role',
  ids: z.strictObject({ projectId: ProjectId, roleKey: RoleKey }),
  ref,
  key: ({ roleKey }) => roleKey,
  refOfKey: (roleKey, projectId) => ref({ projectId, roleKey }),
  container: { type: 'project', ref: projectOf },
  removedWith: 'project',
  stream: (orgId, { projectId, roleKey }) => projectRoleStream(orgId, projectId, roleKey),
  decider: projectRole,
  events: ProjectRoleEvent.def.options,
  reads: readerOf<ProjectRoleEvent>(ProjectRoleEvent.def.options),
  removal: 'project_role.removed',
  view: projectRoleView,
  states: ['active'],
  fields: {
    projectId: sortableText((view) => view.projectId),
    roleKey: filterableText((view) => view.roleKey),
    displayName: filterableText((view) => view.displayName),
    group: filterableText((view) => view.group),
  },
  covers: ({ projectId, roleKey }, orgId) => ({ projectOrgId: orgId, projectId, roleKey }),
  assigns: undefined,
  secretsChanged: () => [],
  target: projectOf,
  permissions: { read: 'project.role.read', write: 'project.role.write' },
} satisfies Aggregate<Ids, ProjectRoleView, ProjectRoleEvent>
