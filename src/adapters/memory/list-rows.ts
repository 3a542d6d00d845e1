import type { Listing, ListQuery, Views, ViewType } from '../../ports/read-model.js'
import { meetsAll } from '../../projections/rows/condition.js'
import { listedScope } from '../../projections/rows/row-key.js'
import { rowOrder } from '../../projections/rows/row-order.js'
import { type ViewFields, viewFields } from '../../projections/rows/view-fields.js'
import { copyOf, type State } from './rows.js'

/** The page of rows that `query` asks for. Reads the rows of its organization or project alone. */
export const listRows = <Type extends ViewType>(
  state: State,
  query: ListQuery<Type>,
): Listing<Views[Type]> => {
  const fields: ViewFields<Views[Type]> = viewFields[query.type]
  const rows = [...(state.rows[query.type].get(listedScope(query))?.values() ?? [])]
  const order = rowOrder(fields, query.sort)
  const found = rows.filter(meetsAll(fields, query.conditions))
  const { after } = query
  const following = after === undefined ? found : found.filter((row) => order.isAfter(row, after))
  return {
    items: following.toSorted(order.compare).slice(0, query.limit).map(copyOf),
    hasMore: following.length > query.limit,
    totalSize: found.length,
    sequence: state.checkpoint,
  }
}
