import type { ListQuery, ReadModel, SortKey, Views, ViewType } from '../../../ports/read-model.js'
import { demand } from '../../law.js'
import { type Log, newLog } from './log.js'
import { projectAdded } from './project.js'
import { roleAdded } from './project-role.js'
import { ALL_SAMPLES, byIdentity, SAMPLES, sortValue } from './samples.js'

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
  ...SAMPLES[type].within,
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

/** Just before seconds and microseconds since 1970 get another digit: numbers are no texts. */
const DIGITS_CHANGE = 10n ** 15n - 8_000n

/** Adds an object of each type; those that lie in projects, to two projects. */
const addEach = (log: Log, orgId: string, [id, name]: readonly [id: string, name: string]) => {
  for (const { added, within } of ALL_SAMPLES) {
    log.record(orgId, added(id, name))
    if (within.projectId) log.record(orgId, added(id, name, 'shop'))
  }
}

/** Ten objects of each type in the organization `acme`, and others elsewhere; many have values in common. */
export const manyLog = (): Log => {
  const log = newLog(DIGITS_CHANGE)
  for (const id of ['portal', 'shop']) addEach(log, 'acme', [id, id])
  const named = NAMES.map((name, index) => [`id-${(index * 5) % NAMES.length}`, name] as const)
  for (const orgId of ['acme', 'acme2']) {
    for (const each of named) addEach(log, orgId, each)
  }
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
