import { fieldOf } from '../../domain/values.js'
import {
  type ListQuery,
  MAX_TOTAL_SIZE,
  type SortKey,
  type Views,
  type ViewType,
} from '../../ports/read-model.js'
import { compareCodePoints } from '../../projections/row-order.js'
import { allOf, demand, demandEqual, lawsOf } from '../law.js'
import { fedWith, feed, type ReadModelHome } from './harness.js'
import { projectAdded, roleAdded, roleRemoved } from './object-samples.js'
import {
  allPages,
  byIdentity,
  DIRECTIONS,
  listOf,
  manyLog,
  portalWith,
  ROLES,
  SAMPLES,
  sortValue,
  TYPES,
} from './samples.js'

/** Laws of what `list` finds. */
export const listLaws = lawsOf<ReadModelHome>({
  'A page says whether rows follow, how many there are in all, and at which checkpoint.': async (
    home,
  ) => {
    const log = manyLog()
    const model = await fedWith(home, log)
    const conditions = [
      { field: 'displayName', operator: 'startsWith', value: 'b', ignoreCase: true },
    ] as const
    const query = { ...ROLES, limit: 2, conditions }
    const { items, ...first } = await model.list(query)
    const sequence = log.events.at(-1)?.position
    demandEqual('first page', first, { hasMore: true, totalSize: 3, sequence })
    const after = [items.at(-1)?.roleKey ?? '']
    const { items: rest, ...second } = await model.list({ ...query, after, limit: 1 })
    demandEqual('last page', second, { hasMore: false, totalSize: 3, sequence })
    demandEqual('rows', [items.length, rest.length], [2, 1])
    const end = await model.list({ ...query, after: [rest.at(-1)?.roleKey ?? ''] })
    const empty = { items: [], hasMore: false, totalSize: 3, sequence }
    demandEqual('page after the last row', end, empty)
    const none = await model.list({ ...query, projectId: 'none' })
    demandEqual('page of nothing', none, { ...empty, totalSize: 0 })
  },
  'A list counts up to 10,000 rows exactly, and says if there are more.': async (home) => {
    const keys = Array.from({ length: MAX_TOTAL_SIZE }, (_, index) => `role-${index}`)
    const log = portalWith(keys)
    const model = await fedWith(home, log)
    const totalOf = async (query: ListQuery<'project_role'>) => {
      const { totalSize, totalSizeCapped } = await model.list({ ...query, limit: 2 })
      return [totalSize, totalSizeCapped ?? false]
    }
    demandEqual('10,000 rows', await totalOf(ROLES), [10_000, false])
    for (const key of ['one-more', 'two-more']) log.record('acme', roleAdded('portal', key))
    await feed(model, log)
    demandEqual('10,002 rows', await totalOf(ROLES), [10_000, true])
    demandEqual('on the last page', await totalOf({ ...ROLES, after: ['two'] }), [10_000, true])
    const conditions = [
      { field: 'roleKey', operator: 'contains', value: 'more', ignoreCase: false },
    ] as const
    demandEqual('2 of 10,002 rows', await totalOf({ ...ROLES, conditions }), [2, false])
  },
  'Rows added or removed between two pages neither hide nor repeat the others.': async (home) => {
    for (const direction of DIRECTIONS) {
      const stay = ['b', 'd', 'f', 'h', 'j']
      const go = ['c', 'e', 'g', 'i']
      const log = portalWith([...stay, ...go])
      const model = await fedWith(home, log)
      let turn = 0
      const sort = [{ field: 'roleKey', direction }] as const
      const rows = await allPages(model, listOf('project_role', sort, 2), async () => {
        for (const key of ['a', stay[turn], 'z']) {
          log.record('acme', roleAdded('portal', `${key}-${turn}`))
        }
        const key = go[turn++]
        if (key !== undefined) log.record('acme', roleRemoved('portal', key))
        await feed(model, log)
      })
      const keys = rows.map(({ roleKey }) => roleKey)
      demandEqual('different keys', new Set(keys).size, keys.length)
      const stayed = keys.filter((key) => stay.includes(key))
      demandEqual('keys that stayed', stayed, direction === 'asc' ? stay : stay.toReversed())
    }
  },
  'A list contains nothing from another organization or project.': async (home) => {
    const log = manyLog()
    log.record('other', projectAdded('portal'))
    log.record('other', roleAdded('portal', 'stranger'))
    const model = await fedWith(home, log)
    for (const type of TYPES) {
      const query = listOf(type)
      const own = await model.list(query)
      for (const row of own.items) {
        demandEqual(`owner of a ${type}`, row.details.resourceOwner, 'acme')
        if (query.projectId !== undefined)
          demandEqual(`project of a ${type}`, fieldOf(row, 'projectId'), query.projectId)
      }
      demandEqual(`number of ${type}`, own.totalSize, own.items.length)
      for (const orgId of ['acm', 'acme3', 'ACME', '', 'acme+portal']) {
        const { items, totalSize } = await model.list({ ...query, orgId })
        demandEqual(`${type} of ${orgId}`, [items, totalSize], [[], 0])
      }
    }
  },
  'A list is of one moment, even while events are applied.': async (home) => {
    const log = portalWith([])
    const model = await fedWith(home, log)
    const handles = [model, await home.reopen(), model]
    for (let round = 0; round < 20; round++) {
      const checkpoint = await model.checkpoint()
      log.record('acme', roleAdded('portal', `role-${round}`))
      const feeding = feed(model, log)
      const listing = allOf(handles.map((handle) => handle.list(ROLES)))
      await allOf<unknown>([feeding, listing])
      for (const { items, totalSize, sequence } of await listing) {
        const roles = log.events.filter(({ position }) => position <= sequence).length - 1
        demandEqual(`roles as of ${sequence}`, [items.length, totalSize], [roles, roles])
        demand(sequence >= checkpoint, `a list as of ${checkpoint} or later, not ${sequence}`)
      }
    }
  },
})

