import type { Views, ViewType } from '../../ports/read-model.js'
import {
  fieldNamed,
  identityField,
  type ViewFields,
  viewFields,
} from '../../projections/rows/view-fields.js'
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
  const identity = identityField[wanted.type]
  const fields: ViewFields<Views[Type]> = viewFields[wanted.type]
  let last: Views[Type] | undefined
  for (;;) {
    const after = last && [fieldNamed(fields, identity).of(last)]
    const { items, hasMore } = await fromPort(() =>
      readModel.list<Type>({
        ...wanted,
        conditions: [],
        sort: [{ field: identity, direction: 'asc' }],
        limit: PAGE_SIZE,
        ...(after && { after }),
      }),
    )
    yield* items
    await yieldToEventLoop()
    last = items.at(-1)
    if (!hasMore || last === undefined) return
  }
}
