import type { Fact } from '../../../domain/facts.js'
import type { Position } from '../../../ports/event-store.js'
import { foldCase } from '../../../projections/row-order.js'
import { getOrAdd, placeScope, projectOf } from '../../../projections/rows.js'
import {
  columnNamed,
  type Dialect,
  type Integer,
  type Row,
  rowsOf,
  type Statement,
  type Steps,
} from '../dialect.js'
import { areStored, type Known, keep } from './known.js'
import { type Generation, shareOf } from './stored-rows.js'
import { checkpointIn, HELD, PLACES, SHARES } from './tables.js'

/** A fact that names generations of roles. */
export type Sharing = Extract<Fact, { readonly in: 'held' | 'project_grant' }>

/** A project, or a resource of it, as an organization has it. */
interface Place {
  readonly org: string
  readonly scope: string
  /** The whole project; undefined if it is this place. */
  readonly whole: Place | undefined
  number: number
  isNew: boolean
}

/** A generation of a role as an organization has it, for the whole project or on resources. */
interface Share {
  /** The whole project. */
  readonly place: Place
  readonly role: string
  readonly roleSince: number
  readonly grantSince: number
  readonly isOnResource: boolean
  /** On resources of a granted project: the share for the whole project. */
  readonly base: Share | undefined
  number: number
  isNew: boolean
  /** Undefined when the batch does not end it. */
  endAt: Position | undefined
}

/** The numbers of projects in organizations, and of generations of roles there. */
export interface Generations {
  /** The checkpoint at which they were read; undefined when none were needed, or all were known. */
  readonly reached: Position | undefined
  /** Hold while numbers that were known are still right. */
  readonly assumed: readonly Statement[]
  /** Keeps the numbers, once what is new is written. */
  readonly learn: (known: Known) => void
  /** The number of a project, or a resource, in an organization; undefined if no fact names it. */
  readonly placeOf: (orgId: string, scope: string) => number | undefined
  /** The numbers of the roles of a fact, in their order. */
  readonly numbersOf: (fact: Sharing) => readonly number[]
  /** The roles of a fact as a row lists them, see `shares`; none of any other fact. */
  readonly listed: (fact: Fact | undefined) => string
  /** Ends what a grant of a project no longer has. */
  readonly replace: (before: Fact | undefined, after: Fact | undefined, at: Position) => void
  /** Write what is new or ends. */
  readonly statements: () => Iterable<Statement>
}

/** Whether a fact names generations. */
export const isSharing = (fact: Fact | undefined): fact is Sharing =>
  fact?.in === 'held' || fact?.in === 'project_grant'

/** Reads the numbers that `facts` need. New ones follow in the order of `facts`, so equal logs lead to equal numbers. */
export function* readGenerations(
  dialect: Dialect,
  facts: readonly (Fact | undefined)[],
  known?: Known,
): Steps<Generations> {
  const places = new Map<string, Place>()
  const shares = new Map<string, Share>()
  const named = () => [...places, ...shares]
  const placeIn = (fact: Sharing, resource?: string): Place => {
    const { orgId: org, projectOrgId, projectId } = fact
    const scope = placeScope(projectOrgId, projectId, resource)
    return getOrAdd(places, `${org} ${scope}`, () => {
      const whole = resource === undefined ? undefined : placeIn(fact)
      return { org, scope, whole, number: 0, isNew: false }
    })
  }
  const shareIn = (fact: Sharing, given: Generation, isOnResource: boolean): Share => {
    const [role, roleSince, grantSince] = given
    const place = placeIn(fact)
    const key = `${place.org} ${place.scope} ${isOnResource} ${roleSince} ${grantSince} ${role}`
    return getOrAdd(shares, key, () => {
      const isOwn = fact.orgId === fact.projectOrgId
      const base = isOnResource && !isOwn ? shareIn(fact, given, false) : undefined
      // What no grant of the project gave never counts.
      const endAt = fact.in === 'project_grant' || isOwn ? undefined : 0n
      const names = { place, role, roleSince, grantSince, isOnResource, base }
      return { ...names, number: 0, isNew: false, endAt }
    })
  }
  const resourceOf = (fact: Sharing) => (fact.in === 'held' ? fact.resource : undefined)
  const sharesIn = (fact: Sharing): readonly Share[] =>
    fact.roles.map((role) => shareIn(fact, shareOf(role), resourceOf(fact) !== undefined))
  for (const fact of facts) {
    if (!isSharing(fact)) continue
    // The row of a grant to a user names its place, even where it has no roles.
    placeIn(fact, fact.in === 'held' && 'group' in fact.holder ? undefined : resourceOf(fact))
    sharesIn(fact)
  }
  const all = [...shares.values()]
  const numbers = known?.numbers
  const areKnown = named().every(([name]) => numbers?.has(name))
  for (const [name, each] of named()) each.number = numbers?.get(name) ?? 0
  const reached = areKnown ? undefined : yield* readNumbers(dialect, [...places.values()], all)

  return {
    reached,
    assumed: areKnown ? assumedOf(dialect, [...places.values()], all) : [],
    learn: ({ numbers }) => {
      for (const [name, { number }] of named()) keep(numbers, name, number)
    },
    placeOf: (orgId, scope) => places.get(`${orgId} ${scope}`)?.number,
    numbersOf: (fact) => sharesIn(fact).map(({ number }) => number),
    listed: (fact) => {
      if (!isSharing(fact)) return '[]'
      const ends = fact.roles.map((role) =>
        'expiresAt' in role && role.expiresAt !== undefined ? Date.parse(role.expiresAt) : null,
      )
      return JSON.stringify(sharesIn(fact).map(({ number }, index) => [number, ends[index]]))
    },
    replace: (before, after, at) => {
      if (before?.in !== 'project_grant') return
      const remaining = new Set(after?.in === 'project_grant' ? sharesIn(after) : [])
      for (const share of sharesIn(before)) if (!remaining.has(share)) share.endAt = at
    },
    *statements() {
      const newPlaces = [...places.values()].filter(({ isNew }) => isNew)
      yield* dialect.insert(
        PLACES,
        newPlaces.map(({ number, org, scope, whole }) => {
          const { projectOrgId, projectId, resource = '' } = projectOf(scope)
          const names = [org, scope, projectOrgId, projectId, resource, foldCase(resource)]
          return [number, ...names, whole?.number ?? number]
        }),
      )
      yield* dialect.insert(
        SHARES,
        all
          .filter(({ isNew }) => isNew)
          .map((share) => [
            ...[share.number, share.place.number, share.place.scope, share.role],
            ...[foldCase(share.role), share.place.org, share.isOnResource ? 1 : 0],
            ...[share.roleSince, share.grantSince],
            ...(share.base ? [null, share.base.number] : [share.endAt ?? null, null]),
          ]),
      )
      const ended = all.flatMap(({ isNew, number, endAt = 0n }) =>
        isNew || endAt === 0n ? [] : [[number, endAt]],
      )
      yield* dialect.update(SHARES, { by: ['number'], set: ['end_at'] }, ended)
    },
  }
}