const byFields = (type: ViewType): readonly (readonly SortKey[])[] => {
  const { sortFields, identity } = SAMPLES[type]
  return sortFields.flatMap((field) =>
    DIRECTIONS.flatMap((direction) => {
      const first = { field, direction }
      if (field === identity) return [[first]]
      return DIRECTIONS.map((last) => [first, { ...byIdentity(type), direction: last }])
    }),
  )
}

const BY_SEVERAL: readonly SortKey[] = [
  { field: 'state', direction: 'desc' },
  { field: 'projectRoleCheck', direction: 'desc' },
  { field: 'name', direction: 'asc' },
  { field: 'id', direction: 'desc' },
]

const orders = (type: ViewType) => [...byFields(type), ...(type === 'project' ? [BY_SEVERAL] : [])]

/** Of two fields, the second ascends: the first ascends or descends with it, which are all ways that they compare. */
const isNoMirrorImage = ([_, second, ...others]: readonly SortKey[]): boolean =>
  others.length > 0 || second?.direction !== 'desc'

const isInOrder = <Type extends ViewType>(
  type: Type,
  sort: readonly SortKey[],
  [one, other]: readonly [Views[Type], Views[Type]],
): boolean => {
  for (const { field, direction } of sort) {
    const of = (row: Views[Type]) => sortValue(type, field, row)
    const [first, second] = direction === 'asc' ? [of(one), of(other)] : [of(other), of(one)]
    if (first === second) continue
    return typeof first === 'string' && typeof second === 'string'
      ? compareCodePoints(first, second) < 0
      : first < second
  }
  return false
}

/** Neighbours in the wrong order. */
const wrongPairs = <Type extends ViewType>(
  type: Type,
  sort: readonly SortKey[],
  rows: readonly Views[Type][],
) =>
  rows
    .slice(1)
    .map((row, index) => [rows[index] ?? row, row] as const)
    .filter((pair) => !isInOrder(type, sort, pair))

/** Laws of the order of `list`, and of pages in it. */
export const orderLaws = lawsOf<ReadModelHome>({
  'Rows come in the requested order: by any fields, each in either direction.': async (home) => {
    const model = await fedWith(home, manyLog())
    for (const type of TYPES) {
      for (const sort of orders(type)) {
        const { items } = await model.list(listOf(type, sort))
        demandEqual(`rows of ${type}`, items.length, 10)
        demandEqual(`${type} by ${JSON.stringify(sort)}`, wrongPairs(type, sort, items), [])
      }
    }
  },
  'Pages follow each other without a gap or a repetition, in any order.': async (home) => {
    const model = await fedWith(home, manyLog())
    for (const type of TYPES) {
      for (const [index, sort] of orders(type).filter(isNoMirrorImage).entries()) {
        const { items } = await model.list(listOf(type, sort))
        // Each row ends a page of one; longer pages differ in nothing that the order changes.
        for (const limit of index === 0 ? [1, 3, items.length] : [1]) {
          const rows = await allPages(model, listOf(type, sort, limit))
          demandEqual(`${type} by ${JSON.stringify(sort)}, ${limit} a page`, rows, items)
        }
      }
    }
  },
})
