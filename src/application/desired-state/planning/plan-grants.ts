import { err, ok, type Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { exists, type NotFound } from '../../../domain/decider.js'
import { identityProviders } from '../../../domain/identity-provider/aggregate.js'
import type { ProjectGrant } from '../../../domain/project-grant/aggregate.js'
import { type RoleMapping, roleMappings } from '../../../domain/role-mapping/aggregate.js'
import {
  GroupName,
  IdpId,
  type ObjectRef,
  OrgId,
  ProjectId,
  RoleKey,
  sameRoles,
} from '../../../domain/values.js'
import type { Protected } from '../../errors/errors.js'
import type { ParsedGrant, ParsedMapping } from '../declared/desired-project.js'
import type { PlannedEvent } from '../plan/plan.js'
import {
  blocked,
  type PendingChange,
  plannedEvents,
  schemaVersionOf,
  superseded,
} from './pending-change.js'
import { type DeclaredProject, mayLeaveDeclaration, planEach, rowsIn } from './plan-contents.js'
import type { Planning } from './sealed-secrets.js'

/** A declared project with the changes of its roles. */
interface PlannedRoles extends DeclaredProject {
  readonly roleChanges: readonly PendingChange[]
}

/** The changes of grants to other organizations. A grant of a role that a newer version removed is superseded. */
export const planGrants = async (
  planning: Planning,
  project: PlannedRoles,
): Promise<Result<readonly PendingChange[], NotFound | Protected>> => {
  const { id: projectId, grants } = project.desired
  if (grants === undefined) return ok([])
  const { isNew } = project
  const isRemoved = removedBy(project)
  const declared = new Map<string, ParsedGrant>(grants.map((grant) => [grant.grantedOrgId, grant]))
  const mayLeave = mayLeaveDeclaration(planning)
  const isWanted = (key: string, row: ProjectGrant) => declared.has(key) || mayLeave(row)
  const planned = await planEach(planning, {
    type: 'project_grant',
    projectId,
    isNew,
    rows: isNew
      ? new Map()
      : await rowsIn(planning, { type: 'project_grant', id: projectId }, isWanted),
    declared,
    change: (grant, row) => {
      // A role that is removed before the grant is recorded needs no event of the grant.
      const held = row?.roleKeys.filter((roleKey) => !isRemoved(roleKey))
      if (held && sameRoles(held, grant.roleKeys)) return []
      const type = row ? 'project_grant.updated' : 'project_grant.added'
      return [{ type, schemaVersion: schemaVersionOf(type), data: { projectId, ...grant } }]
    },
    remove: (row) => {
      const data = { projectId, grantedOrgId: OrgId.parse(row.grantedOrgId) }
      return plannedEvents([{ type: 'project_grant.removed', data }])
    },
    touch: touchGrant,
    effect: (row, grant) => {
      const kept = new Set<string>(grant?.roleKeys)
      return { ends: row.roleKeys.filter((roleKey) => !kept.has(roleKey) && !isRemoved(roleKey)) }
    },
  })
  return planned.andThen((changes) => withTheirRoles(project, grants, changes))
}

/**
 * The changes of mappings of groups. A mapping of a role that a newer version removed is superseded, one of a removed
 * provider is blocked.
 */
export const planMappings = async (
  planning: Planning,
  project: PlannedRoles,
): Promise<Result<readonly PendingChange[], NotFound | Protected>> => {
  const { id: projectId, mappings } = project.desired
  if (mappings === undefined) return ok([])
  const { isNew } = project
  const { orgId } = planning.call
  const projectOrgId = OrgId.parse(orgId)
  const removed = await removedProviders(planning, mappings)
  if (removed.isErr()) return err(removed.error)
  const isRemoved = removedBy(project)
  const keyOf = (mapping: ParsedMapping) =>
    roleMappings.key({ ...mapping, projectId, projectOrgId }, orgId)
  const declared = new Map<string, ParsedMapping>(
    mappings.map((mapping) => [keyOf(mapping), mapping]),
  )
  const mayLeave = mayLeaveDeclaration(planning)
  const isWanted = (key: string, row: RoleMapping) => declared.has(key) || mayLeave(row)
  const rows = isNew
    ? new Map<string, RoleMapping>()
    : await rowsIn(planning, { type: 'role_mapping', id: projectId }, isWanted)
  const standing = (row: RoleMapping) => row.roleKeys.filter((roleKey) => !isRemoved(roleKey))
  const planned = await planEach(planning, {
    type: 'role_mapping',
    projectId,
    isNew,
    rows,
    declared,
    change: (mapping, row) => {
      const { validFor, ...fields } = mapping
      if (row && sameRoles(standing(row), mapping.roleKeys) && row.validFor === validFor) return []
      const type = row ? 'role_mapping.updated' : 'role_mapping.added'
      const ids = { ...fields, projectId, projectOrgId }
      const data = validFor === undefined ? ids : { ...ids, validFor }
      return [{ type, schemaVersion: schemaVersionOf(type), data }]
    },
    remove: (row) => plannedEvents([{ type: 'role_mapping.removed', data: idsOf(row) }]),
    touch: touchMapping,
    effect: (row, mapping) => {
      const before = { ...row, roleKeys: standing(row) }
      return { ends: before.roleKeys, mapping: { before, after: mapping } }
    },
  })
  return planned
    .map((changes) =>
      changes.map((pending, place): PendingChange => {
        const mapping = mappings[place]
        if (!mapping) return pending
        if (removed.value.has(mapping.idpId)) return blocked(pending.change.object)
        return withoutValidity(pending, rows.get(keyOf(mapping)), mapping)
      }),
    )
    .andThen((changes) => withTheirRoles(project, mappings, changes))
}

/** Shows that a mapping has `validFor` no longer, which its event says by leaving it out. */
const withoutValidity = (
  pending: PendingChange,
  row: RoleMapping | undefined,
  { validFor }: ParsedMapping,
): PendingChange => {
  const { change } = pending
  const from = row?.validFor
  if (from === undefined || validFor !== undefined || change.events.length === 0) return pending
  return {
    ...pending,
    change: { ...change, fields: [...change.fields, { field: 'validFor', from }] },
  }
}

/** Those providers of `mappings` that were removed. Refused: one that does not exist and is not declared. */
const removedProviders = async (
  { runtime, call: { orgId }, access }: Planning,
  mappings: readonly ParsedMapping[],
): Promise<Result<ReadonlySet<string>, NotFound>> => {
  const declared = new Set<string>(access.identityProviders?.map(({ idpId }) => idpId))
  const removed = new Set<string>()
  for (const idpId of new Set(mappings.map((mapping) => mapping.idpId))) {
    const { state } = await runtime.states.readLatest(identityProviders, orgId, { idpId })
    if (state.status === 'removed') removed.add(idpId)
    else if (!exists(state) && !declared.has(idpId))
      return err({ kind: 'NotFound', object: identityProviders.ref({ idpId }) })
  }
  return ok(removed)
}

/** Names a declared mapping. */
export const mappingRef = (
  { call: { orgId } }: Planning,
  projectId: ProjectId,
  { idpId, group }: ParsedMapping,
): ObjectRef => roleMappings.ref({ idpId, group, projectId, projectOrgId: OrgId.parse(orgId) })

/** Whether a role is removed before the grants and mappings are recorded. */
const removedBy = ({ roleChanges }: PlannedRoles): ((roleKey: string) => boolean) => {
  const actions = actionsOf(roleChanges)
  return (roleKey) => actions.get(roleKey) === 'remove'
}

const actionsOf = (roleChanges: readonly PendingChange[]) =>
  new Map(
    roleChanges.map(({ change: { action, object } }) => [
      aggregates.project_role.key(object, ''),
      action,
    ]),
  )

/** Refuses a grant or mapping of a role that the project will not have; one that a newer version removed supersedes it. */
const withTheirRoles = (
  { desired: { id: projectId }, rows, roleChanges }: PlannedRoles,
  declared: readonly { readonly roleKeys: readonly RoleKey[] }[],
  planned: readonly PendingChange[],
): Result<readonly PendingChange[], NotFound> => {
  const actions = actionsOf(roleChanges)
  const isLeftToNewer = (roleKey: string) => actions.get(roleKey) === 'superseded'
  const isThere = (roleKey: string) =>
    !actions.has(roleKey) || isLeftToNewer(roleKey)
      ? rows.has(roleKey)
      : actions.get(roleKey) !== 'remove'
  const changes = [...planned]
  for (const [place, { roleKeys }] of declared.entries()) {
    const pending = planned[place]
    if (!pending) throw new Error('A declared grant or mapping was not planned')
    if (pending.change.action === 'superseded') continue
    const missing = roleKeys.filter((roleKey) => !isThere(roleKey))
    const absent = missing.find((roleKey) => !isLeftToNewer(roleKey))
    if (absent !== undefined)
      return err({ kind: 'NotFound', object: { type: 'project_role', projectId, roleKey: absent } })
    if (missing.length > 0) changes[place] = superseded({ ...pending, ...pending.change })
  }
  return ok(changes)
}

/** An event that replaces the roles of a grant with the same roles. */
export const touchGrant = (row: ProjectGrant): PlannedEvent => {
  const data = {
    projectId: ProjectId.parse(row.projectId),
    grantedOrgId: OrgId.parse(row.grantedOrgId),
    roleKeys: row.roleKeys.map((roleKey) => RoleKey.parse(roleKey)),
  }
  const type = 'project_grant.updated'
  return { type, schemaVersion: schemaVersionOf(type), data }
}

/** An event that replaces the roles of a mapping with the same roles. */
export const touchMapping = (row: RoleMapping): PlannedEvent => {
  const { validFor } = row
  const roleKeys = row.roleKeys.map((roleKey) => RoleKey.parse(roleKey))
  const data = { ...idsOf(row), roleKeys, ...(validFor !== undefined && { validFor }) }
  const type = 'role_mapping.updated'
  return { type, schemaVersion: schemaVersionOf(type), data }
}

const idsOf = (row: RoleMapping) => ({
  idpId: IdpId.parse(row.idpId),
  projectOrgId: OrgId.parse(row.projectOrgId),
  projectId: ProjectId.parse(row.projectId),
  group: GroupName.parse(row.group),
})
