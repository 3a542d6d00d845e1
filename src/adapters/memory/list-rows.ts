import type { Listing, ListQuery, Views, ViewType } from '../../ports/read-model.js'
import { meetsAll } from '../../projections/condition.js'
import { rowOrder } from '../../projections/row-order.js'
import { type ViewFields, viewFields } from '../../projections/view-fields.js'
import { copyOf, type Kept, rolesOf } from './rows.js'

/** The page of rows that `query` asks for. Looks at the rows of its organization or project alone. */
export const listRows = <Type extends ViewType>(
  kept: Kept,
  query: ListQuery<Type>,
): Listing<Views[Type]> => {
  const fields: ViewFields<Views[Type]> = viewFields[query.type]
  const order = rowOrder(fields, query.sort)
  const found = rowsOf(kept, query).filter(meetsAll(fields, query.conditions))
  const { after } = query
  const following = after === undefined ? found : found.filter((row) => order.isAfter(row, after))
  return {
    items: following.toSorted(order.compare).slice(0, query.limit).map(copyOf),
    hasMore: following.length > query.limit,
    totalSize: found.length,
    sequence: kept.checkpoint,
  }
}

const rowsOf = <Type extends ViewType>(
  { rows }: Kept,
  { type, orgId, projectId }: ListQuery<Type>,
): readonly Views[Type][] => {
  const bucket = projectId === undefined ? orgId : rolesOf(orgId, projectId)
  return [...(rows[type].get(bucket)?.values() ?? [])]
}
