import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { type ProjectGrant, projectGrants } from '../../domain/project-grant/aggregate.js'
import { OrgId, ProjectId } from '../../domain/values.js'
import type { ReadError } from '../errors/errors.js'
import { decideProjectGrant, type ProjectGrantChange } from '../grant-rules/decide-project-grant.js'
import type { AdmittedCall } from '../method/context.js'
import { roleKeys } from '../method/input.js'
import { type Read, read, type Write } from '../method/method.js'
import {
  type GrantFilter,
  get,
  type ListOptions,
  list,
  listFields,
  listReceived,
  type Page,
  type TextFilter,
} from '../reading/list.js'
import { requireCheckpoint } from '../reading/query.js'
import type { Runtime } from '../runtime.js'
import { grantWritesOf } from '../writing/write-grant.js'

/**
 * Grants of projects to other organizations, which may then give the granted roles to their users. The organization
 * that owns the project calls all methods but `listReceived` and `getReceived`. Removing a project removes its grants.
 */
export interface ProjectGrants {
  /**
   * Grants a project to an organization. `AlreadyExists` when it has a grant already, `NotFound` when the project lacks
   * a role.
   */
  readonly add: Write<ProjectGrantRolesInput, ProjectGrantIds>
  /**
   * Replaces the roles. A role that you leave out is revoked from all users of the organization; adding it again
   * restores nobody's access.
   */
  readonly update: Write<ProjectGrantRolesInput, ProjectGrantIds>
  /** Suspends the grant: roles that the organization has given stop counting. Succeeds if it is inactive already. */
  readonly deactivate: Write<ProjectGrantInput, ProjectGrantIds>
  /** Resumes the grant: the roles count again. Succeeds if it is active already. */
  readonly reactivate: Write<ProjectGrantInput, ProjectGrantIds>
  /** Removes the grant and revokes the roles that the organization has given. A new grant restores none of them. */
  readonly remove: Write<ProjectGrantInput, ProjectGrantIds>
  /** Returns one grant. */
  readonly get: Read<ProjectGrantInput, ProjectGrant>
  /** Lists the grants of one project, page by page. */
  readonly list: Read<ListProjectGrantsInput, Page<ProjectGrant>>
  /** Lists the grants that the organization of the context has received from others, page by page. */
  readonly listReceived: Read<ListReceivedGrantsInput, Page<ProjectGrant>>
  /** Returns a project that the organization of the context has received, with the roles that it may give. */
  readonly getReceived: Read<ReceivedProjectInput, ReceivedProject>
}

type ProjectGrantIdsParsed = Pick<ProjectGrantChange, 'projectId' | 'grantedOrgId'>
type ChangeOfRoles = Extract<ProjectGrantChange, { readonly roleKeys: unknown }>

/** The methods of {@link ProjectGrants}, on the ports of a host. */
export default (runtime: Runtime): ProjectGrants => {
  const change = grantWritesOf(runtime, {
    aggregate: projectGrants,
    decide: decideProjectGrant,
    ids: ({ projectId, grantedOrgId }: ProjectGrantIdsParsed): ProjectGrantIds => ({
      projectId,
      grantedOrgId,
    }),
  })

  /** The method whose input has the roles to give. Only an `add` names every role that changes. */
  const give = (method: string, type: ChangeOfRoles['type'], isNew = false) =>
    change(method, ProjectGrantRolesInput, (input) => ({ ...input, type }), {
      isNew,
      namesRoles: isNew,
    })

  /** The method whose input names the grant alone. */
  const set = (method: string, type: Exclude<ProjectGrantChange, ChangeOfRoles>['type']) =>
    change(method, projectGrants.ids, (input) => ({ ...input, type }))

  return {
    add: give('projectGrants.add', 'AddProjectGrant', true),
    update: give('projectGrants.update', 'UpdateProjectGrant'),
    deactivate: set('projectGrants.deactivate', 'DeactivateProjectGrant'),
    reactivate: set('projectGrants.reactivate', 'ReactivateProjectGrant'),
    remove: set('projectGrants.remove', 'RemoveProjectGrant'),
    get: get(runtime, 'projectGrants.get', projectGrants),
    list: list(runtime, 'projectGrants.list', projectGrants, ListProjectGrantsInput),
    listReceived: listReceived(runtime, 'projectGrants.listReceived', ListReceivedGrantsInput),
    getReceived: read(
      runtime,
      {
        method: 'projectGrants.getReceived',
        permissions: [projectGrants.permissions.read],
        schema: ReceivedProjectInput,
      },
      (call, input) => received(runtime, call, input),
    ),
  }
}

