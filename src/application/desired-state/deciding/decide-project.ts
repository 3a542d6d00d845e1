import { err, ok, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import { exists } from '../../../domain/aggregate.js'
import { compiled } from '../../../domain/message.js'
import { type ProjectState, project, projects } from '../../../domain/project/aggregate.js'
import { AddProject } from '../../../domain/project/command-schemas.js'
import type { ProjectEvent } from '../../../domain/project/events.js'
import { type ProjectGrantState, projectGrants } from '../../../domain/project-grant/aggregate.js'
import type { ProjectGrantEvent } from '../../../domain/project-grant/events.js'
import {
  type ProjectRoleState,
  projectRole,
  projectRoles,
} from '../../../domain/project-role/aggregate.js'
import { AddProjectRole } from '../../../domain/project-role/command-schemas.js'
import type { ProjectRoleEvent } from '../../../domain/project-role/events.js'
import { type RoleMappingState, roleMappings } from '../../../domain/role-mapping/aggregate.js'
import type { RoleMappingEvent } from '../../../domain/role-mapping/events.js'
import type { ObjectRef, OrgId, StreamId } from '../../../domain/values.js'
import { invalid, type WriteError } from '../../errors/errors.js'
import { decideProjectGrant } from '../../grant-rules/decide-project-grant.js'
import { decideRoleMapping } from '../../grant-rules/decide-role-mapping.js'
import { change, type StreamState } from '../../recording/stream-state.js'
import type {
  ParsedGrant,
  ParsedMapping,
  ParsedProject,
  ParsedRole,
} from '../declared/desired-project.js'
import type { Planning } from '../sealed-secrets.js'
import {
  type Content,
  decideContents,
  decideGrant,
  type InProject,
  unprotecting,
  type Wanted,
} from './contents.js'
import {
  blocked,
  changed,
  type Draft,
  foreseenBy,
  isSuperseded,
  removed,
  type Scene,
  superseded,
  writeOf,
} from './draft.js'

/** A project as declared; without a name it is one that is no longer declared. */
type Desired = Pick<ParsedProject, 'id' | 'roles' | 'grants' | 'mappings'> &
  Partial<Pick<ParsedProject, 'name' | 'settings'>>

/**
 * Decides on the project that is declared at `path`: on its declared roles, the roles to remove, its declared grants, the
 * grants to remove, its declared mappings, and the mappings to remove. Refused: a grant to the owner; a grant or mapping
 * of a role that the project will not have; a mapping of a provider that does not exist and is not declared.
 */
export const decideProject = async (
  scene: Scene,
  desired: Desired,
  path = '',
): Promise<Result<readonly Draft[], WriteError>> => {
  const { planning, streams, foreseen } = scene
  const { orgId } = planning.call
  const { id } = desired
  const object = projects.ref({ id })
  const before = await streams.read(projects, { id })
  const contents = declaredIn(desired, orgId)
  if (before.state.status === 'removed') return ok([object, ...refsOf(contents)].map(blocked))
  const own = contents.grants?.findIndex(({ ids }) => ids.grantedOrgId === orgId) ?? -1
  if (own >= 0) {
    const field = `${path}.grants[${own}].grantedOrgId`
    return err(invalid(field, 'must not be the organization that owns the project'))
  }
  const isLeft = isSuperseded(planning, before)
  const head = isLeft ? ok(superseded({ object, before })) : decideHead(planning, before, desired)
  if (head.isErr()) return err(head.error)
  const { write } = head.value
  if (write) foreseen.set(before.name, foreseenBy(planning, write))
  // A project that a newer version no longer protects has no protected contents.
  const isOpen = isLeft && before.protectedBy !== planning.access.managedBy
  const inside = {
    ...scene,
    ...(isOpen && { planning: unprotecting(planning) }),
    projectId: id,
    left: new Set<StreamId>(),
    newProject: exists(before.state) ? undefined : id,
  }
  const drafts = [head.value]
  for (const decide of [decideRoles, decideGrants, decideMappings]) {
    const decided = await decide(inside, contents)
    if (decided.isErr()) return err(decided.error)
    drafts.push(...decided.value.map((draft) => (isOpen ? { ...draft, isLift: true } : draft)))
  }
  return ok(drafts)
}

/** Changes a project as declared. Without a name it stays as it is, and `planning` says who protects it. */
const decideHead = (
  planning: Planning,
  before: StreamState<ProjectState, ProjectEvent>,
  { id, name, settings }: Desired,
): Result<Draft, WriteError> => {
  const { state } = before
  const data = { id, name, ...settings }
  return project
    .decide(
      exists(state)
        ? { type: 'PatchProject', data }
        : { type: 'AddProject', data: AddProject.shape.data.parse(data) },
      state,
    )
    .map((events) => {
      const write = writeOf(planning, before, events, ({ status: _, ...data }) => ({
        type: 'project.updated' as const,
        data,
      }))
      return changed(planning, { object: projects.ref({ id }), before }, write)
    })
}

/** All objects that are declared in a project, with their ids; undefined for a type that is not listed. */
const declaredIn = ({ id: projectId, ...listed }: Desired, projectOrgId: OrgId) => {
  const roles = listed.roles?.map((item) => ({ item, ids: { projectId, roleKey: item.roleKey } }))
  const grants = listed.grants?.map((item) => ({
    item,
    ids: { projectId, grantedOrgId: item.grantedOrgId },
  }))
  const mappings = listed.mappings?.map((item) => ({
    item,
    ids: {
      idpId: item.idpId,
      group: item.group,
      projectId,
      projectOrgId,
      ...(item.resource !== undefined && { resource: item.resource }),
    },
  }))
  return { roles, grants, mappings }
}

type Declared = ReturnType<typeof declaredIn>

const refsOf = ({ roles = [], grants = [], mappings = [] }: Declared): readonly ObjectRef[] => [
  ...roles.map(({ ids }) => projectRoles.ref(ids)),
  ...grants.map(({ ids }) => projectGrants.ref(ids)),
  ...mappings.map(({ ids }) => roleMappings.ref(ids)),
]

type Decided = Promise<Result<readonly Draft[], WriteError>>

const decideRoles = async (inside: InProject, { roles }: Declared): Decided =>
  roles
    ? decideContents<RoleIds, ProjectRoleState, ProjectRoleEvent, ParsedRole>(inside, {
        aggregate: projectRoles,
        declared: roles,
        decide: decideRole,
      })
    : ok([])

const decideGrants = async (inside: InProject, { grants }: Declared): Decided =>
  grants
    ? decideContents<GrantIds, ProjectGrantState, ProjectGrantEvent, ParsedGrant>(inside, {
        aggregate: projectGrants,
        declared: grants,
        decide: (planning, subject, wanted) =>
          decideGrant(inside, planning, subject, {
            ...wanted,
            decide: (streams, ids, { verb, roleKeys, isForced }) =>
              decideProjectGrant(streams, {
                ...ids,
                type: `${verb}ProjectGrant`,
                roleKeys,
                isForced,
              }),
          }),
      })
    : ok([])

const decideMappings = async (inside: InProject, { mappings }: Declared): Decided =>
  mappings
    ? decideContents<MappingIds, RoleMappingState, RoleMappingEvent, ParsedMapping>(inside, {
        aggregate: roleMappings,
        declared: mappings,
        decide: (planning, subject, wanted) =>
          decideGrant(inside, planning, subject, {
            ...wanted,
            decide: (streams, ids, { verb, ...change }) =>
              decideRoleMapping(streams, { ...ids, type: `${verb}RoleMapping`, ...change }),
          }),
      })
    : ok([])

type RoleIds = z.output<typeof projectRoles.ids>
type GrantIds = z.output<typeof projectGrants.ids>
type MappingIds = z.output<typeof roleMappings.ids>

const decideRole = async (
  planning: Planning,
  subject: Content<RoleIds, ProjectRoleState, ProjectRoleEvent>,
  { item, isRemoved }: Wanted<ParsedRole>,
): Promise<Result<Draft, WriteError>> => {
  const { ids, before } = subject
  const { state } = before
  if (isRemoved)
    return projectRole
      .decide({ type: 'RemoveProjectRole', data: ids }, state)
      .map((events) => ({ ...removed(subject, change(before, events)), ends: [ids.roleKey] }))
  const data = { ...ids, ...item }
  return projectRole
    .decide(
      exists(state)
        ? { type: 'PatchProjectRole', data }
        : { type: 'AddProjectRole', data: compiled(AddProjectRole.shape.data).parse(data) },
      state,
    )
    .map((events) => {
      const write = writeOf(planning, before, events, ({ displayName, group, permissions }) => ({
        type: 'project_role.updated' as const,
        data: { ...ids, displayName, group, permissions },
      }))
      return changed(planning, subject, write)
    })
}
