import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  filterableText,
  sortableFlag,
  sortableText,
} from '../aggregate.js'
import { ProjectId, type ProjectRef, type StreamId } from '../values.js'
import { project } from './decider.js'
import { type ProjectAdded, ProjectEvent } from './events.js'

/** The fields of a project that reads return. */
export interface ProjectView extends Omit<ProjectAdded['data'], 'id'> {
  readonly id: string
  readonly state: 'active' | 'inactive'
}

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
