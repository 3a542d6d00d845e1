import fc from 'fast-check'
import { projectStream } from '../../src/domain/project/aggregate.js'
import { IdpId, ProjectId, RoleKey } from '../../src/domain/values.js'
import { type Log, newLog } from '../../src/laws/read-model/harness.js'
import {
  idpAdded,
  projectAdded,
  projectRemoved,
  roleAdded,
  roleRemoved,
} from '../../src/laws/read-model/object-samples.js'
import type {
  Condition,
  HistoryQuery,
  ListQuery,
  SortKey,
  ViewType,
} from '../../src/ports/read-model.js'
import { streamDefinitionOf } from '../../src/projections/read-events.js'
import { fieldNamed, identityField, viewFields } from '../../src/projections/rows.js'

export const ORGANIZATIONS = ['acme', 'acme2', 'other'] as const
export const IDS = ['a', 'b', 'A'] as const

/** Short, and alike, so that many coincide or begin alike; also what sorts and folds differently. */
export const texts = fc
  .array(fc.constantFrom('a', 'A', 'b', '%', '_', '\\', "'", 'ß', 'é', '\ue000', '\uffff', '😀'), {
    maxLength: 3,
  })
  .map((parts) => parts.join(''))

const ids = fc.constantFrom(...IDS)

const idpEvents = fc.record({ id: ids, text: texts, kind: fc.nat(8) }).map(({ id, text, kind }) => {
  const idpId = IdpId.parse(id)
  const { name, stylingType, autoRegister, clientSecret, ...oidc } = idpAdded(id, text).data
  switch (kind) {
    case 0:
      return { type: 'identity_provider.oidc_config_updated', data: oidc } as const
    case 1:
      return {
        type: 'identity_provider.updated',
        data: { idpId, name, stylingType, autoRegister },
      } as const
    case 2:
      return { type: 'identity_provider.deactivated', data: { idpId } } as const
    case 3:
      return { type: 'identity_provider.reactivated', data: { idpId } } as const
    case 4:
      return { type: 'identity_provider.removed', data: { idpId } } as const
    case 5:
      return {
        type: 'identity_provider.secret_resealed',
        data: { idpId, clientSecret },
      } as const
    case 6:
    case 7: {
      const groups = { claim: 'groups', path: [`${text}/`, 'é'] }
      return {
        type: 'identity_provider.sign_in_configured',
        data: { idpId, ...(kind === 6 && { groups, admit: [{ claim: 'hd', values: ['a'] }] }) },
      } as const
    }
    default:
      return idpAdded(id, text)
  }
})

const projectEvents = fc
  .record({ id: ids, text: texts, check: fc.boolean(), kind: fc.nat(5) })
  .map(({ id, text, check, kind }) => {
    const named = { id: ProjectId.parse(id) }
    switch (kind) {
      case 0:
        return { type: 'project.updated', data: projectAdded(id, text, check).data } as const
      case 1:
        return { type: 'project.deactivated', data: named } as const
      case 2:
        return { type: 'project.reactivated', data: named } as const
      case 3:
        return projectRemoved(id)
      default:
        return projectAdded(id, text, check)
    }
  })

const roleEvents = fc
  .record({ id: ids, key: texts, text: texts, kind: fc.nat(4) })
  .map(({ id, key, text, kind }) => {
    const roleKey = RoleKey.parse(`${key}+`)
    const permissions = ['read', 'write'].filter((permission) => text.length > permission.length)
    const shown = { displayName: text, group: key, permissions }
    const names = { projectId: ProjectId.parse(id), roleKey }
    switch (kind) {
      case 0:
        return { type: 'project_role.updated', data: { ...names, ...shown } } as const
      case 1:
        return roleRemoved(id, roleKey)
      default:
        return roleAdded(id, roleKey, shown)
    }
  })

/** Where {@link logs} hold their event at `place`, counted from 0. */
const positionAt = (place: number): bigint => 1_700_000_000_000_000n + 400n * BigInt(place)

