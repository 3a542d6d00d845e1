import { err, ok, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import type { AnyKind } from '../../domain/kinds.js'
import type { Position } from '../../ports/event-store.js'
import type { ListQuery, Views, ViewType } from '../../ports/read-model.js'
import {
  fieldNamed,
  identityField,
  type ViewFields,
  viewFields,
} from '../../projections/rows/view-fields.js'
import { type IamError, invalid } from '../errors/errors.js'
import { fromPort } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import { type Read, read } from '../method/method.js'
import { targetOf } from '../method/target.js'
import type { Runtime } from '../runtime.js'
import { conditionsOf, type ListInput, totalOrder } from './list-input.js'
import { readPageToken, writePageToken } from './page-token.js'
import { requireFed } from './require-fed.js'

/** A page of objects. */
export interface Page<Row> {
  /** In the order of `sort`. */
  readonly items: readonly Row[]
  /** `pageToken` of the next page; absent on the last. */
  readonly nextPageToken?: string
  /** Number of objects that meet the filter, on all pages. */
  readonly totalSize: number
  /** Position of the last event that the list takes into account. */
  readonly sequence: Position
}

/** What `list` needs of a kind. */
interface Listable<Type extends ViewType>
  extends Pick<AnyKind, 'container' | 'permissions' | 'target'> {
  readonly type: Type
}

interface ListSpec<Type extends ViewType, Schema extends z.ZodMiniType> {
  readonly method: string
  readonly kind: Listable<Type>
  readonly schema: Schema
}

/** Makes the method that lists the objects of a kind: of an organization, or of a container that exists. */
export const list = <Type extends ViewType, Schema extends z.ZodMiniType<ListInput>>(
  runtime: Runtime,
  { method, kind, schema }: ListSpec<Type, Schema>,
): Read<z.input<Schema>, Page<Views[Type]>> => {
  const { type, container, permissions } = kind
  const spec = { method, permissions: [permissions.read], schema }
  const pageOf = (call: AdmittedCall, input: ListInput) => readPage(runtime, call, { type, input })
  if (!container) return read(runtime, spec, pageOf)
  return read(runtime, { ...spec, target: targetOf(kind) }, async (call, input) => {
    const object = container.ref(input)
    for (let existed = false; ; existed = true) {
      const page = await pageOf(call, input)
      if (page.isErr()) return page
      const found = await fromPort(() => runtime.readModel.get(call.orgId, object))
      if (!found) return err({ kind: 'NotFound', object })
      // Removed ids stay taken, so a container that exists before and after the list was read existed then.
      if (existed || found.details.sequence <= page.value.sequence) return page
    }
  })
}

/** Makes the method that lists the objects of a kind that the organization has received from others. */
export const listReceived = <Schema extends z.ZodMiniType<ListInput>>(
  runtime: Runtime,
  { method, kind, schema }: ListSpec<'project_grant', Schema>,
): Read<z.input<Schema>, Page<Views['project_grant']>> =>
  read(runtime, { method, permissions: [kind.permissions.read], schema }, (call, input) =>
    readPage(runtime, call, { type: kind.type, input, isReceived: true }),
  )

interface Wanted<Type extends ViewType> {
  readonly type: Type
  readonly input: ListInput
  readonly isReceived?: true
}

/** What distinguishes the grants that one organization has received. */
const RECEIVED = ['projectOrgId', 'projectId']

const readPage = async <Type extends ViewType>(
  runtime: Runtime,
  call: AdmittedCall,
  { type, input, isReceived }: Wanted<Type>,
): Promise<Result<Page<Views[Type]>, IamError>> => {
  const { filter, sort, projectId, pageSize, pageToken } = input
  const query = {
    type,
    orgId: call.orgId,
    conditions: conditionsOf(filter),
    sort: totalOrder(isReceived ? RECEIVED : [identityField[type]], sort),
    ...(projectId !== undefined && { projectId }),
    ...(isReceived && { isReceived }),
  }
  const after = pageToken === undefined ? [] : await readPageToken(query, pageToken)
  if (!after) return err(invalid('pageToken', 'is not of this organization, filter and order'))

  const paged: ListQuery<Type> = {
    ...query,
    limit: pageSize,
    ...(pageToken !== undefined && { after }),
  }
  const { items, hasMore, totalSize, sequence } = await runtime.fresh.list(call, paged)
  if (sequence === 0n) await requireFed(runtime, call)
  const last = hasMore ? items.at(-1) : undefined
  if (!last) return ok({ items, totalSize, sequence })
  const fields: ViewFields<Views[Type]> = viewFields[type]
  const values = query.sort.map(({ field }) => fieldNamed(fields, field).of(last))
  return ok({ items, nextPageToken: await writePageToken(query, values), totalSize, sequence })
}
