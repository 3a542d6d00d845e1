import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  filterablePermissions,
  filterableText,
  inProject,
  type ObjectDetails,
  optionalList,
  sortableText,
  type ViewOf,
} from '../aggregate.js'
import { ProjectId, type ProjectRoleRef, RoleKey, type StreamId } from '../values.js'
import { projectRole } from './decider.js'
import { type ProjectRoleAdded, ProjectRoleEvent } from './events.js'

// Field by field: some editors show no documentation of fields that are picked or mapped from another type.

/** Display name and group of a role. */
export interface ProjectRoleDisplay {
  /** 1 to 200 characters (code points). */
  readonly displayName: string
  /**
   * For display only, such as to give a user all roles of a group, see `rolesOfGroup`: at most 200 characters (code
   * points); empty without a group.
   */
  readonly group: string
}

/** A role as reads return it. */
export interface ProjectRole extends ProjectRoleDisplay {
  /** The `id` of its project. */
  readonly projectId: string
  /** The key that authorization checks use; unique within the project. */
  readonly roleKey: string
  /** The role's permissions, sorted by code point; may be empty. */
  readonly permissions: readonly string[]
  /** Always active: reads do not return removed roles. */
  readonly state: 'active'
  /**
   * `managedBy` of the desired state that protects it: only `apply` with it may change the object. Absent if
   * unprotected.
   */
  readonly protectedBy?: string | undefined
  /** Owner, times and position of the object. */
  readonly details: ObjectDetails
}

/** The fields of {@link ProjectRole} that its own events set. */
export type ProjectRoleView = ViewOf<ProjectRole>

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