/** The project as the organization of the call may see it: its name, and the roles that were granted. */
const received = async (
  runtime: Runtime,
  call: AdmittedCall,
  { projectId, projectOrgId }: z.output<typeof ReceivedProjectInput>,
): Promise<Result<ReceivedProject, ReadError>> => {
  const { query } = runtime
  const object = { type: 'project_grant', projectId, grantedOrgId: call.orgId } as const
  const [grant, project] = await Promise.all([
    query<'get', 'project_grant'>(call, { method: 'get', args: [projectOrgId, object] }),
    query<'get', 'project'>(call, {
      method: 'get',
      args: [projectOrgId, { type: 'project', id: projectId }],
    }),
  ])
  if (!grant || !project) {
    await requireCheckpoint(runtime, call)
    return err({ kind: 'NotFound', object })
  }
  const roles = await Promise.all(
    grant.roleKeys.map((roleKey) =>
      query<'get', 'project_role'>(call, {
        method: 'get',
        args: [projectOrgId, { type: 'project_role', projectId, roleKey }],
      }),
    ),
  )
  return ok({
    ...{ projectId, projectOrgId, name: project.name },
    state: project.state === 'active' ? grant.state : 'inactive',
    roles: roles.flatMap((role) => {
      if (!role) return []
      const { roleKey, displayName, group, permissions } = role
      return [{ roleKey, displayName, group, permissions }]
    }),
  })
}

/** Schema of a {@link ReceivedProjectInput}. */
export const ReceivedProjectInput = z.strictObject({ projectId: ProjectId, projectOrgId: OrgId })
/** Names a project of another organization. */
export interface ReceivedProjectInput {
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project: 1 to 64 characters. */
  readonly projectOrgId: string
}

/** A project that another organization has granted. */
export interface ReceivedProject extends ReceivedProjectInput {
  /** Name of the project. */
  readonly name: string
  /** Whether its roles count: inactive if the project or the grant is. */
  readonly state: 'active' | 'inactive'
  /** The roles that the organization may give, by their keys in the grant. */
  readonly roles: readonly ReceivedRole[]
}

/** A role that another organization has granted. */
export interface ReceivedRole {
  /** The key that authorization checks use. */
  readonly roleKey: string
  /** For people to read. */
  readonly displayName: string
  /** Empty without a group. */
  readonly group: string
  /** The role's permissions, sorted by code point; may be empty. */
  readonly permissions: readonly string[]
}

/** Names a grant of a project. */
export interface ProjectGrantInput {
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that has the grant: 1 to 64 characters, as an `orgId`. */
  readonly grantedOrgId: string
}

/** A grant of a project, and all its roles. */
export interface ProjectGrantRolesInput extends ProjectGrantInput {
  /** Keys of roles that the project has: 1 to 400, without duplicates. */
  readonly roleKeys: readonly string[]
}

/** The ids of a project grant in the outcome of a write. */
export interface ProjectGrantIds extends ProjectGrantInput {}

/** Schema of a {@link ProjectGrantRolesInput}. */
export const ProjectGrantRolesInput = z.strictObject({
  projectId: ProjectId,
  grantedOrgId: OrgId,
  roleKeys,
})

/** Which grants of a project to list, and in which order. */
export const ListProjectGrantsInput = z.strictObject({
  projectId: ProjectId,
  ...listFields(projectGrants),
})
export interface ListProjectGrantsInput extends ListReceivedGrantsInput {
  /** The `id` of the project. */
  readonly projectId: string
}

/** Which received grants to list, and in which order. */
export const ListReceivedGrantsInput = z.strictObject(listFields(projectGrants))
export interface ListReceivedGrantsInput extends ListOptions<ProjectGrant> {
  /** Conditions, which must all hold. Default: every grant. */
  readonly filter?:
    | (GrantFilter & {
        /** Condition on the organization that has the grant. */
        readonly grantedOrgId?: TextFilter | undefined
        /** Only grants in this state; both when absent. */
        readonly state?: 'active' | 'inactive' | undefined
      })
    | undefined
}
