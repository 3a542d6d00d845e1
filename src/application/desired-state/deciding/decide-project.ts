import { err, ok, type Result } from 'neverthrow'
import { exists } from '../../../domain/decider.js'
import { compiled } from '../../../domain/message.js'
import { project, projects } from '../../../domain/project/aggregate.js'
import { AddProject } from '../../../domain/project/command-schemas.js'
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
import { OrgId, type ProjectId, RoleKey } from '../../../domain/values.js'
import { invalid, type WriteError } from '../../errors/errors.js'
import { change } from '../../recording/stream-state.js'
import type {
  ParsedGrant,
  ParsedMapping,
  ParsedProject,
  ParsedRole,
} from '../declared/desired-project.js'
import type { Planning } from '../sealed-secrets.js'
import { type Content, decideContents, type InProject, unprotecting } from './contents.js'
import {
  changeGrant,
  changeMapping,
  type GrantIds,
  type MappingIds,
  removeGrant,
  removeMapping,
} from './decide-grants.js'
import {
  blocked,
  changed,
  type Draft,
  foreseenBy,
  isSuperseded,
  isTouched,
  removed,
  superseded,
} from './draft.js'
import type { Scene } from './foresight.js'

/**
 * Decides on the declared project at `index`: on its declared roles, the roles to remove, its declared grants, the grants
 * to remove, its declared mappings, and the mappings to remove. Refused: a grant to the owner; a grant or mapping of a
 * role that the project will not have; a mapping of a provider that does not exist and is not declared.
 */
export const decideProject = async (
  scene: Scene,
  desired: ParsedProject,
  index: number,
): Promise<Result<readonly Draft[], WriteError>> => {
  const { planning, streams, foreseen } = scene
  const { orgId } = planning.call
  const { id, grants = [] } = desired
  const object = projects.ref({ id })
  const before = await streams.read(projects, { id })
  if (before.state.status === 'removed')
    return ok([object, ...declaredIn(desired, orgId)].map(blocked))
  const own = grants.findIndex(({ grantedOrgId }) => grantedOrgId === orgId)
  if (own >= 0) {
    const field = `projects[${index}].grants[${own}].grantedOrgId`
    return err(invalid(field, 'must not be the organization that owns the project'))
  }
  const isLeft = isSuperseded(planning, before)
  const head = isLeft ? ok(superseded({ object, before })) : await changeProject(scene, id, desired)
  if (head.isErr()) return err(head.error)
  const { write } = head.value
  if (write) foreseen.set(before.name, foreseenBy(planning, write))
  // A project that a newer version no longer protects has no protected contents.
  const isOpen = isLeft && before.protectedBy !== planning.access.managedBy
  const newProject = exists(before.state) ? undefined : id
  const inside = isOpen ? { ...scene, planning: unprotecting(planning) } : scene
  const contents = await decideAllIn({ ...inside, newProject }, desired)
  return contents.map((drafts) => [
    head.value,
    ...(isOpen ? drafts.map((draft) => ({ ...draft, isLift: true })) : drafts),
  ])
}

/** Changes a project as declared. Without `desired` it stays as it is, and `planning` says who protects it. */
export const changeProject = async (
  { planning, streams }: Scene,
  id: ProjectId,
  desired?: Pick<ParsedProject, 'name' | 'settings'>,
): Promise<Result<Draft, WriteError>> => {
  const before = await streams.read(projects, { id })
  const { state } = before
  const data = { id, ...(desired && { name: desired.name, ...desired.settings }) }
  return project
    .decide(
      exists(state)
        ? { type: 'PatchProject', data }
        : { type: 'AddProject', data: AddProject.shape.data.parse(data) },
      state,
    )
    .map((decided) => {
      let events = decided
      if (events.length === 0 && exists(state) && isTouched(planning, before)) {
        const { status: _, ...data } = state
        events = [{ type: 'project.updated', data }]
      }
      return changed(planning, { object: projects.ref({ id }), before }, change(before, events))
    })
}

