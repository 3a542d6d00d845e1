import { type AnyState, aggregates } from '../../../domain/aggregates.js'
import type { GivenRole, PermittedRole } from '../../../domain/facts.js'
import type { ObjectRef } from '../../../domain/values.js'
import { timeOf } from '../../../ports/event-store.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import { type IsCurrent, type Row as ObjectRow, shown } from '../../../projections/project.js'
import { filterableText, foldCase } from '../../../projections/row-order.js'
import {
  filterableFields,
  ownerOf,
  projectScope,
  type RowKey,
  viewFields,
} from '../../../projections/rows.js'
import { type Dialect, type Integer, param, type Row, type Statement } from '../dialect.js'
import { isCurrent, type Numbers, numberedShares, stands, streamOf } from './counts.js'
import { hasShares, isKey, PROJECT_SCOPE } from './tables.js'

/** The columns of an object that {@link decodeObject} reads, where its row is called `object`. */
export const objectColumns = (type: ViewType): readonly string[] => [
  'object.body',
  'object.sequence',
  'object.creation_date',
  'object.scope',
  ...(hasShares(type) ? [SHARES_COLUMN] : []),
]

/** Lists the shares of an object that gives roles, where its row is called `object`. */
export const SHARES_COLUMN = 'object.shares'

/** The numbers of the shares that a column lists. */
export const numbersIn = ({ listedShares }: Dialect, column: string): Numbers => {
  const { from, columns } = listedShares(column)
  return { from, number: columns.share }
}

/** Selects those of some shares that are current, as one JSON text for {@link currentIn}. */
export const currentOf = (dialect: Dialect, numbers: Numbers, at?: Statement): string => {
  const generation = ['share.role', 'share.role_since', 'share.grant_since', 'share.number']
  const { from, isNumbered } = numberedShares(dialect, numbers)
  return `SELECT ${dialect.jsonRows(generation)} FROM ${from} WHERE ${isNumbered} AND ${isCurrent(dialect, 'share', at).sql}`
}

/** The values of {@link objectColumns}. */
export type StoredObject = readonly [
  body: string,
  sequence: number | string,
  creationDate: number | string,
  scope: string,
  ...shares: readonly string[],
]

/** A generation as a role of a fact names it. */
export type Generation = readonly [roleKey: string, roleSince: number, grantSince: number]

/** A generation as SQL finds it. */
type FoundGeneration = readonly [roleKey: string, roleSince: Integer, grantSince: Integer]

/** A share as SQL finds it. */
type FoundShare = readonly [...FoundGeneration, number: Integer]

/** Key of a generation of a role, as one organization has it. */
const generationOf = ([roleKey, roleSince, grantSince]: FoundGeneration | Listed): string =>
  `${roleSince} ${grantSince} ${roleKey}`

/** Generations by the numbers of their shares. */
export type Current = ReadonlyMap<Integer, FoundGeneration>

/** The shares that {@link currentOf} found. */
export const currentIn = (json: string | null): Current => {
  const found: readonly FoundShare[] = JSON.parse(json ?? '[]')
  return new Map(
    found.map(([role, since, grantSince, number]) => [number, [role, since, grantSince]]),
  )
}

/** A role that an object gives, with its expiry in milliseconds. */
export type Listed = readonly [...FoundGeneration, expiresAt: Integer]

/** What a column of shares lists: the number of each, and the expiry of the role. */
export type ListedShare = readonly [number: number, expiresAt: Integer]

/** The roles of a column of shares that are current, in its order. */
export const currentAmong = (shares: string, current: Current): readonly Listed[] => {
  const listed: readonly ListedShare[] = JSON.parse(shares)
  return listed.flatMap(([number, expiresAt]) => {
    const found = current.get(number)
    return found ? [[found[0], found[1], found[2], expiresAt]] : []
  })
}

/** A test whether roles are among some generations. */
export const amongGenerations = (found: Iterable<FoundGeneration | Listed>): IsCurrent => {
  const known = new Set(Array.from(found, generationOf))
  return (_, role) => known.has(generationOf(shareOf(role)))
}

/** The generation that a role of a fact names. */
export const shareOf = (role: GivenRole | PermittedRole): Generation =>
  'since' in role
    ? [role.roleKey, role.roleSince, role.since]
    : [role.roleKey, role.roleSince, role.grantSince ?? 0]

