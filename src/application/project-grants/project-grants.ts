import {
  DeactivateProjectGrant,
  ReactivateProjectGrant,
  RemoveProjectGrant,
} from '../../domain/project-grant/commands.js'
import { projectGrants } from '../../domain/project-grant/kind.js'
import type { ProjectGrantRef } from '../../domain/values.js'
import type { ProjectGrant } from '../../ports/read-model.js'
import { decideProjectGrant, type GivenGrant } from '../granting/decide-project-grant.js'
import { type Read, type Write, write } from '../method/method.js'
import { get } from '../reading/get.js'
import { list, listReceived, type Page } from '../reading/list.js'
import type { Runtime } from '../runtime.js'
import { specOf, writesOf } from '../writing/write-command.js'
import { writeObject } from '../writing/write-object.js'
import {
  GivenProjectGrant,
  ListProjectGrantsInput,
  ListReceivedGrantsInput,
  type ProjectGrantIds,
  type ProjectGrantInput,
} from './project-grant-input.js'

/**
 * Grants of projects to other organizations, which may then give some of the roles to their users. All but
 * `listReceived` are for the organization that owns the project. When the project does not exist, neither do its
 * grants. Spec: Project, `hasProjectCheck`.
 */
export interface ProjectGrants {
  /** Grants a project. Refused: a second grant to an organization, a role that the project lacks. */
  readonly add: Write<GivenProjectGrant, ProjectGrantIds>
  /**
   * Replaces the roles. A role that is left out ends for all users whom the organization has given it; adding it
   * again brings it back to nobody.
   */
  readonly update: Write<GivenProjectGrant, ProjectGrantIds>
  /** Makes the roles not count that the organization has given. An inactive grant stays inactive. */
  readonly deactivate: Write<ProjectGrantInput, ProjectGrantIds>
  /** Makes the roles count again. An active grant stays active. */
  readonly reactivate: Write<ProjectGrantInput, ProjectGrantIds>
  /** Removes the grant; the roles that the organization has given end, and a new grant brings none back. */
  readonly remove: Write<ProjectGrantInput, ProjectGrantIds>
  /** One grant. */
  readonly get: Read<ProjectGrantInput, ProjectGrant>
  /** The grants of one project, page by page. */
  readonly list: Read<ListProjectGrantsInput, Page<ProjectGrant>>
  /** The grants that the organization at hand has received from others, page by page. */
  readonly listReceived: Read<ListReceivedGrantsInput, Page<ProjectGrant>>
}

const idsOf = ({ projectId, grantedOrgId }: ProjectGrantRef): ProjectGrantIds => ({
  projectId,
  grantedOrgId,
})

/** @see ProjectGrants */
export const projectGrantsOf = (runtime: Runtime): ProjectGrants => {
  const { change } = writesOf(runtime, projectGrants, idsOf)

  const give = (method: string, type: GivenGrant['type']) =>
    write(
      runtime,
      specOf(projectGrants, {
        method,
        schema: GivenProjectGrant,
        isNew: type === 'AddProjectGrant',
      }),
      (call, input) =>
        writeObject(runtime, call, {
          input,
          kind: projectGrants,
          decide: (view) => decideProjectGrant(view, { type, ...input }).map((each) => [each]),
          ids: () => idsOf(projectGrants.ref(input)),
        }),
    )

  return {
    add: give('projectGrants.add', 'AddProjectGrant'),
    update: give('projectGrants.update', 'UpdateProjectGrant'),
    deactivate: change('projectGrants.deactivate', DeactivateProjectGrant),
    reactivate: change('projectGrants.reactivate', ReactivateProjectGrant),
    remove: change('projectGrants.remove', RemoveProjectGrant),
    get: get(runtime, 'projectGrants.get', projectGrants),
    list: list(runtime, {
      method: 'projectGrants.list',
      kind: projectGrants,
      schema: ListProjectGrantsInput,
    }),
    listReceived: listReceived(runtime, {
      method: 'projectGrants.listReceived',
      kind: projectGrants,
      schema: ListReceivedGrantsInput,
    }),
  }
}
