import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  filterableText,
  type ObjectDetails,
  sortableFlag,
  sortableText,
  type ViewOf,
} from '../aggregate.js'
import { ProjectId, type ProjectRef, type StreamId } from '../values.js'
import { type PrivateLabelingSetting, project } from './decider.js'
import { type ProjectAdded, ProjectEvent } from './events.js'

// Field by field: some editors show no documentation of fields that are picked or mapped from another type.

/** Name and settings of a project, all of them. */
export interface ProjectSettings {
  /** 1 to 200 characters (code points); several projects may have the same. */
  readonly name: string
  /** Role information is included in the user info endpoint, see `roleClaims`. */
  readonly projectRoleAssertion: boolean
  /** At login, the user must have a role of this project, see `checkLogin`. */
  readonly projectRoleCheck: boolean
  /**
   * At login, the user's organization must own the project or have a grant to it, see `checkLogin`.
   */
  readonly hasProjectCheck: boolean
  /** The branding that the login shows, see `brandingOrganization`. */
  readonly privateLabelingSetting: PrivateLabelingSetting
}

/** A project as reads return it. */
export interface Project extends ProjectSettings {
  /** Unique within the organization. */
  readonly id: string
  /** Users cannot log in to an inactive project, see `checkLogin`. */
  readonly state: 'active' | 'inactive'
  /**
   * `managedBy` of the desired state that protects it: only `apply` with it may change the object. Absent if
   * unprotected.
   */
  readonly protectedBy?: string | undefined
  /** Owner, times and position of the object. */
  readonly details: ObjectDetails
}

/** The fields of {@link Project} that its own events set. */
export type ProjectView = ViewOf<Project>

/** The project after `event`; undefined if it does not exist. */
export const projectView = (
  view: ProjectView | undefined,
  event: ProjectEvent,
): ProjectView | undefined => {
  switch (event.type) {
    case 'project.added':
      return added(event)
    case 'project.updated':
      return view && { ...view, ...event.data }
    case 'project.deactivated':
      return view && { ...view, state: 'inactive' }
    case 'project.reactivated':
      return view && { ...view, state: 'active' }
    case 'project.removed':
      return undefined
  }
}

/** Names each field, so that the order does not depend on the event. */
const added = ({ data }: ProjectAdded): ProjectView => ({
  id: data.id,
  name: data.name,
  projectRoleAssertion: data.projectRoleAssertion,
  projectRoleCheck: data.projectRoleCheck,
  hasProjectCheck: data.hasProjectCheck,
  privateLabelingSetting: data.privateLabelingSetting,
  state: 'active',
})

/** Projects. */
export const projects = defineAggregate({
  type: 'project',
  label: 'project',
  ids: z.strictObject({ id: ProjectId }),
  decider: project,
  events: ProjectEvent.def.options,
  effects: {
    'project.added': 'adds',
    'project.updated': 'changes',
    'project.deactivated': 'changes',
    'project.reactivated': 'changes',
    'project.removed': 'removes',
  },
  view: projectView,
  states: ['active', 'inactive'],
  fields: {
    id: filterableText((view) => view.id),
    name: filterableText((view) => view.name),
    projectRoleAssertion: sortableFlag((view) => view.projectRoleAssertion),
    projectRoleCheck: sortableFlag((view) => view.projectRoleCheck),
    hasProjectCheck: sortableFlag((view) => view.hasProjectCheck),
    privateLabelingSetting: sortableText((view) => view.privateLabelingSetting),
  },
  target: ({ id }) => ({ type: 'project', id }),
  permissions: { read: 'project.read', write: 'project.write' },
  assignments: {
    assignmentScope: ({ id }, orgId) => ({ projectOrgId: orgId, projectId: id }),
  },
} satisfies AggregateDefinition<ProjectRef, ProjectView, ProjectEvent>)

/** One stream per project. */
export const projectStream = (orgId: string, id: string): StreamId => projects.stream(orgId, { id })
