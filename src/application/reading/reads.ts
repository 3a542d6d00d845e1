import { err, ok } from 'neverthrow'
import type * as z from 'zod/mini'
import { type AnyAggregate, aggregates } from '../../domain/aggregates.js'
import type { ListQuery, RefOf, Views, ViewType } from '../../ports/read-model.js'
import { identityField } from '../../projections/view-fields.js'
import type { AdmittedCall } from '../method/context.js'
import { targetOf } from '../method/input.js'
import { type Read, read } from '../method/method.js'
import type { Runtime } from '../runtime.js'
import { requireCheckpoint } from './query.js'

/** The part of an aggregate that `get` needs. */
interface Readable<Type extends ViewType, Ids extends z.ZodMiniType>
  extends Pick<AnyAggregate, 'permissions' | 'target'> {
  readonly type: Type
  readonly ids: Ids
  ref(ids: z.output<Ids>): RefOf<Type>
}

/** Makes the method that reads one object. */
export const get = <Type extends ViewType, Ids extends z.ZodMiniType>(
  runtime: Runtime,
  method: string,
  aggregate: Readable<Type, Ids>,
): Read<z.input<Ids>, Views[Type]> => {
  const { permissions, ids: schema } = aggregate
  const spec = { method, permissions: [permissions.read], schema, target: targetOf(aggregate) }
  return read(runtime, spec, async (call, ids) => {
    const object = aggregate.ref(ids)
    const query = { method: 'get', args: [call.orgId, object] } as const
    const found = await runtime.query<'get', Type>(call, query)
    if (found) return ok(found)
    await requireCheckpoint(runtime, call)
    return err({ kind: 'NotFound', object })
  })
}

/** Rows that are read at once. */
const PAGE_SIZE = 1000

/**
 * All objects of a type in an organization, or all roles or grants of a project, in the order of id or key; read strongly.
 */
export async function* allObjects<Type extends ViewType>(
  { query, environment }: Runtime,
  { signal }: Pick<AdmittedCall, 'signal'>,
  wanted: Pick<ListQuery<Type>, 'type' | 'orgId' | 'projectId'> &
    Partial<Pick<ListQuery<Type>, 'conditions'>>,
): AsyncGenerator<Views[Type]> {
  const { type, orgId } = wanted
  let last: Views[Type] | undefined
  do {
    const after = last && [aggregates[type].key(last, orgId)]
    const page: ListQuery<Type> = {
      conditions: [],
      ...wanted,
      sort: [{ field: identityField[type], direction: 'asc' }],
      limit: PAGE_SIZE,
      ...(after && { after }),
    }
    const { items, hasMore } = await query<'list', Type>(
      { consistency: 'strong', signal },
      { method: 'list', args: [page] },
    )
    yield* items
    await environment.yield()
    last = hasMore ? items.at(-1) : undefined
  } while (last !== undefined)
}