/** What a body keeps besides the fields of the view, which lists are sorted by. */
interface Kept {
  readonly state: AnyState
  readonly protectedBy?: string
  readonly since?: string
  readonly given?: readonly string[]
}

/** The text that a row keeps of an object: with it, the next event is applied. */
export const bodyOf = (
  ref: ObjectRef,
  { state, protectedBy, fact, details }: ObjectRow,
): string => {
  const view = aggregates[ref.type].show(state, ref, details.resourceOwner)
  const row: Kept = {
    state,
    ...(protectedBy !== undefined && { protectedBy }),
    ...(fact && { since: String(fact.since), given: fact.given.map(String) }),
  }
  return JSON.stringify({ ...view, row })
}

/** The object of a body that {@link bodyOf} made. */
export const rowOf = (
  type: ViewType,
  orgId: string,
  body: string,
  [sequence, creationDate]: readonly [bigint, Date],
): ObjectRow & { readonly ref: ObjectRef } => {
  const { row, ...view }: { readonly row: Kept } = JSON.parse(body)
  const { state, protectedBy, since, given = [] } = row
  const ref = aggregates[type].ref(view)
  const fact = aggregates[type].fact?.(state, ref, orgId)
  const changeDate = timeOf(sequence)
  return {
    ref,
    state,
    protectedBy,
    details: { sequence, creationDate, changeDate, resourceOwner: orgId },
    fact: fact && { fact, since: BigInt(since ?? 0), begin: sequence, given: given.map(BigInt) },
  }
}

/** The object that was found. */
export const decodeObject = <Type extends ViewType>(
  type: ViewType,
  [body, sequence, creationDate, scope, shares]: StoredObject,
  current: Current,
): Views[Type] => {
  const dates = [BigInt(sequence), new Date(Number(creationDate))] as const
  const row = rowOf(type, ownerOf(scope), body, dates)
  const isShown = shares === undefined ? all : amongGenerations(currentAmong(shares, current))
  // Cast: the row is one of that type.
  return shown(row.ref, row, isShown) as Views[Type]
}

const all = (): boolean => true

/**
 * Whether the containers of an object, whose row is called `object`, exist. With the scope of all rows, their project is
 * asked once: PostgreSQL takes a question a row for one that few rows pass, and would sort them all.
 */
export const isWithin = (
  dialect: Dialect,
  type: ViewType,
  scope?: string | undefined,
): readonly Statement[] =>
  (aggregates[type].within ?? []).map((container) => {
    const column = type === 'role_mapping' && container === 'project' ? PROJECT_SCOPE : 'scope'
    const project =
      scope === undefined || column === PROJECT_SCOPE
        ? `('project-' || object.${column})`
        : param(`project-${scope}`)
    const stream =
      container === 'project'
        ? project
        : streamOf.provider({ org: 'object.scope', idp: 'object.idp' })
    return stands(dialect, stream, { orInactive: true })
  })

/** The values of the columns of an object. */
export const encodeObject = (
  ref: ObjectRef,
  { scope, key }: RowKey,
  row: ObjectRow,
  shares: string,
): Row => {
  const { type } = ref
  const { sequence, creationDate, resourceOwner } = row.details
  const view = shown(ref, row, all)
  const folded = filterableFields(type).map((field) => {
    const text = filterableText(viewFields[type], field)(view)
    return isKey(type, field) ? foldedKey(text) : foldCase(text)
  })
  const values = [scope, key, bodyOf(ref, row), sequence, creationDate.getTime(), ...folded]
  switch (type) {
    case 'project_grant':
      return [...values, shares]
    case 'role_mapping': {
      const { idpId, group, projectId, projectOrgId = resourceOwner } = ref
      return [...values, shares, idpId, group, projectScope(projectOrgId, projectId)]
    }
    case 'membership':
      return [...values, ref.idpId]
    default:
      return values
  }
}

/**
 * The folded text of an id or key; null for a plain one, which is ASCII without capitals: its folded text follows
 * from the column `key`. Most are plain, so the index of this column has few rows.
 */
export const foldedKey = (key: string): string | null => (isPlain(key) ? null : foldCase(key))

/** The plain id or key that has the folded text `folded`, or undefined if it does not exist. */
export const plainKey = (folded: string): string | undefined => {
  const key = folded.toLowerCase()
  return isPlain(key) && foldCase(key) === folded ? key : undefined
}

const isPlain = (key: string): boolean => !/[^ -@[-~]/.test(key)