/** Decides on all that `desired` lists in a project. */
export const decideAllIn = async (
  scene: Scene & Pick<InProject, 'newProject'>,
  { id, roles, grants, mappings }: Pick<ParsedProject, 'id' | 'roles' | 'grants' | 'mappings'>,
): Promise<Result<readonly Draft[], WriteError>> => {
  const projectOrgId = scene.planning.call.orgId
  const inside: InProject = { ...scene, projectId: id, left: new Set() }
  const steps = [
    () =>
      roles &&
      decideContents<RoleIds, ProjectRoleState, ProjectRoleEvent, ParsedRole>(inside, {
        aggregate: projectRoles,
        idsOf: (key, role) => ({ projectId: id, roleKey: role?.roleKey ?? RoleKey.parse(key) }),
        declared: new Map(roles.map((role) => [role.roleKey, role])),
        change: changeRole,
        remove: removeRole,
      }),
    () =>
      grants &&
      decideContents<GrantIds, ProjectGrantState, ProjectGrantEvent, ParsedGrant>(inside, {
        aggregate: projectGrants,
        idsOf: (key, grant) => ({
          projectId: id,
          grantedOrgId: grant?.grantedOrgId ?? OrgId.parse(key),
        }),
        declared: new Map(grants.map((grant) => [grant.grantedOrgId, grant])),
        change: (planning, subject, grant) => changeGrant(inside, planning, subject, grant),
        remove: (subject) => removeGrant(inside, subject),
      }),
    () =>
      mappings &&
      decideContents<MappingIds, RoleMappingState, RoleMappingEvent, ParsedMapping>(inside, {
        aggregate: roleMappings,
        idsOf: (key) => mappingIds(key, id, projectOrgId),
        declared: new Map(
          mappings.map((mapping) => [
            roleMappings.key({ ...mapping, projectId: id, projectOrgId }, projectOrgId),
            mapping,
          ]),
        ),
        change: (planning, subject, mapping) => changeMapping(inside, planning, subject, mapping),
        remove: (subject) => removeMapping(inside, subject),
      }),
  ]
  const drafts: Draft[] = []
  for (const step of steps) {
    const decided = (await step()) ?? ok([])
    if (decided.isErr()) return err(decided.error)
    drafts.push(...decided.value)
  }
  return ok(drafts)
}

/** All objects that are declared in a project. */
const declaredIn = (
  { id, roles = [], grants = [], mappings = [] }: ParsedProject,
  orgId: string,
) => [
  ...roles.map(({ roleKey }) => projectRoles.ref({ projectId: id, roleKey })),
  ...grants.map(({ grantedOrgId }) => projectGrants.ref({ projectId: id, grantedOrgId })),
  ...mappings.map((mapping) =>
    roleMappings.ref({ ...mapping, projectId: id, projectOrgId: orgId }),
  ),
]

/** The ids of the mapping with that key in the project `id`. */
const mappingIds = (key: string, id: ProjectId, projectOrgId: OrgId): MappingIds => {
  const { type: _, ...ids } = roleMappings.refOfKey(key, id)
  return { ...roleMappings.ids.parse(ids), projectOrgId }
}

interface RoleIds {
  readonly projectId: ProjectId
  readonly roleKey: RoleKey
}

type RoleContent = Content<RoleIds, ProjectRoleState, ProjectRoleEvent>

const changeRole = async (
  planning: Planning,
  subject: RoleContent,
  role?: ParsedRole,
): Promise<Result<Draft, WriteError>> => {
  const { ids, before } = subject
  const { state } = before
  const data = { ...ids, ...role }
  return projectRole
    .decide(
      exists(state)
        ? { type: 'PatchProjectRole', data }
        : { type: 'AddProjectRole', data: compiled(AddProjectRole.shape.data).parse(data) },
      state,
    )
    .map((decided) => {
      let events = decided
      if (events.length === 0 && exists(state) && isTouched(planning, before)) {
        const { displayName, group, permissions } = state
        events = [
          { type: 'project_role.updated', data: { ...ids, displayName, group, permissions } },
        ]
      }
      return changed(planning, subject, change(before, events))
    })
}

const removeRole = async (subject: RoleContent): Promise<Result<Draft, WriteError>> => {
  const { ids, before } = subject
  return projectRole
    .decide({ type: 'RemoveProjectRole', data: ids }, before.state)
    .map((events) => ({ ...removed(subject, change(before, events)), ends: [ids.roleKey] }))
}
