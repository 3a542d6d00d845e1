import type { ObjectDetails } from '../domain/aggregate.js'
import { exists } from '../domain/aggregate.js'
import { type AnyState, aggregates } from '../domain/aggregates.js'
import type { Fact, GivenRole, HeldFact, PermittedRole, ProjectGrantFact } from '../domain/facts.js'
import type { GrantedRole } from '../domain/user-grant/aggregate.js'
import { fieldOf, type ObjectRef } from '../domain/values.js'
import { type Position, timeOf } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import type { RefOf, Views, ViewType } from '../ports/read-model.js'
import { aggregateOf, protectorAfter } from './read-events.js'

/**
 * An object after the last event of its stream. No other event changes the row: what else ends with another object is
 * found when rows are read, see `world.ts`.
 */
export interface Row {
  /** Without secrets. Roles that have ended are among its roles. */
  readonly state: AnyState
  readonly details: ObjectDetails
  /** The desired state that protects the object. */
  readonly protectedBy: string | undefined
  /** Absent if the type of the object has nothing to do with roles. */
  readonly fact: Dated | undefined
}

/** A fact, and the positions of events of its stream that reads need. */
export interface Dated<Known extends Fact = Fact> {
  readonly fact: Known
  /** The event that added the object. Members of a mapped group need a report at or above it. */
  readonly since: Position
  /** The last event: the fact holds from it on. For a member it is the last report. */
  readonly begin: Position
  /**
   * For each role of a {@link HeldFact} or group of a {@link MemberFact}, in their order: the first event since which
   * the fact has had it without a break. Another generation is a break, another expiry or `validFor` is not.
   */
  readonly given: readonly Position[]
}

/**
 * The projection: the row of an object after `event`, given the row before it; undefined if the object does not exist.
 * The caller replaces the row of the event's stream, and its fact, at the event's position.
 */
export const project = (before: Row | undefined, event: KnownEvent): Row | undefined => {
  const state = stateAfter(before?.state, event)
  if (!state) return undefined
  const { position, metadata } = event
  const changeDate = timeOf(position)
  const { resourceOwner } = metadata
  const creationDate = before?.details.creationDate ?? changeDate
  const after = aggregateOf(event.type).fact?.(state, event.data, resourceOwner)
  return {
    state,
    details: { sequence: position, creationDate, changeDate, resourceOwner },
    protectedBy: protectorAfter(before?.protectedBy, metadata),
    fact: after && dated(before?.fact, after, position),
  }
}

/** The state of an object after `event`, without secrets; undefined if the object does not exist. */
export const stateAfter = (
  before: AnyState | undefined,
  event: KnownEvent,
): AnyState | undefined => {
  const { decider, secrets } = aggregateOf(event.type)
  const state = decider.evolve(before ?? decider.initialState, event, event.version)
  if (!exists(state)) return undefined
  // Cast: a decider of any type returns a state of its own. No reader asks for a secret.
  return (secrets ? without(secrets, state) : state) as AnyState
}

const without = (names: readonly string[], state: object): object =>
  Object.fromEntries(Object.entries(state).filter(([name]) => !names.includes(name)))

const dated = (before: Dated | undefined, fact: Fact, begin: Position): Dated => {
  const held = before && new Map(namesIn(before.fact).map((name, i) => [name, before.given[i]]))
  // Most objects have no event before: without a break, all is given by this one.
  const given = held
    ? namesIn(fact).map((name) => held.get(name) ?? begin)
    : listIn(fact).map(() => begin)
  return { fact, since: before?.since ?? begin, begin, given }
}

/** The roles that are held, or the groups. */
const listIn = (fact: Fact): readonly (GivenRole | string)[] => {
  if (fact.in === 'held') return fact.roles
  return fact.in === 'member' ? fact.groups : []
}

/** The groups, or the roles by their generations. */
const namesIn = (fact: Fact): readonly string[] =>
  listIn(fact).map((item) =>
    typeof item === 'string' ? item : `${item.roleSince} ${item.grantSince ?? ''} ${item.roleKey}`,
  )

/** Whether a role of a {@link HeldFact} or a {@link ProjectGrantFact} rests on the current generations. */
export type IsCurrent = (
  fact: HeldFact | ProjectGrantFact,
  role: GivenRole | PermittedRole,
) => boolean

/** An object that others are removed with, and the organization that owns it. */
type Whole = { readonly orgId: string } & (
  | { readonly type: 'project'; readonly id: string }
  | { readonly type: 'identity_provider'; readonly idpId: string }
)

/** The objects that an object of `orgId` is removed with: it exists while all of them do. */
export const withinOf = (ref: ObjectRef, orgId: string): readonly Whole[] =>
  (aggregates[ref.type].within ?? []).map((type) => {
    if (type === 'identity_provider') return { type, orgId, idpId: String(fieldOf(ref, 'idpId')) }
    const owner = String(fieldOf(ref, 'projectOrgId') ?? orgId)
    return { type, orgId: owner, id: String(fieldOf(ref, 'projectId')) }
  })

/** The roles that an object grants; none if it is no grant. */
export const rolesIn = (view: Views[ViewType]): readonly GrantedRole[] => {
  if ('roles' in view) return view.roles
  return 'roleKeys' in view ? view.roleKeys.map((roleKey) => ({ roleKey })) : []
}

/** The object of `ref` as reads return it: a grant without the roles that have ended. */
export const shown = <Type extends ViewType>(
  ref: RefOf<Type>,
  row: Row,
  isCurrent: IsCurrent = () => true,
): Views[Type] => {
  const { state, details, protectedBy } = row
  const fact = row.fact?.fact
  const current =
    (fact?.in === 'held' || fact?.in === 'project_grant') && 'roles' in state
      ? { ...state, roles: state.roles.filter((role) => isCurrent(fact, role)) }
      : state
  const view = aggregates[ref.type].show(current, ref, details.resourceOwner)
  const { creationDate, changeDate } = details
  const own = {
    ...view,
    // Times of its own, since a reader may change them.
    details: {
      ...details,
      creationDate: new Date(creationDate),
      changeDate: new Date(changeDate),
    },
    ...(protectedBy !== undefined && { protectedBy }),
  }
  // Cast: the view and the details have the fields of an object of that type.
  return own as unknown as Views[Type]
}
