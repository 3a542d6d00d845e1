import type { SortKey, Views, ViewType } from '../../../ports/read-model.js'
import { compareCodePoints } from '../../../projections/rows/code-point-order.js'
import { demandEqual } from '../../law.js'
import { fedWith, type ReadModelLaw } from '../law.js'
import { allPages, DIRECTIONS, listOf, manyLog } from '../samples/lists.js'
import { byIdentity, SAMPLES, sortValue, TYPES } from '../samples/samples.js'

const byFields = (type: ViewType): readonly (readonly SortKey[])[] =>
  Object.keys(SAMPLES[type].sortFields).flatMap((field) =>
    DIRECTIONS.flatMap((direction) =>
      DIRECTIONS.map((last) => [
        { field, direction },
        ...(field === SAMPLES[type].identity ? [] : [{ ...byIdentity(type), direction: last }]),
      ]),
    ),
  )

const BY_SEVERAL: readonly SortKey[] = [
  { field: 'state', direction: 'desc' },
  { field: 'projectRoleCheck', direction: 'desc' },
  { field: 'name', direction: 'asc' },
  { field: 'id', direction: 'desc' },
]

const orders = (type: ViewType) => [...byFields(type), ...(type === 'project' ? [BY_SEVERAL] : [])]

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

/** Neighbours of which the second should come first. */
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
export const orderLaws: readonly ReadModelLaw[] = [
  {
    name: 'Rows come in the order asked for: by any field, in either direction, one after the other.',
    check: async (home) => {
      const model = await fedWith(home, manyLog())
      for (const type of TYPES) {
        for (const sort of orders(type)) {
          const { items } = await model.list(listOf(type, sort))
          demandEqual(`rows of ${type}`, items.length, 10)
          demandEqual(`${type} by ${JSON.stringify(sort)}`, wrongPairs(type, sort, items), [])
        }
      }
    },
  },
  {
    name: 'Pages follow each other without a gap or a repetition, in any order.',
    check: async (home) => {
      const model = await fedWith(home, manyLog())
      for (const type of TYPES) {
        for (const sort of orders(type)) {
          const { items } = await model.list(listOf(type, sort))
          for (const limit of [1, 3, items.length]) {
            const rows = await allPages(model, listOf(type, sort, limit))
            demandEqual(`${type} by ${JSON.stringify(sort)}, ${limit} a page`, rows, items)
          }
        }
      }
    },
  },
]
