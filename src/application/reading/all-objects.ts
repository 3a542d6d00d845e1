import { kinds } from '../../domain/kinds.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import { identityField } from '../../projections/rows/view-fields.js'
import { fromPort } from '../errors/fault.js'
import type { Runtime } from '../runtime.js'
import { yieldToEventLoop } from '../waiting/yield-to-event-loop.js'

/** Rows that are read at once. */
const PAGE_SIZE = 1000

/** All objects of a type in an organization, or all roles of a project, in the order of id or key. */
export async function* allObjects<Type extends ViewType>(
  { readModel }: Runtime,
  wanted: { readonly type: Type; readonly orgId: string; readonly projectId?: string },
): AsyncGenerator<Views[Type]> {
  const { type, orgId } = wanted
  let last: Views[Type] | undefined
  do {
    const after = last && [kinds[type].key(last, orgId)]
    const { items, hasMore } = await fromPort(() =>
      readModel.list<Type>({
        ...wanted,
        conditions: [],
        sort: [{ field: identityField[type], direction: 'asc' }],
        limit: PAGE_SIZE,
        ...(after && { after }),
      }),
    )
    yield* items
    await yieldToEventLoop()
    last = hasMore ? items.at(-1) : undefined
  } while (last !== undefined)
}
