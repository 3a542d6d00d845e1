import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { type AnyAggregate, recordOf } from '../../domain/aggregates.js'
import { type ProjectGrant, projectGrants } from '../../domain/project-grant/aggregate.js'
import { choice, listOf, text } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type {
  Condition,
  ListQuery,
  RefOf,
  SortKey,
  SortValue,
  Views,
  ViewType,
} from '../../ports/read-model.js'
import { fieldNamed, identityField, type ViewFields, viewFields } from '../../projections/rows.js'
import type { ReadError } from '../errors/errors.js'
import type { AdmittedCall } from '../method/context.js'
import { pageSize, targetOf } from '../method/input.js'
import { type Read, read } from '../method/method.js'
import type { Runtime } from '../runtime.js'
import { pageToken, readPage } from './pages.js'
import { requireCheckpoint } from './query.js'

/** A page of objects. */
export interface Page<Row> {
  /** In the order of `sort`. */
  readonly items: readonly Row[]
  /** `pageToken` of the next page; absent on the last. */
  readonly nextPageToken?: string
  /** Number of objects on all pages that match the filter: exact up to 10,000, where counting stops. */
  readonly totalSize: number
  /** True if there are more than `totalSize` objects; absent otherwise. */
  readonly totalSizeCapped?: true
  /** Position of the last event that the list includes. */
  readonly sequence: Position
}

/** Conditions on a grant or a mapping of roles. */
export interface GrantFilter {
  /** Condition on the `id` of the project. */
  readonly projectId?: TextFilter | undefined
  /** Condition on the organization that owns the project. */
  readonly projectOrgId?: TextFilter | undefined
  /** Condition on the key of one of the roles. */
  readonly roleKey?: TextFilter | undefined
}

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

/** The part of an aggregate that `list` needs. */
interface Listable<Type extends ViewType>
  extends Pick<AnyAggregate, 'container' | 'permissions' | 'target'> {
  readonly type: Type
}

/** Makes the method that lists the objects of a type, of an organization or of an existing container. */
export const list = <Type extends ViewType, Schema extends z.ZodMiniType<ListInput>>(
  runtime: Runtime,
  method: string,
  aggregate: Listable<Type>,
  schema: Schema,
): Read<z.input<Schema>, Page<Views[Type]>> => {
  const { type, container, permissions } = aggregate
  const spec = { method, permissions: [permissions.read], schema }
  const pageOf = (call: AdmittedCall, input: ListInput) => listPage(runtime, call, { type, input })
  if (!container) return read(runtime, spec, pageOf)
  return read(runtime, { ...spec, target: targetOf(aggregate) }, async (call, input) => {
    const object = container.ref(input)
    for (let existed = false; ; existed = true) {
      const page = await pageOf(call, input)
      if (page.isErr()) return page
      const found = await runtime.query(call, { method: 'get', args: [call.orgId, object] })
      if (!found) return err({ kind: 'NotFound', object })
      // Removed ids stay taken, so a container that exists before and after the list is read existed meanwhile too.
      if (existed || found.details.sequence <= page.value.sequence) return page
    }
  })
}

/** Makes the method that lists the grants of projects that the organization has received from others. */
export const listReceived = <Schema extends z.ZodMiniType<ListInput>>(
  runtime: Runtime,
  method: string,
  schema: Schema,
): Read<z.input<Schema>, Page<ProjectGrant>> => {
  const { type, permissions } = projectGrants
  return read(runtime, { method, permissions: [permissions.read], schema }, async (call, input) => {
    const listed = await listPage(runtime, call, { type, input, isReceived: true })
    // The receiver does not see how the owner manages its grants.
    const withoutProtector = ({ protectedBy: _, ...grant }: ProjectGrant) => grant
    return listed.map((page) => ({ ...page, items: page.items.map(withoutProtector) }))
  })
}

interface Wanted<Type extends ViewType> {
  readonly type: Type
  readonly input: ListInput
  readonly isReceived?: true
}

/** The fields that distinguish the grants that one organization has received. */
const RECEIVED = ['projectOrgId', 'projectId']

const listPage = <Type extends ViewType>(
  runtime: Runtime,
  call: AdmittedCall,
  { type, input, isReceived }: Wanted<Type>,
): Promise<Result<Page<Views[Type]>, ReadError>> => {
  const { filter = {}, projectId, pageSize, pageToken } = input
  const { orgId } = call
  const conditions = conditionsOf(filter)
  const sort = totalOrder(isReceived ? RECEIVED : [identityField[type]], input.sort)
  const fields: ViewFields<Views[Type]> = viewFields[type]
  const order = sort.map(({ field }) => fieldNamed(fields, field))
  return readPage({
    token: pageToken,
    query: [type, orgId, projectId ?? null, conditions, sort],
    isKey: (values): values is readonly SortValue[] =>
      values.length === order.length &&
      order.every(({ holds }, index) => typeof values[index] === holds),
    keyOf: (row: Views[Type]) => order.map(({ of }) => of(row)),
    read: async (after) => {
      const query: ListQuery<Type> = {
        type,
        orgId,
        conditions,
        sort,
        limit: pageSize,
        ...(projectId !== undefined && { projectId }),
        ...(isReceived && { isReceived }),
        ...(after && { after }),
      }
      const found = await runtime.query<'list', Type>(call, { method: 'list', args: [query] })
      if (found.sequence === 0n) await requireCheckpoint(runtime, call)
      return found
    },
  })
}

