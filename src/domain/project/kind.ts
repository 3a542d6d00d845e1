import * as z from 'zod/mini'
import { filterableText, type Kind, readerOf, sortableFlag, sortableText } from '../kind.js'
import { ProjectId, type ProjectRef } from '../values.js'
import { project } from './decider.js'
import { ProjectEvent, projectStream } from './events.js'
import { type ProjectView, projectView } from './view.js'

type Ids = Pick<ProjectRef, 'id'>

const ref = ({ id }: Ids): ProjectRef => ({ type: 'project', id })

/** Projects. */
export const projects = {
  type: 'project',
  label: 'project',
  ids: z.strictObject({ id: ProjectId }),
  ref,
  key: ({ id }) => id,
  container: undefined,
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
  secretsChanged: () => [],
  target: ref,
  permissions: { read: 'project.read', write: 'project.write' },
} satisfies Kind<Ids, ProjectView, ProjectEvent>
