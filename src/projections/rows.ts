import { filterableText, inProject, type ShownField, sortableText } from '../domain/aggregate.js'
import { aggregates, byType } from '../domain/aggregates.js'
import { identityProviders } from '../domain/identity-provider/aggregate.js'
import { projects } from '../domain/project/aggregate.js'
import { splitResource, withResource } from '../domain/resource-path.js'
import type { ObjectRef } from '../domain/values.js'
import type { FoundProject } from '../ports/access-reads.js'
import {
  type Listing,
  type ListQuery,
  MAX_TOTAL_SIZE,
  type SortValue,
  type Views,
  type ViewType,
} from '../ports/read-model.js'

/** Key of the row of an object; the rows of one scope are listed together. */
export interface RowKey {
  /** The organization, or the {@link projectScope} of a project. */
  readonly scope: string
  /** The object's own id or key; unique in its scope. */
  readonly key: string
}

/** The last {@link projectScope}. */
let last = { orgId: '', projectId: '', scope: '+' }

/** The scope of the objects in a project. Ids have no `+`, so it differs from the scope of every organization. */
export const projectScope = (orgId: string, projectId: string): string => {
  // Roles often come in batches, and a new text is hashed again at each lookup: 0.2 µs for each event.
  if (projectId !== last.projectId || orgId !== last.orgId)
    last = { orgId, projectId, scope: `${orgId}+${projectId}` }
  return last.scope
}

/** The scope of a project, or of a resource of it, as keys of grants begin. */
export const placeScope = (
  orgId: string,
  projectId: string,
  resource: string | undefined,
): string => projectScope(orgId, withResource(projectId, resource))

/** The project of a {@link projectScope}, and the resource of a {@link placeScope}. */
export const projectOf = (
  scope: string,
): {
  readonly projectOrgId: string
  readonly projectId: string
  readonly resource?: string
} => {
  const plus = scope.indexOf('+')
  if (plus < 0) throw new Error(`${scope} is the scope of no project`)
  return { projectOrgId: scope.slice(0, plus), ...splitResource(scope.slice(plus + 1)) }
}

/** The organization of `scope`. */
export const ownerOf = (scope: string): string => {
  const plus = scope.indexOf('+')
  return plus < 0 ? scope : scope.slice(0, plus)
}

/** The scope that a list reads: of an organization's objects, or of the objects in a project. */
export const listedScope = ({
  type,
  orgId,
  projectId,
}: Pick<ListQuery<ViewType>, 'type' | 'orgId' | 'projectId'>): string => {
  if (!aggregates[type].container) return orgId
  if (projectId === undefined) throw new RangeError(`A list of ${type} needs a projectId`)
  return projectScope(orgId, projectId)
}

/** The container of an object; undefined if it is the organization. */
export const containerOf = (ref: ObjectRef): ObjectRef | undefined =>
  aggregates[ref.type].container?.ref(ref)

/**
 * The objects of the organization `orgId` whose removal removes that of `ref` without an event of its own: its project,
 * unless another organization owns it, and its provider.
 */
export const wholesOf = (orgId: string, ref: ObjectRef): readonly ObjectRef[] => {
  const isOwn = 'projectOrgId' in ref ? (ref.projectOrgId ?? orgId) === orgId : true
  return [
    ...('projectId' in ref && isOwn ? [inProject.ref(ref)] : []),
    ...(aggregates[ref.type].within?.includes('identity_provider') && 'idpId' in ref
      ? [aggregates.identity_provider.ref(ref)]
      : []),
  ]
}

/** The types of the events that remove one of {@link wholesOf}. */
export const WHOLE_REMOVALS: readonly string[] = [projects.removes, identityProviders.removes]

/** The total of a list in which `counted` rows were counted; one more than {@link MAX_TOTAL_SIZE} is enough. */
export const cappedTotal = (
  counted: number,
): Pick<Listing<never>, 'totalSize' | 'totalSizeCapped'> =>
  counted > MAX_TOTAL_SIZE
    ? { totalSize: MAX_TOTAL_SIZE, totalSizeCapped: true }
    : { totalSize: counted }

/** The row key of the object that `ref` names within the organization. */
export const rowKeyOf = (orgId: string, ref: ObjectRef): RowKey => {
  const container = containerOf(ref)
  return {
    scope: container
      ? projectScope(orgId, aggregates[container.type].key(container, orgId))
      : orgId,
    key: aggregates[ref.type].key(ref, orgId),
  }
}

/** A field that rows are ordered by. */
export interface ViewField<Row> {
  /** The `typeof` of its values. */
  readonly holds: ShownField['holds'] | 'bigint'
  readonly filterable?: true
  /** Reads it. Dates are in milliseconds. */
  readonly of: (row: Row) => SortValue
}

/** The sortable fields of one type of object, by their names. */
export type ViewFields<Row> = Readonly<Record<string, ViewField<Row>>>

type Row = Views[ViewType]

/** Fields of every type of object, in this order after its own. */
export const COMMON_FIELDS = {
  state: { ...filterableText, of: ({ state }) => state },
  sequence: { holds: 'bigint', of: ({ details }) => details.sequence },
  creationDate: { holds: 'bigint', of: ({ details }) => BigInt(details.creationDate.getTime()) },
  changeDate: { holds: 'bigint', of: ({ details }) => BigInt(details.changeDate.getTime()) },
} satisfies ViewFields<Row>

/**
 * The field that is unique among the objects of one list, and the last one of every order. Objects that several ids
 * name have the field `key`, which is not shown.
 */
export const identityField: Readonly<Record<ViewType, string>> = byType(({ ids, container }) => {
  const names = Object.keys(ids.shape)
  const last = names.at(-1)
  if (last === undefined) throw new Error('An object has an id or a key')
  return names.length > (container ? 2 : 1) ? 'key' : last
})

/** The fields that lists can be filtered and sorted by. */
export const viewFields: Readonly<Record<ViewType, ViewFields<Row>>> = byType(
  ({ type, fields, key }) => {
    const keyFields =
      identityField[type] === 'key'
        ? { key: { ...sortableText, of: (row: Row) => key(row, row.details.resourceOwner) } }
        : {}
    const own = Object.entries(fields).flatMap(([name, field]) =>
      field.sortable
        ? [[name, { ...field, of: (row: Row): SortValue => Reflect.get(row, name) ?? '' }] as const]
        : [],
    )
    return { ...Object.fromEntries(own), ...keyFields, ...COMMON_FIELDS }
  },
)

/** Names of the fields that lists can be filtered by. */
export const filterableFields = (type: ViewType): readonly string[] =>
  Object.keys(viewFields[type]).filter((name) => viewFields[type][name]?.filterable)

/** The field of that name. @throws RangeError for an unknown field, because input is checked before */
export const fieldNamed = <Row>(fields: ViewFields<Row>, name: string): ViewField<Row> => {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (field === undefined)
    throw new RangeError(`Unknown field ${name}: it cannot be filtered or sorted by`)
  return field
}

/** The fields of a project's row that decide about access. */
export const foundProject = (row: FoundProject): FoundProject => ({
  name: row.name,
  projectRoleAssertion: row.projectRoleAssertion,
  projectRoleCheck: row.projectRoleCheck,
  hasProjectCheck: row.hasProjectCheck,
  privateLabelingSetting: row.privateLabelingSetting,
  state: row.state,
})

/** The value under `key`; made and added if it is missing. */
export const getOrAdd = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
