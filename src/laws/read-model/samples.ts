import { aggregates } from '../../domain/aggregates.js'
import { type RecordedEvent, timeOf } from '../../ports/event-store.js'
import type {
  FieldChange,
  ListQuery,
  ReadModel,
  SortKey,
  SortValue,
  Views,
  ViewType,
} from '../../ports/read-model.js'
import { identityField, viewFields } from '../../projections/rows.js'
import { demand, isEqual } from '../law.js'
import { found } from './founding.js'
import { projectGrantSample, userGrantSample } from './grant-samples.js'
import { type Log, logOf, newLog } from './harness.js'
import { membershipSample, roleMappingSample } from './mapping-samples.js'
import {
  domainSample,
  identityProviderSample,
  projectAdded,
  projectRoleSample,
  projectSample,
  type Row,
  roleAdded,
  type Sample,
  type Scenario,
  setupLinkSample,
} from './object-samples.js'

/** The sample of each type; containers come first. */
export const SAMPLES: { readonly [Type in ViewType]: Sample<Type> } = {
  identity_provider: identityProviderSample,
  project: projectSample,
  project_role: projectRoleSample,
  project_grant: projectGrantSample,
  user_grant: userGrantSample,
  domain: domainSample,
  role_mapping: roleMappingSample,
  membership: membershipSample,
  setup_link: setupLinkSample,
}

/** The samples of all types. */
export const ALL_SAMPLES = Object.values(SAMPLES)

/** One for each type; together they have events of every type. */
export const SCENARIOS = ALL_SAMPLES.map(({ scenario }) => scenario)

export const TYPES = SCENARIOS.map(({ ref }) => ref.type)

/** The events that add the objects of {@link SCENARIOS}. */
export const FIRST_EVENTS = SCENARIOS.map(({ steps: [[event]] }) => event)

export const sortFields = (type: ViewType): readonly string[] => Object.keys(viewFields[type])

/** The order by id or key. */
export const byIdentity = (type: ViewType): SortKey => ({
  field: identityField[type],
  direction: 'asc',
})

/** The value of `field` that lists sort `row` by. @throws RangeError when lists are not sorted by it */
export const sortValue = <Type extends ViewType>(
  type: Type,
  field: string,
  row: Views[Type],
): SortValue => {
  if (!sortFields(type).includes(field))
    throw new RangeError(`Lists of ${type} are not sorted by ${field}`)
  const { sequence, creationDate, changeDate } = row.details
  const values: Readonly<Record<string, unknown>> = {
    ...row,
    sequence,
    creationDate: BigInt(creationDate.getTime()),
    changeDate: BigInt(changeDate.getTime()),
    ...(identityField[type] === 'key' && { key: keyOf({ ...row }) }),
  }
  const value = values[field] ?? ''
  demand(isSortValue(value), `${field} of a ${type} to be a value that lists are sorted by`)
  return value
}

/** The ids in the order in which the field `key` has them. */
const keyOf = (row: Row): string =>
  ['idpId', 'projectOrgId', 'projectId', 'userId', 'group']
    .flatMap((name) => row[name] ?? [])
    .join('+')

const isSortValue = (value: unknown): value is SortValue =>
  ['string', 'boolean', 'bigint'].includes(typeof value)

/** More than any log of the laws holds; a model that ignores `after` would never end. */
const MAX_ROWS = 1000
/** Both directions of an order. */
export const DIRECTIONS = ['asc', 'desc'] as const
const NAMES = ['b', 'B', 'a', '\ue000', '\u{10000}', 'b', 'aa', '']

/** A list of a type in the organization `acme`; of roles, of its project `portal`. By id or key unless `sort` is given. */
export const listOf = <Type extends ViewType>(
  type: Type,
  sort: readonly SortKey[] = [byIdentity(type)],
  limit = 1000,
): ListQuery<Type> => ({
  type,
  orgId: 'acme',
  ...(aggregates[type].container && { projectId: 'portal' }),
  conditions: [],
  sort,
  limit,
})

/** All roles of the project `portal`. */
export const ROLES = listOf('project_role')

/** The project `portal` of the organization `acme`, with roles. */
export const portalWith = (keys: readonly string[]): Log => {
  const log = newLog()
  log.record('acme', projectAdded('portal'))
  for (const key of keys) log.record('acme', roleAdded('portal', key))
  return log
}

/** Just before seconds and microseconds since 1970 get another digit, to find comparisons of numbers as text. */
const DIGITS_CHANGE = 10n ** 15n - 8_000n

