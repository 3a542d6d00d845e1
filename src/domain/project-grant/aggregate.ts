import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  type AssignedRole,
  assignedRoles,
  defineAggregate,
  filterableRoleKeys,
  filterableText,
  inProject,
  type ObjectDetails,
  sortableText,
  type ViewOf,
} from '../aggregate.js'
import { OrgId, type ProjectGrantRef, ProjectId, type StreamId } from '../values.js'
import { projectGrant } from './decider.js'
import { type ProjectGrantAdded, ProjectGrantEvent } from './events.js'

/** A project's grant to another organization as reads return it. */
export interface ProjectGrant {
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
  /** The organization that may give roles of the project to its users. */
  readonly grantedOrgId: string
  /** The roles that it may give, without those that were removed since, even if they were added again. */
  readonly roleKeys: readonly string[]
  /** While a grant is inactive, roles that the organization has given do not count. */
  readonly state: 'active' | 'inactive'
  /**
   * `managedBy` of the desired state that protects it: only `apply` with it may change the object. Absent if
   * unprotected.
   */
  readonly protectedBy?: string | undefined
  /** Owner, times and position of the object. */
  readonly details: ObjectDetails
}

/** The fields of {@link ProjectGrant} that its own events set. */
export type ProjectGrantView = ViewOf<ProjectGrant>

/**
 * The grant after `event`, with the roles of the event; undefined if it does not exist. The ends of its project and of
 * its roles are events of other streams.
 */
export const projectGrantView = (
  view: ProjectGrantView | undefined,
  event: ProjectGrantEvent,
  orgId: string,
): ProjectGrantView | undefined => {
  switch (event.type) {
    case 'project_grant.added':
      return added(event, orgId)
    case 'project_grant.updated':
      return view && { ...view, roleKeys: roleKeysIn(event.data) }
    case 'project_grant.deactivated':
      return view && { ...view, state: 'inactive' }
    case 'project_grant.reactivated':
      return view && { ...view, state: 'active' }
    case 'project_grant.removed':
      return undefined
  }
}

/** Names each field, so that the order does not depend on the event. */
const added = (event: ProjectGrantAdded, orgId: string): ProjectGrantView => ({
  projectId: event.data.projectId,
  projectOrgId: orgId,
  grantedOrgId: event.data.grantedOrgId,
  roleKeys: roleKeysIn(event.data),
  state: 'active',
})

const roleKeysIn = ({ roles }: Pick<ProjectGrantAdded['data'], 'roles'>): readonly string[] =>
  roles.map(({ roleKey }) => roleKey)

const rolesIn = (event: ProjectGrantEvent): readonly AssignedRole[] | undefined => {
  switch (event.type) {
    case 'project_grant.added':
    case 'project_grant.updated':
      return asRoles(roleKeysIn(event.data))
    case 'project_grant.deactivated':
    case 'project_grant.reactivated':
    case 'project_grant.removed':
      return undefined
  }
}

const asRoles = (roleKeys: readonly string[]): readonly AssignedRole[] =>
  roleKeys.map((roleKey) => ({ roleKey }))

/** Grants of projects to other organizations. */
export const projectGrants = defineAggregate({
  type: 'project_grant',
  label: 'project grant',
  ids: z.strictObject({ projectId: ProjectId, grantedOrgId: OrgId }),
  container: inProject,
  decider: projectGrant,
  events: ProjectGrantEvent.def.options,
  effects: {
    'project_grant.added': 'adds',
    'project_grant.updated': 'changes',
    'project_grant.deactivated': 'changes',
    'project_grant.reactivated': 'changes',
    'project_grant.removed': 'removes',
  },
  view: projectGrantView,
  states: ['active', 'inactive'],
  fields: {
    projectId: sortableText((view) => view.projectId),
    projectOrgId: sortableText((view) => view.projectOrgId),
    grantedOrgId: filterableText((view) => view.grantedOrgId),
    roleKeys: assignedRoles,
    roleKey: filterableRoleKeys,
  },
  permissions: { read: 'project.grant.read', write: 'project.grant.write' },
  assignments: {
    assignmentScope: ({ projectId, grantedOrgId }, orgId) => ({
      projectOrgId: orgId,
      projectId,
      orgId: grantedOrgId,
    }),
    removedWith: 'project',
    assigns: {
      rolesIn,
      rolesOf: ({ roleKeys }) => asRoles(roleKeys),
      withRoles: (view, roles) => ({ ...view, roleKeys: roles.map(({ roleKey }) => roleKey) }),
    },
  },
} satisfies AggregateDefinition<ProjectGrantRef, ProjectGrantView, ProjectGrantEvent>)

/** One stream for each project and organization, so that two appends cannot both add a grant. */
export const projectGrantStream = (
  orgId: string,
  projectId: string,
  grantedOrgId: string,
): StreamId => projectGrants.stream(orgId, { projectId, grantedOrgId })
