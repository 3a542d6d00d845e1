import { LIMITS } from '../../../../../src/adapters/cloudflare/database.js'
import { durableObjectStore } from '../../../../../src/adapters/cloudflare/index.js'
import { listStatements } from '../../../../../src/adapters/sql/read-model/lists.js'
import { sqliteDialect } from '../../../../../src/adapters/sql/sqlite/dialect.js'
import { fieldOf } from '../../../../../src/domain/values.js'
import { memoryReadModel } from '../../../../../src/index.js'
import { demandEqual } from '../../../../../src/laws/law.js'
import {
  allPages,
  byIdentity,
  listOf,
  manyLog,
  sortFields,
  sortValue,
  TYPES,
} from '../../../../../src/laws/read-model/samples.js'
import type { ListQuery, ReadModel, Views, ViewType } from '../../../../../src/ports/read-model.js'
import { filterableFields } from '../../../../../src/projections/rows.js'
import type { Scenario } from './scenario.js'

/** A list of a type by all its fields, the identity last. */
const byAll = <Type extends ViewType>(type: Type): ListQuery<Type> => {
  const identity = byIdentity(type)
  const fields = sortFields(type).filter((field) => field !== identity.field)
  return listOf(
    type,
    [...fields.map((field) => ({ field, direction: 'asc' as const })), identity],
    3,
  )
}

/** The list of the rows like `row`, by every operator on every field, from `row` on. */
const like = <Type extends ViewType>(
  type: Type,
  row: Views[Type],
  ignoreCase: boolean,
): ListQuery<Type> => {
  const query = byAll(type)
  const conditions = filterableFields(type).flatMap((field) => {
    // An absent text is found as an empty one.
    const value = `${fieldOf(row, field) ?? ''}`
    return (['equals', 'startsWith', 'contains'] as const).map((operator) => ({
      field,
      operator,
      value,
      ignoreCase,
    }))
  })
  return { ...query, conditions }
}

const compare = async <Type extends ViewType>(
  type: Type,
  [found, expected]: readonly [ReadModel, ReadModel],
) => {
  const rows = await allPages(expected, byAll(type))
  demandEqual('all pages', await allPages(found, byAll(type)), rows)
  const [first] = rows
  if (first === undefined) return undefined
  const answers: { found: number; parameters: number }[] = []
  for (const ignoreCase of [true, false]) {
    const query = like(type, first, ignoreCase)
    const list = await expected.list(query)
    demandEqual('the list', await found.list(query), list)
    const after = query.sort.map(({ field }) => sortValue(type, field, first))
    const next = { ...query, after }
    demandEqual('the page after', await found.list(next), await expected.list(next))
    const { parameters } = listStatements(sqliteDialect(LIMITS), next).page
    answers.push({ found: list.items.length, parameters: parameters.length })
  }
  return answers
}

/** Lists by every condition and order at once answer as those of a read model in memory do. */
export const largestLists: Scenario = async ({ storage }) => {
  const models = [durableObjectStore(storage).readModel, memoryReadModel()] as const
  const { events } = manyLog()
  for (const model of models) await model.apply(0n, events)
  const compared = await Promise.all(TYPES.map((type) => compare(type, models)))
  return Object.fromEntries(TYPES.map((type, index) => [type, compared[index]]))
}
