import * as z from 'zod/mini'
import {
  type Aggregate,
  type AssignedRole,
  filterableRoleKeys,
  filterableText,
  plainList,
  readerOf,
  sortableText,
} from '../aggregate.js'
import {
  OrgId,
  type OwnedTarget,
  type ProjectGrantRef,
  ProjectId,
  type ProjectRef,
} from '../values.js'
import { projectGrant } from './decider.js'
import { type ProjectGrantAdded, ProjectGrantEvent, projectGrantStream } from './events.js'

type Ids = Pick<ProjectGrantRef, 'projectId' | 'grantedOrgId'>

const ref = ({ projectId, grantedOrgId }: Ids): ProjectGrantRef => ({
  type: 'project_grant',
  projectId,
  grantedOrgId,
})

const projectOf = ({ projectId }: Ids): OwnedTarget & ProjectRef => ({
  type: 'project',
  id: projectId,
})

/** What is shown of a grant of a project. */
export interface ProjectGrantView {
  readonly projectId: string
  readonly projectOrgId: string
  readonly grantedOrgId: string
  readonly roleKeys: readonly string[]
  readonly state: 'active' | 'inactive'
}

/**
 * The grant after `event`, with the roles of the event; undefined when there is none. The ends of its project and
 * of its roles are events of other streams.
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

/** Names each field: they are shown in this order, whatever the order in the event. */
const added = (event: ProjectGrantAdded, orgId: string): ProjectGrantView => ({
  projectId: event.data.projectId,
  projectOrgId: orgId,
  grantedOrgId: event.data.grantedOrgId,
  roleKeys: roleKeysIn(event.data),
  state: 'active',
})

const roleKeysIn = ({ roles }: Pick<ProjectGrantAdded['data'], 'roles'>): readonly string[] =>
  roles.map(({ roleKey }) => roleKey)

const asRoles = (roleKeys: readonly string[]): readonly AssignedRole[] =>
  roleKeys.map((roleKey) => ({ roleKey }))

/** Grants of projects to other organizations. */
export const projectGrants = {
  type: 'project_grant',
  label: 'project grant',
  ids: z.strictObject({ projectId: ProjectId, grantedOrgId: OrgId }),
  ref,
  key: ({ grantedOrgId }) => grantedOrgId,
  refOfKey: (grantedOrgId, projectId) => ref({ projectId, grantedOrgId }),
  container: { type: 'project', ref: projectOf },
  removedWith: 'project',
  stream: (orgId, { projectId, grantedOrgId }) =>
    projectGrantStream(orgId, projectId, grantedOrgId),
  decider: projectGrant,
  events: ProjectGrantEvent.def.options,
  reads: readerOf<ProjectGrantEvent>(ProjectGrantEvent.def.options),
  removal: 'project_grant.removed',
  view: projectGrantView,
  covers: ({ projectId, grantedOrgId }, orgId) => ({
    projectOrgId: orgId,
    projectId,
    orgId: grantedOrgId,
  }),
  assigns: {
    rolesIn: ({ data }) => ('roles' in data ? asRoles(roleKeysIn(data)) : undefined),
    rolesOf: ({ roleKeys }) => asRoles(roleKeys),
    withRoles: (view, roles) => ({ ...view, roleKeys: roles.map(({ roleKey }) => roleKey) }),
  },
  states: ['active', 'inactive'],
  fields: {
    projectId: sortableText((view) => view.projectId),
    projectOrgId: sortableText((view) => view.projectOrgId),
    grantedOrgId: filterableText((view) => view.grantedOrgId),
    roleKeys: plainList,
    roleKey: filterableRoleKeys,
  },
  secretsChanged: () => [],
  target: projectOf,
  permissions: { read: 'project.grant.read', write: 'project.grant.write' },
} satisfies Aggregate<Ids, ProjectGrantView, ProjectGrantEvent>
