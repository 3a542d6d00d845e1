import { err, ok, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import type { AnyKind } from '../../domain/kinds.js'
import type { Position } from '../../ports/event-store.js'
import type { Listing, ListQuery, Views, ViewType } from '../../ports/read-model.js'
import { fieldNamed, type ViewFields, viewFields } from '../../projections/rows/view-fields.js'
import { type IamError, invalid } from '../errors/errors.js'
import { fromPort } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import { type Read, read } from '../method/method.js'
import { targetOf } from '../method/target.js'
import type { Runtime } from '../runtime.js'
import { conditionsOf, type ListInput, totalOrder } from './list-input.js'
import { type ListWithoutPage, readPageToken, writePageToken } from './page-token.js'
import { requireFed } from './require-fed.js'

/** A page of objects. */
export interface Page<Row> {
  /** In the order asked for. */
  readonly items: readonly Row[]
  /** Asks for the page after this one; absent on the last. */
  readonly nextPageToken?: string
  /** Objects that meet the filter, on all pages together. */
  readonly totalSize: number
  /** Position up to which the list is true. */
  readonly sequence: Position
}

/** What a kind says about lists of its objects. */
interface Listable<Type extends ViewType>
  extends Pick<AnyKind, 'container' | 'permissions' | 'target'> {
  readonly type: Type
}

/** A list's name, its kind, and the schema of its input. */
interface List<Type extends ViewType, Schema extends z.ZodMiniType> {
  readonly method: string
  readonly kind: Listable<Type>
  readonly schema: Schema
}

/** The method that lists the objects of an organization, or those in a project that exists. */
export const list = <Type extends ViewType, Schema extends z.ZodMiniType<ListInput>>(
  runtime: Runtime,
  { method, kind, schema }: List<Type, Schema>,
): Read<z.input<Schema>, Page<Views[Type]>> => {
  const { type, container, permissions } = kind
  const spec = { method, permissions: [permissions.read], schema }
  const pageOf = (call: AdmittedCall, input: ListInput) => readPage(runtime, call, { type, input })
  if (!container) return read(runtime, spec, pageOf)
  return read(runtime, { ...spec, target: targetOf(kind) }, async (call, input) => {
    const object = container.ref(input)
    for (let wasThere = false; ; wasThere = true) {
      const page = await pageOf(call, input)
      if (page.isErr()) return page
      const found = await fromPort(() => runtime.readModel.get(call.orgId, object))
      if (!found) return err({ kind: 'NotFound', object })
      // Its id stays taken: one that was there before the rows were read and after, was there then.
      if (wasThere || found.details.sequence <= page.value.sequence) return page
    }
  })
}

const readPage = async <Type extends ViewType>(
  runtime: Runtime,
  call: AdmittedCall,
  { type, input }: { readonly type: Type; readonly input: ListInput },
): Promise<Result<Page<Views[Type]>, IamError>> => {
  const { filter, sort, projectId, pageSize, pageToken } = input
  const query = {
    type,
    orgId: call.orgId,
    conditions: conditionsOf(filter),
    sort: totalOrder(type, sort),
    ...(projectId !== undefined && { projectId }),
  }
  const after = pageToken === undefined ? [] : await readPageToken(query, pageToken)
  if (!after) return err(invalid('pageToken', 'is not of this organization, filter and order'))

  const paged: ListQuery<Type> = {
    ...query,
    limit: pageSize,
    ...(pageToken !== undefined && { after }),
  }
  const listing = await runtime.fresh.list(call, paged)
  if (listing.sequence === 0n) await requireFed(runtime, call)
  return ok(await pageAt(query, listing))
}

const pageAt = async <Type extends ViewType>(
  query: ListWithoutPage & { readonly type: Type },
  { items, hasMore, totalSize, sequence }: Listing<Views[Type]>,
): Promise<Page<Views[Type]>> => {
  const last = items.at(-1)
  if (!last || !hasMore) return { items, totalSize, sequence }
  const fields: ViewFields<Views[Type]> = viewFields[query.type]
  const place = query.sort.map(({ field }) => fieldNamed(fields, field).of(last))
  return { items, nextPageToken: await writePageToken(query, place), totalSize, sequence }
}