/** Adds objects of each type; types in projects, to two projects. */
const addEach = (
  log: Log,
  orgId: string,
  named: readonly (readonly [id: string, name: string])[],
) => {
  for (const { added, scenario } of ALL_SAMPLES)
    for (const [id, name] of named) {
      found(log, orgId, added(id, name))
      if (aggregates[scenario.ref.type].container) found(log, orgId, added(id, name, 'shop'))
    }
}

/** Ten objects of each type in the organization `acme`, and others elsewhere; many have values in common. */
export const manyLog = (): Log => {
  const log = newLog(DIGITS_CHANGE)
  addEach(
    log,
    'acme',
    ['portal', 'shop'].map((id) => [id, id]),
  )
  const named = NAMES.map((name, index) => [`id-${(index * 5) % NAMES.length}`, name] as const)
  for (const orgId of ['acme', 'acme2']) addEach(log, orgId, named)
  for (const [id] of named.slice(3, 5)) {
    for (const { deactivated } of ALL_SAMPLES) if (deactivated) log.record('acme', deactivated(id))
  }
  return log
}

/** Reads all pages one after the other, with `between` before each but the first. */
export const allPages = async <Type extends ViewType>(
  model: ReadModel,
  query: ListQuery<Type>,
  between: () => Promise<void> = async () => {},
): Promise<readonly Views[Type][]> => {
  const fields = query.sort.map(({ field }) => field)
  const rows: Views[Type][] = []
  for (let page = await model.list(query); ; ) {
    rows.push(...page.items)
    demand(rows.length <= MAX_ROWS, 'pages to come to an end')
    const last = page.items.at(-1)
    if (!page.hasMore || last === undefined) return rows
    await between()
    page = await model.list({
      ...query,
      after: fields.map((field) => sortValue(query.type, field, last)),
    })
  }
}

/** An event of a scenario, and the result of reads after it. */
interface Moment {
  readonly event: RecordedEvent
  /** The object after it; undefined if it does not exist. */
  readonly row: Row | undefined
  readonly changes: readonly FieldChange[]
}

export const logBefore = ({ others }: Scenario): Log => logOf(others)

/** Records the events of a scenario in `log`, in the organization `acme`. */
export const play = (log: Log, { ref, steps }: Scenario): readonly Moment[] => {
  let row: Row | undefined
  let creationDate: Date | undefined
  return steps.map(([event, changed, secret]) => {
    const recorded = log.record('acme', event)
    const changeDate = timeOf(recorded.position)
    const before = row
    if (before === undefined) creationDate = changeDate
    const sequence = recorded.position
    const details = { sequence, creationDate, changeDate, resourceOwner: 'acme' }
    row = changed && { ...before, ...changed, details }
    const fieldChanges = row === undefined ? removal(ref, before) : changesOf(ref, before, row)
    const changes = secret
      ? [...fieldChanges, { field: secret, changed: true } as const]
      : fieldChanges
    return { event: recorded, row, changes }
  })
}

/** A removal names the roles that are lost with the object. */
const removal = (ref: object, before: Row = {}): readonly FieldChange[] => [
  { field: 'state', from: before['state'], to: 'removed' },
  ...changesOf(ref, before, {}).filter(({ field }) => field.startsWith('roles.')),
]

/** The changes in history for an object that changes from one row to another. */
const changesOf = (ref: object, before: Row | undefined, after: Row): readonly FieldChange[] => {
  const from = fieldsOf(ref, before ?? {})
  const to = fieldsOf(ref, after)
  const fields = [...new Set([...to.keys(), ...from.keys()])]
  return fields
    .filter((field) => !isEqual(from.get(field), to.get(field)))
    .map((field) => ({ field, from: from.get(field), to: to.get(field) }))
}

/** The fields of a row that history shows: no ids, owner or details; each assigned role as a field of its own. */
const fieldsOf = (ref: object, row: Row): ReadonlyMap<string, unknown> =>
  new Map(
    Object.entries(row).flatMap(([field, value]): readonly (readonly [string, unknown])[] => {
      if (field in ref || field === 'details' || field === 'projectOrgId') return []
      if (field === 'roles' || field === 'roleKeys') return rolesIn(value)
      return [[field, value instanceof Date ? value.toISOString() : value]]
    }),
  )

const rolesIn = (value: unknown): readonly (readonly [string, unknown])[] =>
  Array.from(Array.isArray(value) ? value : [], (role) =>
    typeof role === 'string'
      ? [`roles.${role}`, 'granted']
      : [`roles.${role.roleKey}`, role.expiresAt?.toISOString() ?? 'granted'],
  )

export const idp = (idpId: string) => ({ type: 'identity_provider', idpId }) as const

/** Names a project. */
export const project = (id: string) => ({ type: 'project', id }) as const

/** Names a role. */
export const role = (projectId: string, roleKey: string) =>
  ({ type: 'project_role', projectId, roleKey }) as const
