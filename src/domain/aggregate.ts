import type { Result } from 'neverthrow'
import type * as z from 'zod/mini'
import type { AlreadyExists, NotFound, ProofNotFound } from './decider.js'
import { type EventSchema, eventTypesOf, type Message, type Upcasters } from './message.js'
import type { ObjectRef, Permission, PermissionTarget, StreamId } from './values.js'

/** What every view has. */
export interface Stateful {
  readonly state: 'active' | 'inactive' | 'pending' | 'verified'
}

/** The description of one aggregate, for all code outside of its folder. */
export interface Aggregate<Ids, View extends Stateful, Event extends Message> {
  /** Type of the objects: in references, and before the dot in the types of their events. */
  readonly type: ObjectRef['type']

  /** What people call such an object. */
  readonly label: string

  /** Schema of the ids of an object in its organization; those of its container come first. */
  readonly ids: z.ZodMiniObject & z.ZodMiniType<Ids>

  /** The object that `ids` name; other fields of `ids` are left out. */
  ref(ids: Ids): ObjectRef

  /** What is unique in the container: the object's own id or key, or all ids if they are of several objects. */
  key(ids: Ids, orgId: string): string

  /** The object with that key; `projectId` is that of the project that it lies in, if it does. */
  refOfKey(key: string, projectId: string): ObjectRef

  /** The object that it lies in and is removed with; undefined when that is the organization. */
  readonly container: Container<Ids> | undefined

  /** The type of the object that it is removed with, which the organization need not own. */
  readonly removedWith: ObjectRef['type'] | undefined

  /** Name of the stream of an object. */
  stream(orgId: string, ids: Ids): StreamId

  /** The rules. */
  readonly decider: Rules<Event>

  /** Schemas of the events in their newest versions. */
  readonly events: readonly EventSchema<Event['type']>[]

  /** Whether `event` belongs to this aggregate. */
  reads(event: Message): event is Event

  /** Type of the event that removes an object. */
  readonly removal: Event['type']

  /** The view after `event` of an object of `orgId`, given the view before; undefined when there is no object. */
  view(view: View | undefined, event: Event, orgId: string): View | undefined

  /** The assignments of roles that end with an object; undefined when there are none. */
  covers(ids: Ids, orgId: string): AssignmentRange | undefined

  /** The roles that an object assigns to what it covers; undefined when objects of the kind assign none. */
  readonly assigns: Assigns<View, Event> | undefined

  /** States of a view. */
  readonly states: readonly View['state'][]

  /** The fields of a view, except its state. */
  readonly fields: Readonly<Record<string, ShownField<View>>> & {
    readonly [Field in Exclude<keyof View, 'state'>]: ShownField<View>
  }

  /** Names of the secret fields that `event` changes. */
  secretsChanged(event: Event): readonly string[]

  /** The object whose permission is checked when the organization at hand is `orgId`. */
  target(ids: Ids, orgId: string): PermissionTarget

  /** The permissions to read objects and to change them. */
  readonly permissions: { readonly read: Permission; readonly write: Permission }
}

/** A decider of any commands and states. They lose their types here, as the parameters of methods can. */
interface Rules<Event> {
  readonly eventSchema: z.ZodMiniType<Event>
  readonly upcasters: Upcasters
  readonly initialState: AnyState
  decide(
    command: Message,
    state: AnyState,
  ): Result<readonly Event[], NotFound | AlreadyExists | ProofNotFound>
  evolve(state: AnyState, event: Event, version: number): AnyState
}

interface AnyState {
  readonly status: string
}

/** An object that others lie in. */
export interface Container<Ids> {
  /** Its type. */
  readonly type: ObjectRef['type']
  /** The container of the object that `ids` name. */
  ref(ids: Ids): ObjectRef
}

/** The roles in a view of a kind that assigns roles. */
export interface Assigns<View, Event> {
  /** The roles that an event records; undefined when it leaves them as they are. */
  rolesIn(event: Event): readonly AssignedRole[] | undefined
  /** The roles of `view`. */
  rolesOf(view: View): readonly AssignedRole[]
  /** `view` with `roles`, which are some of its own. */
  withRoles(view: View, roles: readonly AssignedRole[]): View
}

/** Assignments of roles of one project. All that is given must be met. */
export interface AssignmentRange {
  /** The organization that owns the project. */
  readonly projectOrgId: string
  readonly projectId: string
  readonly roleKey?: string
  /** The organization that is assigned the role, or that of the user. */
  readonly orgId?: string
  readonly userId?: string
}

/** A role of a project that is assigned. */
export interface AssignedRole {
  readonly roleKey: string
  /** From this moment on the role does not count; absent for a role without an end. */
  readonly expiresAt?: Date
}

/** A test whether an event has one of the types of `schemas`. */
export const readerOf = <Event extends Message>(
  schemas: readonly EventSchema<Event['type']>[],
): ((event: Message) => event is Event) => {
  const types = new Set<string>(schemas.flatMap(eventTypesOf))
  return (event): event is Event => types.has(event.type)
}

/** A field of a view: what it holds, whether lists can be filtered and sorted by it, how it is read. */
export type ShownField<View> =
  | {
      readonly holds: 'string'
      readonly filterable: boolean
      readonly sortable: true
      /** A view may lack it; lists then take it for the empty text. */
      readonly isOptional?: true
      of(view: View): string
    }
  | {
      readonly holds: 'boolean'
      readonly filterable: false
      readonly sortable: true
      of(view: View): boolean
    }
  | { readonly holds: 'list' | 'text'; readonly filterable: false; readonly sortable: false }
  | {
      /** Lists can be filtered by the keys of the roles that are assigned. */
      readonly holds: 'roleKeys'
      readonly filterable: true
      readonly sortable: false
    }

/** A field with text that lists can be filtered and sorted by. */
export const filterableText = <View>(of: (view: View) => string) =>
  ({ holds: 'string', filterable: true, sortable: true, of }) as const

/** {@link filterableText} that a view may lack. */
export const optionalText = <View>(of: (view: View) => string | undefined) =>
  ({ ...filterableText((view: View) => of(view) ?? ''), isOptional: true }) as const

/** A field with text that lists can only be sorted by. */
export const sortableText = <View>(of: (view: View) => string) =>
  ({ holds: 'string', filterable: false, sortable: true, of }) as const

/** A field with true or false, which lists can only be sorted by. */
export const sortableFlag = <View>(of: (view: View) => boolean) =>
  ({ holds: 'boolean', filterable: false, sortable: true, of }) as const

/** A field with text that lists can neither be filtered nor sorted by. */
export const plainText = { holds: 'text', filterable: false, sortable: false } as const

/** A field with several values. */
export const plainList = { holds: 'list', filterable: false, sortable: false } as const

/** The keys of the roles that are assigned, which lists can be filtered by. */
export const filterableRoleKeys = { holds: 'roleKeys', filterable: true, sortable: false } as const
