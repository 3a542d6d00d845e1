import * as z from 'zod/mini'
import { projectGrants } from '../../domain/project-grant/kind.js'
import { OrgId, ProjectId } from '../../domain/values.js'
import type { ProjectGrant } from '../../ports/read-model.js'
import { roleKeys } from '../method/bounds.js'
import type { GivenList, TextFilter } from '../reading/given-list.js'
import { filterBy, pageOf } from '../reading/list-input.js'

/** Names a grant of a project. */
export interface ProjectGrantInput {
  /** The `id` of the project. Spec: Project. */
  readonly projectId: string
  /** The organization that has the grant: 1 to 64 characters, as an `orgId`. Spec: Project, `hasProjectCheck`. */
  readonly grantedOrgId: string
}

/** A grant of a project, and all its roles. */
export interface GivenProjectGrant extends ProjectGrantInput {
  /** Keys of roles that the project has: 1 to 400, none twice. Spec: Project role. */
  readonly roleKeys: readonly string[]
}

/** The ids of a grant of a project, as every outcome calls them. */
export interface ProjectGrantIds {
  /** The `id` of the project. */
  readonly projectId: string
  /** As given. */
  readonly grantedOrgId: string
}

/** Schema of a {@link GivenProjectGrant}. */
export const GivenProjectGrant = z.strictObject({
  projectId: ProjectId,
  grantedOrgId: OrgId,
  roleKeys,
})

/** Which grants of a project to list, in which order. */
export const ListProjectGrantsInput = z.strictObject({
  projectId: ProjectId,
  filter: z._default(filterBy(projectGrants), {}),
  ...pageOf(projectGrants),
})
export interface ListProjectGrantsInput extends ListReceivedGrantsInput {
  /** The `id` of the project. Spec: Project. */
  readonly projectId: string
}

/** Which of the grants that the organization has received to list, in which order. */
export const ListReceivedGrantsInput = z.strictObject({
  filter: z._default(filterBy(projectGrants), {}),
  ...pageOf(projectGrants),
})
export interface ListReceivedGrantsInput extends GivenList<ProjectGrant> {
  /** Conditions, all of which must hold; every grant when absent. */
  readonly filter?:
    | {
        /** On the organization that has the grant. */
        readonly grantedOrgId?: TextFilter | undefined
        /** On the key of one of the roles. */
        readonly roleKey?: TextFilter | undefined
        /** In this state; in either when absent. */
        readonly state?: 'active' | 'inactive' | undefined
      }
    | undefined
}
