import * as z from 'zod/mini'
import { filterableText, type Kind, readerOf, sortableText } from '../kind.js'
import { ProjectId, type ProjectRef, type ProjectRoleRef, RoleKey } from '../values.js'
import { projectRole } from './decider.js'
import { ProjectRoleEvent, projectRoleStream } from './events.js'
import { type ProjectRoleView, projectRoleView } from './view.js'

type Ids = Pick<ProjectRoleRef, 'projectId' | 'roleKey'>

const ref = ({ projectId, roleKey }: Ids): ProjectRoleRef => ({
  type: 'project_role',
  projectId,
  roleKey,
})

const projectOf = ({ projectId }: Ids): ProjectRef => ({ type: 'project', id: projectId })

/** Roles of projects. */
export const projectRoles = {
  type: 'project_role',
  label: 'role',
  ids: z.strictObject({ projectId: ProjectId, roleKey: RoleKey }),
  ref,
  key: ({ roleKey }) => roleKey,
  container: { type: 'project', ref: projectOf },
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
  secretsChanged: () => [],
  target: projectOf,
  permissions: { read: 'project.role.read', write: 'project.role.write' },
} satisfies Kind<Ids, ProjectRoleView, ProjectRoleEvent>