/**
 * Events in any order, of which deciders would refuse some: views take them as facts. But a role has a project, and the
 * id of a removed project or provider is not taken again, since rights rest on both.
 */
export const logs: fc.Arbitrary<Log> = fc
  .array(
    fc.record({
      orgId: fc.constantFrom(...ORGANIZATIONS),
      event: fc.oneof(idpEvents, projectEvents, { arbitrary: roleEvents, weight: 3 }),
      userId: fc.constantFrom('u1', 'u2'),
    }),
    { maxLength: 80 },
  )
  .map((records) => {
    const log = newLog()
    const ended = new Set<string>()
    for (const { orgId, event, userId } of records) {
      const stream = streamDefinitionOf(event.type).stream(orgId, event.data)
      if (ended.has(stream)) continue
      const { data } = event
      if ('projectId' in data && !log.rows.get(projectStream(orgId, data.projectId))) continue
      if (event.type === 'project.removed' || event.type === 'identity_provider.removed')
        ended.add(stream)
      log.record(orgId, event, { actor: { userId, orgId } })
    }
    return log
  })

const TYPES = ['identity_provider', 'project', 'project_role'] as const

const sortKeys = (type: ViewType): fc.Arbitrary<readonly SortKey[]> => {
  const direction = fc.constantFrom('asc' as const, 'desc' as const)
  const field = fc.constantFrom(...Object.keys(viewFields[type]))
  return fc
    .tuple(fc.array(fc.record({ field, direction }), { maxLength: 2 }), direction)
    .map(([keys, last]) => [...keys, { field: identityField[type], direction: last }])
}

const conditions = (type: ViewType): fc.Arbitrary<readonly Condition[]> => {
  const filterable = Object.keys(viewFields[type]).filter(
    (field) => fieldNamed<never>(viewFields[type], field).filterable,
  )
  const condition = fc.record({
    field: fc.constantFrom(...filterable),
    operator: fc.constantFrom('equals' as const, 'startsWith' as const, 'contains' as const),
    value: texts,
    ignoreCase: fc.boolean(),
  })
  return fc.array(condition, { maxLength: 2 })
}

/** Any first page of any list. */
export const queries: fc.Arbitrary<ListQuery<ViewType>> = fc.constantFrom(...TYPES).chain((type) =>
  fc.record({
    type: fc.constant(type),
    orgId: fc.constantFrom(...ORGANIZATIONS),
    ...(type === 'project_role' ? { projectId: ids } : {}),
    conditions: conditions(type),
    sort: sortKeys(type),
    limit: fc.integer({ min: 1, max: 4 }),
  }),
)

const positions = fc.integer({ min: -1, max: 81 }).map((place) => positionAt(place))

const refs: fc.Arbitrary<Partial<HistoryQuery>> = fc.oneof(
  fc.constant({}),
  ids.map((idpId) => ({ object: { type: 'identity_provider', idpId } as const })),
  ids.map((id) => ({ object: { type: 'project', id } as const })),
  ids.map((id) => ({ object: { type: 'project', id } as const, including: 'roles' as const })),
  fc.record({ projectId: ids, key: fc.constantFrom('', 'a', 'A') }).map(({ projectId, key }) => ({
    object: { type: 'project_role', projectId, roleKey: `${key}+` } as const,
  })),
)

const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined })

/** Any page of any history. */
export const histories: fc.Arbitrary<HistoryQuery> = fc
  .record({
    ref: refs,
    orgId: fc.constantFrom(...ORGANIZATIONS),
    actor: optional(fc.constantFrom('u1', 'u2')),
    types: optional(fc.constantFrom(['project.removed'], ['project_role.added', 'project.added'])),
    after: fc.oneof(fc.constant(0n), positions),
    before: optional(positions),
    order: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.integer({ min: 1, max: 10 }),
  })
  .map(({ ref, actor, types, before, ...query }) => ({
    ...query,
    ...ref,
    ...(actor !== undefined && { actor }),
    ...(types !== undefined && { types }),
    ...(before !== undefined && { before }),
  }))