/** The columns that name a share, and their values. */
const NAMES = ['org', 'scope', 'role', 'on_resource', 'role_since', 'grant_since']

const namesOf = ({ place, role, isOnResource, roleSince, grantSince }: Share): Row => [
  ...[place.org, place.scope, role],
  ...[isOnResource ? 1 : 0, roleSince, grantSince],
]

/** Hold while the names have these numbers. */
const assumedOf = (
  dialect: Dialect,
  places: readonly Place[],
  shares: readonly Share[],
): readonly Statement[] => {
  const ofPlaces = places.map(({ number, org, scope }) => [number, org, scope])
  const ofShares = shares.map((share) => [share.number, ...namesOf(share)])
  return [
    ...(places.length === 0
      ? []
      : [areStored(dialect, PLACES, ['number', 'org', 'scope'], ofPlaces)]),
    ...(shares.length === 0 ? [] : [areStored(dialect, SHARES, ['number', ...NAMES], ofShares)]),
  ]
}

/** Sets the numbers of `places` and `shares`. @returns the checkpoint */
function* readNumbers(
  dialect: Dialect,
  places: readonly Place[],
  shares: readonly Share[],
): Steps<Position> {
  const { table } = dialect
  const columns = NAMES.map((name) => columnNamed(SHARES, name))
  const wanted = [
    ...places.map(({ org, scope }): Row => [org, scope, '', 0, 0, 0]),
    ...shares.map(namesOf),
  ]
  type Found = readonly [
    reached: Integer,
    lastPlace: Integer,
    lastShare: Integer,
    usedPlace: Integer,
    usedShare: Integer,
    nth: Integer,
    place: Integer,
    share: Integer,
  ]
  const listed = dialect.wanted(columns, wanted)
  const named = dialect.named(
    'shares',
    () => `SELECT reached, last_place, last_share, used_place, used_share, nth, place, share FROM (SELECT ${checkpointIn(dialect)} AS reached,
        (SELECT max(number) FROM ${table(PLACES)}) AS last_place, (SELECT max(number) FROM ${table(SHARES)}) AS last_share,
        (SELECT max(place) FROM ${table(SHARES)}) AS used_place, (SELECT max(share) FROM ${table(HELD)}) AS used_share) AS moment
      LEFT JOIN (SELECT nth, place.number AS place, share.number AS share FROM ${listed.sql}
        LEFT JOIN ${table(PLACES)} AS place ON place.org = wanted.org AND place.scope = wanted.scope
        LEFT JOIN ${table(SHARES)} AS share ON share.scope = wanted.scope AND share.role = wanted.role AND share.org = wanted.org
          AND share.on_resource = wanted.on_resource AND share.role_since = wanted.role_since AND share.grant_since = wanted.grant_since) AS found ON TRUE`,
  )
  const found = rowsOf<Found>(yield { ...named, parameters: listed.parameters })
  const numbers = new Map(
    found.map(([, , , , , nth, place, share]) => [Number(nth), { place, share }]),
  )
  const [first] = found
  const [, ...last] = (first ?? []).map((value) => Number(value ?? 0))
  const [lastPlace = 0, lastShare = 0, usedPlace = 0, usedShare = 0] = last
  // A number must not become that of another organization.
  if (usedPlace > lastPlace || usedShare > lastShare)
    throw new Error(
      `The table ${table(usedPlace > lastPlace ? PLACES : SHARES)} was emptied: reset the read model`,
    )
  let place = lastPlace
  let share = lastShare
  for (const [index, each] of places.entries()) {
    const known = numbers.get(index + 1)?.place ?? null
    each.isNew = known === null
    each.number = known === null ? ++place : Number(known)
  }
  for (const [index, each] of shares.entries()) {
    const known = numbers.get(places.length + index + 1)?.share ?? null
    each.isNew = known === null
    each.number = known === null ? ++share : Number(known)
  }
  return BigInt(first?.[0] ?? 0)
}
