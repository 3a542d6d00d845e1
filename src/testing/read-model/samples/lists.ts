import { IdpId, ProjectId } from '../../../domain/values.js'
import type { ListQuery, ReadModel, SortKey, Views, ViewType } from '../../../ports/read-model.js'
import { demand } from '../../law.js'
import { IDENTITY, sortValue } from './fields.js'
import { idpAdded, type Log, newLog, projectAdded, roleAdded } from './log.js'

/** All types of object. */
export const TYPES = ['identity_provider', 'project', 'project_role'] as const
/** More than any log of the laws holds; a model that ignores `after` would never end. */
const MAX_ROWS = 1000
/** Both directions of an order. */
export const DIRECTIONS = ['asc', 'desc'] as const
const NAMES = ['b', 'B', 'a', '\ue000', '\u{10000}', 'b', 'aa', '']

/** A list of a type in the organization `acme`; of roles, of its project `portal`. */
export const listOf = <Type extends ViewType>(
  type: Type,
  sort: readonly SortKey[],
  limit = 1000,
): ListQuery<Type> => ({
  type,
  orgId: 'acme',
  ...(type === 'project_role' ? { projectId: 'portal' } : {}),
  conditions: [],
  sort,
  limit,
})

/** The order by id or key. */
export const byIdentity = (type: ViewType): SortKey => ({
  field: IDENTITY[type],
  direction: 'asc',
})

/** Just before seconds and microseconds since 1970 get another digit: numbers are no texts. */
const DIGITS_CHANGE = 10n ** 15n - 8_000n

/** Some of everything, with values that many have in common, in two organizations. */
export const manyLog = (): Log => {
  const log = newLog(DIGITS_CHANGE)
  log.record('acme', projectAdded('portal'))
  for (const orgId of ['acme', 'acme2']) {
    for (const [index, name] of NAMES.entries()) {
      const id = `id-${(index * 5) % NAMES.length}`
      log.record(orgId, idpAdded(id, name))
      log.record(orgId, projectAdded(id, name, index % 2 === 0))
      const shown = { displayName: name, group: [...name][0] ?? '' }
      log.record('acme', roleAdded(orgId === 'acme' ? 'portal' : 'id-0', `${name}-${id}`, shown))
    }
  }
  for (const id of ['id-2', 'id-4']) {
    log.record('acme', { type: 'project.deactivated', data: { id: ProjectId.parse(id) } })
    const idpId = IdpId.parse(id)
    log.record('acme', { type: 'identity_provider.deactivated', data: { idpId } })
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
