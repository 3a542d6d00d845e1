import * as z from 'zod/mini'
import { identityProviders } from '../../domain/identity-provider/kind.js'
import type { AnyKind } from '../../domain/kinds.js'
import { recordOf } from '../../domain/kinds.js'
import { projects } from '../../domain/project/kind.js'
import { projectRoles } from '../../domain/project-role/kind.js'
import { choice, listOf, ProjectId, text } from '../../domain/values.js'
import type { Condition, SortKey, ViewType } from '../../ports/read-model.js'
import { identityField } from '../../projections/rows/view-fields.js'
import { pageSize } from '../method/bounds.js'
import type { GivenPage, TextFilter as Text } from './given-list.js'

const OPERATORS = ['equals', 'startsWith', 'contains'] as const

const TextFilter = z
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

const textFilter = z.optional(TextFilter)

const state = z.optional(choice(['active', 'inactive']))

const COMMON_FIELDS = ['state', 'sequence', 'creationDate', 'changeDate'] as const

const page = {
  pageSize,
  pageToken: z.optional(
    z.string({ error: 'must be text' }).check(z.maxLength(16_384, { error: 'is too long' })),
  ),
}

/** Names of the fields of a kind that lists can be filtered or sorted by. */
type NamesOf<Fields, Use extends 'filterable' | 'sortable'> = {
  [Name in keyof Fields]: Fields[Name] extends Readonly<Record<Use, true>> ? Name : never
}[keyof Fields] &
  string

/** `Object.keys` forgets which names there are. */
const namesOf = <Fields extends AnyKind['fields'], Use extends 'filterable' | 'sortable'>(
  fields: Fields,
  use: Use,
) => Object.keys(fields).filter((name) => fields[name]?.[use]) as NamesOf<Fields, Use>[]

const filtersOf = <Fields extends AnyKind['fields']>({ fields }: { readonly fields: Fields }) =>
  recordOf(namesOf(fields, 'filterable'), () => textFilter)

const sortBy = <Fields extends AnyKind['fields']>({ fields }: { readonly fields: Fields }) => {
  const names = [...namesOf(fields, 'sortable'), ...COMMON_FIELDS]
  return z._default(
    listOf(
      z.strictObject({
        field: choice(names),
        direction: z._default(choice(['asc', 'desc']), 'asc'),
      }),
      0,
      names.length,
    ).check(
      z.refine((keys) => new Set(keys.map(({ field }) => field)).size === keys.length, {
        error: 'must not name a field twice',
      }),
    ),
    [],
  )
}

/** Which identity providers to list, in which order. */
export const ListIdentityProvidersInput = z.strictObject({
  filter: z._default(z.strictObject({ ...filtersOf(identityProviders), state }), {}),
  sort: sortBy(identityProviders),
  ...page,
})
export interface ListIdentityProvidersInput extends GivenPage {
  /** Conditions, all of which must hold; every provider of the organization when absent. */
  readonly filter?:
    | {
        /** On the id. */
        readonly idpId?: Text | undefined
        /** On the name. */
        readonly name?: Text | undefined
        /** On the client id. */
        readonly clientId?: Text | undefined
        /** On the issuer. */
        readonly issuer?: Text | undefined
        /** In this state; in either when absent. */
        readonly state?: 'active' | 'inactive' | undefined
      }
    | undefined
  /** Fields to order by, no field twice; `idpId` decides last, and alone when absent. */
  readonly sort?:
    | readonly {
        /** `sequence`, `creationDate` and `changeDate` stand for those of `details`. */
        readonly field:
          | 'idpId'
          | 'name'
          | 'stylingType'
          | 'clientId'
          | 'issuer'
          | 'displayNameMapping'
          | 'usernameMapping'
          | 'autoRegister'
          | 'state'
          | 'sequence'
          | 'creationDate'
          | 'changeDate'
        /** Least first, or greatest first; `asc` when absent. */
        readonly direction?: 'asc' | 'desc' | undefined
      }[]
    | undefined
}

/** Which projects to list, in which order. */
export const ListProjectsInput = z.strictObject({
  filter: z._default(z.strictObject({ ...filtersOf(projects), state }), {}),
  sort: sortBy(projects),
  ...page,
})
export interface ListProjectsInput extends GivenPage {
  /** Conditions, all of which must hold; every project of the organization when absent. */
  readonly filter?:
    | {
        /** On the id. */
        readonly id?: Text | undefined
        /** On the name. */
        readonly name?: Text | undefined
        /** In this state; in either when absent. */
        readonly state?: 'active' | 'inactive' | undefined
      }
    | undefined
  /** Fields to order by, no field twice; `id` decides last, and alone when absent. */
  readonly sort?:
    | readonly {
        /** `sequence`, `creationDate` and `changeDate` stand for those of `details`. */
        readonly field:
          | 'id'
          | 'name'
          | 'projectRoleAssertion'
          | 'projectRoleCheck'
          | 'hasProjectCheck'
          | 'privateLabelingSetting'
          | 'state'
          | 'sequence'
          | 'creationDate'
          | 'changeDate'
        /** Least first, or greatest first; `asc` when absent. */
        readonly direction?: 'asc' | 'desc' | undefined
      }[]
    | undefined
}

/** Which roles of a project to list, in which order. */
export const ListProjectRolesInput = z.strictObject({
  projectId: ProjectId,
  filter: z._default(z.strictObject({ ...filtersOf(projectRoles), state }), {}),
  sort: sortBy(projectRoles),
  ...page,
})
export interface ListProjectRolesInput extends GivenPage {
  /** The `id` of the project, which must exist. Spec: Project role. */
  readonly projectId: string
  /** Conditions, all of which must hold; every role of the project when absent. */
  readonly filter?:
    | {
        /** On the key. */
        readonly roleKey?: Text | undefined
        /** On the display name. */
        readonly displayName?: Text | undefined
        /** On the group; `{ equals: '' }` for roles without one. */
        readonly group?: Text | undefined
        /** In this state; in either when absent. */
        readonly state?: 'active' | 'inactive' | undefined
      }
    | undefined
  /** Fields to order by, no field twice; `roleKey` decides last, and alone when absent. */
  readonly sort?:
    | readonly {
        /** `sequence`, `creationDate` and `changeDate` stand for those of `details`. */
        readonly field:
          | 'projectId'
          | 'roleKey'
          | 'displayName'
          | 'group'
          | 'state'
          | 'sequence'
          | 'creationDate'
          | 'changeDate'
        /** Least first, or greatest first; `asc` when absent. */
        readonly direction?: 'asc' | 'desc' | undefined
      }[]
    | undefined
}

/** A parsed list, of whatever objects. */
export interface ListInput {
  readonly filter: Filter
  readonly sort: readonly SortKey[]
  readonly pageSize: number
  readonly pageToken?: string | undefined
  readonly projectId?: string
}

type Filter = Readonly<Record<string, z.output<typeof textFilter> | string>>

/** The conditions that a parsed filter states. */
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

/** `sort`, made total: the object's own id or key decides last, so what follows it decides nothing. */
export const totalOrder = (type: ViewType, sort: readonly SortKey[]): readonly SortKey[] => {
  const field = identityField[type]
  const end = sort.findIndex((key) => key.field === field)
  return end < 0 ? [...sort, { field, direction: 'asc' }] : sort.slice(0, end + 1)
}