/** Names of the fields that lists can filter or sort by. */
type NamesOf<Fields, Use extends 'filterable' | 'sortable'> = {
  [Name in keyof Fields]: Fields[Name] extends Readonly<Record<Use, true>> ? Name : never
}[keyof Fields] &
  string

const namesOf = <Fields extends AnyAggregate['fields'], Use extends 'filterable' | 'sortable'>(
  fields: Fields,
  use: Use,
) =>
  // Cast: `Object.keys` returns plain strings.
  Object.keys(fields).filter((name) => fields[name]?.[use]) as NamesOf<Fields, Use>[]

const COMMON_FIELDS = ['state', 'sequence', 'creationDate', 'changeDate'] as const

/** The fields of the input of a list: which objects of a type, in which order, and which page. */
export const listFields = <
  Fields extends AnyAggregate['fields'],
  const States extends readonly string[],
>({
  fields,
  states,
}: {
  readonly fields: Fields
  readonly states: States
}) => {
  const filter = z.strictObject({
    ...recordOf(namesOf(fields, 'filterable'), () => z.optional(TextFilter)),
    state: z.optional(choice(states)),
  })
  const names = [...namesOf(fields, 'sortable'), ...COMMON_FIELDS]
  const direction = z._default(choice(['asc', 'desc']), 'asc')
  const sort = listOf(z.strictObject({ field: choice(names), direction }), 0, names.length).check(
    z.refine((keys) => new Set(keys.map(({ field }) => field)).size === keys.length, {
      error: 'must not name a field twice',
    }),
  )
  return { filter: z.optional(filter), sort: z._default(sort, []), pageSize, pageToken }
}

/** The parsed input of a list of objects of any type. */
export interface ListInput {
  readonly filter?: Filter | undefined
  readonly sort: readonly SortKey[]
  readonly pageSize: number
  readonly pageToken?: string | undefined
  readonly projectId?: string
}

type Filter = Readonly<Record<string, z.output<typeof TextFilter> | string | undefined>>

export const conditionsOf = (filter: Filter): readonly Condition[] =>
  Object.entries(filter).flatMap(([field, wanted]): readonly Condition[] => {
    if (wanted === undefined) return []
    if (typeof wanted === 'string')
      return [{ field, operator: 'equals', value: wanted, ignoreCase: false }]
    const { ignoreCase } = wanted
    return OPERATORS.flatMap((operator) => {
      const value = wanted[operator]
      return value === undefined ? [] : [{ field, operator, value, ignoreCase }]
    })
  })

/** `sort` as a total order: it ends with the fields of `identity`, which are unique together. */
export const totalOrder = (
  identity: readonly string[],
  sort: readonly SortKey[],
): readonly SortKey[] => {
  const named = new Set(sort.map(({ field }) => field))
  const missing = identity.filter((field) => !named.has(field))
  // Fields after a unique field would decide nothing.
  const end = identity.length === 1 ? sort.findIndex(({ field }) => field === identity[0]) : -1
  const decisive = end < 0 ? sort : sort.slice(0, end + 1)
  return [...decisive, ...missing.map((field) => ({ field, direction: 'asc' as const }))]
}

/** How a text is compared. */
export const OPERATORS = ['equals', 'startsWith', 'contains'] as const

/** Conditions on the text of one field. At least one must be given, and all given ones must hold. */
export const TextFilter = z
  .strictObject({
    equals: z.optional(text),
    startsWith: z.optional(text),
    contains: z.optional(text),
    ignoreCase: z._default(z.boolean({ error: 'must be true or false' }), false),
  })
  .check(
    z.refine((filter) => OPERATORS.some((operator) => filter[operator] !== undefined), {
      error: `must have at least one of ${OPERATORS.join(', ')}`,
    }),
  )
export interface TextFilter {
  /** The whole text: at most 200 characters (code points). */
  readonly equals?: string | undefined
  /** The beginning of the text: at most 200 characters (code points). */
  readonly startsWith?: string | undefined
  /** A part of the text: at most 200 characters (code points). */
  readonly contains?: string | undefined
  /** Ignores case, by the rules of Unicode and not of a language. Default: false. */
  readonly ignoreCase?: boolean | undefined
}

/** The order and the page of a list of `Row`s. */
export interface ListOptions<Row> {
  /**
   * Fields to sort by, each at most once. Ties are sorted by the object's own id or key. Default: only by id or key.
   */
  readonly sort?:
    | readonly {
        /** A field of the object; `sequence`, `creationDate` and `changeDate` are fields of `details`. */
        readonly field:
          | {
              [Field in Exclude<keyof Row, 'protectedBy'>]-?: NonNullable<Row[Field]> extends
                | string
                | boolean
                ? Field
                : never
            }[Exclude<keyof Row, 'protectedBy'>]
          | 'sequence'
          | 'creationDate'
          | 'changeDate'
        /** Ascending or descending. Default: `asc`. */
        readonly direction?: 'asc' | 'desc' | undefined
      }[]
    | undefined
  /** 1 to 1,000 objects. Default: 100. */
  readonly pageSize?: number | undefined
  /**
   * `nextPageToken` of the page before, from a list of the same organization with the same filter and order. Default:
   * the first page.
   */
  readonly pageToken?: string | undefined
}
