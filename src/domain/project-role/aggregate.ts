import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  filterablePermissions,
  filterableText,
  inProject,
  optionalList,
  sortableText,
} from '../aggregate.js'
import { ProjectId, type ProjectRoleRef, RoleKey, type StreamId } from '../values.js'
import { projectRole } from './decider.js'
import { type ProjectRoleAdded, ProjectRoleEvent } from './events.js'

/** The fields of a role that reads return. */
export interface ProjectRoleView extends Omit<ProjectRoleAdded['data'], 'projectId' | 'roleKey'> {
  readonly projectId: string
  readonly roleKey: string
  readonly state: 'active'
}

/**
 * The role after `event`; undefined if it does not exist. The removal of its project is an event of another stream: it
 * removes the rows of the roles, see `changeRow`.
 */
export const projectRoleView = (
  view: ProjectRoleView | undefined,
  event: ProjectRoleEvent,
): ProjectRoleView | undefined => {
  switch (event.type) {
    case 'project_role.added':
      return added(event)
    case 'project_role.updated':
      return view && { ...view, ...event.data, permissions: frozen(event.data) }
    case 'project_role.removed':
      return undefined
  }
}

/** Names each field, so that the order does not depend on the event. */
const added = ({ data }: ProjectRoleAdded): ProjectRoleView => ({
  projectId: data.projectId,
  roleKey: data.roleKey,
  displayName: data.displayName,
  group: data.group,
  permissions: frozen(data),
  state: 'active',
})

/** A copy that no reader can change; the list of the event may be shared. */
const frozen = ({ permissions }: ProjectRoleAdded['data']): readonly string[] =>
  Object.freeze([...permissions])

/** Roles of projects. */
export const projectRoles = defineAggregate({
  type: 'project_role',
  label: 'role',
  ids: z.strictObject({ projectId: ProjectId, roleKey: RoleKey }),
  container: inProject,
  decider: projectRole,
  events: ProjectRoleEvent.def.options,
  effects: {
    'project_role.added': 'adds',
    'project_role.updated': 'changes',
    'project_role.removed': 'removes',
  },
  view: projectRoleView,
  states: ['active'],
  fields: {
    projectId: sortableText((view) => view.projectId),
    roleKey: filterableText((view) => view.roleKey),
    displayName: filterableText((view) => view.displayName),
    group: filterableText((view) => view.group),
    permissions: optionalList,
    permission: filterablePermissions,
  },
  writeTarget: ({ projectId, roleKey }) => ({ type: 'project_role', projectId, roleKey }),
  permissions: { read: 'project.role.read', write: 'project.role.write' },
  assignments: {
    assignmentScope: ({ projectId, roleKey }, orgId) => ({
      projectOrgId: orgId,
      projectId,
      roleKey,
    }),
    removedWith: 'project',
    allows: ({ permissions }) => permissions,
  },
} satisfies AggregateDefinition<ProjectRoleRef, ProjectRoleView, ProjectRoleEvent>)

/** One stream per key, so that two appends cannot both add the same role. */
export const projectRoleStream = (orgId: string, projectId: string, roleKey: string): StreamId =>
  projectRoles.stream(orgId, { projectId, roleKey })
