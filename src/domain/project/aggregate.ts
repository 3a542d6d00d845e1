import * as z from 'zod/mini'
import {
  type Aggregate,
  filterableText,
  readerOf,
  sortableFlag,
  sortableText,
} from '../aggregate.js'
import { ProjectId, type ProjectRef } from '../values.js'
import { project } from './decider.js'
import { type ProjectAdded, ProjectEvent, projectStream } from './events.js'

type Ids = Pick<ProjectRef, 'id'>

const ref = ({ id }: Ids): ProjectRef => ({ type: 'project', id })

/** What is shown of a project. */
export interface ProjectView extends Omit<ProjectAdded['data'], 'id'> {
  readonly id: string
  readonly state: 'active' | 'inactive'
}

/** The project after `event`; undefined when there is none. */
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

/** Names each field: they are shown in this order, whatever the order in the event. */
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
export const projects = {
  type: 'project',
  label: 'project',
  ids: z.strictObject({ id: ProjectId }),
  ref,
  key: ({ id }) => id,
  refOfKey: (id) => ref({ id }),
  container: undefined,
  removedWith: undefined,
  stream: (orgId, { id }) => projectStream(orgId, id),
  decider: project,
  events: ProjectEvent.def.options,
  reads: readerOf<ProjectEvent>(ProjectEvent.def.options),
  removal: 'project.removed',
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
  covers: ({ id }, orgId) => ({ projectOrgId: orgId, projectId: id }),
  assigns: undefined,
  secretsChanged: () => [],
  target: ref,
  permissions: { read: 'project.read', write: 'project.write' },
} satisfies Aggregate<Ids, ProjectView, ProjectEvent>
