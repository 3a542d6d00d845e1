import type { Result } from 'neverthrow'
import * as z from 'zod/mini'
import type { AlreadyExists, NotFound, ProofNotFound } from './decider.js'
import { type EventSchema, eventTypesOf, type Message, type Upcasters } from './message.js'
import type {
  ObjectRef,
  OwnedTarget,
  Permission,
  PermissionTarget,
  ProjectRef,
  StreamId,
} from './values.js'

/**
 * What an aggregate states of itself. {@link defineAggregate} derives the rest of an {@link Aggregate}. Permissions are
 * asked for the container, unless a target is stated.
 */
export type AggregateDefinition<
  Ref extends ObjectRef,
  View extends Stateful,
  Event extends Message,
> = Definition<Ref, View, Event> &
  (
    | Required<Pick<Definition<Ref, View, Event>, 'container'>>
    | Required<Pick<Definition<Ref, View, Event>, 'target'>>
  )

interface Definition<Ref extends ObjectRef, View extends Stateful, Event extends Message>
  extends Stated<Omit<Ref, 'type'>, View, Event> {
  readonly type: Ref['type']

  /** The ids that name an object in its container, in the order in which its stream names them; the last of all ids when absent. */
  readonly keyIds?: readonly (keyof Omit<Ref, 'type'> & string)[]

  /** What each event does to its object. */
  readonly effects: Readonly<Record<Event['type'], Effect>>

  /** The object whose permission is checked when the organization at hand is `orgId`; the container when absent. */
  target?(ids: Omit<Ref, 'type'>, orgId: string): PermissionTarget

  /** The object whose permission is checked before a write of one object; that of `target` when absent. */
  writeTarget?(ids: Omit<Ref, 'type'>, orgId: string): PermissionTarget

  /** Names of the secret fields that `event` changes; objects have no secrets when absent. */
  secretsChanged?(event: Event): readonly string[]
}

/** The description of one aggregate, for all code outside of its folder. */
export interface Aggregate<Ids, View extends Stateful, Event extends Message>
  extends Stated<Ids, View, Event>,
    Derived<Ids, ObjectRef, Event> {
  readonly type: ObjectRef['type']
}

/** What is stated, and stays as it is. */
interface Stated<Ids, View extends Stateful, Event extends Message> {
  /** Type of the objects: in references, and before the dot in the types of their events. */
  readonly type: ObjectRef['type']

  /** What people call such an object. */
  readonly label: string

  /** Schema of the ids of an object in its organization; those of its container come first. */
  readonly ids: z.ZodMiniObject & z.ZodMiniType<Ids>

  /** The object that others lie in and are removed with; absent when that is the organization. */
  readonly container?: Container<Ids>

  /** The rules. */
  readonly decider: Rules<Event>

  /** Schemas of the events in their newest versions. */
  readonly events: readonly EventSchema<Event['type']>[]

  /** The view after `event` of an object of `orgId`, given the view before; undefined when there is no object. */
  view(view: View | undefined, event: Event, orgId: string): View | undefined

  /** States of a view. */
  readonly states: readonly View['state'][]

  /** The fields of a view, except its state. */
  readonly fields: Readonly<Record<string, ShownField<View>>> & {
    readonly [Field in Exclude<keyof View, 'state'>]: ShownField<View>
  }

  /** How objects take part in assignments of roles; absent when they do not. */
  readonly assignments?: Assignments<Ids, View, Event>

  /** How objects decide which users are members of groups; absent when they do not. */
  readonly memberships?: Memberships<Ids, Event>

  /** The type of the object of the same organization that it is removed with; the id of that object begins its key. */
  readonly partOf?: ObjectRef['type']

  /** The permissions to read objects and to change them. */
  readonly permissions: { readonly read: Permission; readonly write: Permission }
}

/** What follows from a definition. */
export interface Derived<Ids, Ref extends ObjectRef, Event extends Message> {
  /** The object that `ids` name; other fields of `ids` are left out. */
  ref(ids: Ids): Ref

  /** What is unique in the container: the object's own id or key, or all ids if they are of several objects. */
  key(ids: Ids, orgId: string): string

  /** The object with that key; `projectId` is that of the project that it lies in, if it does. */
  refOfKey(key: string, projectId: string): Ref

  /** Name of the stream of an object. */
  stream(orgId: string, ids: Ids): StreamId

  /** Whether `event` belongs to this aggregate. */
  reads(event: Message): event is Event

  /** What an event does to its object; undefined for an event of another aggregate. */
  effectOf(event: { readonly type: string }): Effect | undefined

  /** Types of the events that add objects, change them or remove them. */
  eventsThat(effect: Effect): readonly Event['type'][]

  /** Names of the secret fields that `event` changes. */
  secretsChanged(event: Event): readonly string[]

  /** The object whose permission is checked when the organization at hand is `orgId`. */
  target(ids: Ids, orgId: string): PermissionTarget

  /** The object whose permission is checked before a write of one object. */
  writeTarget(ids: Ids, orgId: string): PermissionTarget
}

/** What an event does to its object. */
export type Effect = 'adds' | 'changes' | 'removes'

/** What every view has. */
export interface Stateful {
  readonly state:
    | 'active'
    | 'inactive'
    | 'pending'
    | 'verified'
    | 'issued'
    | 'used'
    | 'completed'
    | 'revoked'
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
  ref(ids: Ids): ObjectRef & OwnedTarget
}

/** The container of what lies in a project. */
export const inProject = {
  type: 'project',
  ref: ({ projectId }: { readonly projectId: string }): ProjectRef => ({
    type: 'project',
    id: projectId,
  }),
} as const

/** How objects take part in assignments of roles. */
export interface Assignments<Ids, View, Event> {
  /** The assignments that end with an object, and do not count while it is inactive. */
  assignmentScope(ids: Ids, orgId: string): AssignmentRange
  /** The type of the object that it is removed with, which the organization need not own. */
  readonly removedWith?: ObjectRef['type']
  /** The permissions of a role; absent for what is no role. */
  allows?(view: View): readonly string[]
  /** The roles that an object assigns in its scope; absent when objects assign none. */
  readonly assigns?: Assigns<View, Event>
}

/** How objects decide which users are members of groups. */
export interface Memberships<Ids, Event> {
  /** The memberships that end with an object. */
  membershipScope(ids: Ids): MembershipRange
  /** The groups that the user is a member of from an event on; absent for a provider, whose groups count while it is active. */
  groupsIn?(event: Event): readonly string[]
}

/** Memberships in the groups of a provider: of one user, or of all. */
export interface MembershipRange {
  readonly idpId: string
  readonly userId?: string
}

/** The roles in a view of an object that assigns roles. */
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
  /** Of the members of a group; never with `userId`. */
  readonly source?: RoleSource
}

/** A group of an identity provider whose members have roles. */
export interface RoleSource {
  /** The id of the provider. */
  readonly idpId: string
  /** The group, as the provider names it. */
  readonly group: string
}

/** A role of a project that is assigned. */
export interface AssignedRole {
  readonly roleKey: string
  /** From this moment on the role does not count; absent for a role without an end. */
  readonly expiresAt?: Date
  /** Of the members of a group: hours that a report counts; absent where it counts until the next one. */
  readonly validFor?: number | undefined
}

/** A definition of any aggregate. */
interface AnyDefinition extends Omit<Definition<ObjectRef, Stateful, Message>, 'keyIds'> {
  readonly keyIds?: readonly string[]
}

type RefOf<Type extends ObjectRef['type']> = Extract<ObjectRef, { readonly type: Type }>

/** An aggregate with its own types. */
type Defined<Own extends AnyDefinition> = Omit<Own, keyof Derived<never, never, never>> &
  Derived<
    Omit<RefOf<Own['type']>, 'type'>,
    RefOf<Own['type']>,
    z.output<Own['decider']['eventSchema']> & Message
  >

/** Ids by their names. */
type NamedIds = Readonly<Record<string, string | undefined>>

/** Joins some ids by `+`. */
type IdPath = (ids: NamedIds, orgId: string) => string

/**
 * The aggregate of a definition, with its own types.
 *
 * @example defineAggregate({ type: 'project', … } satisfies AggregateDefinition<ProjectRef, ProjectView, ProjectEvent>)
 */
export const defineAggregate = <const Own extends AnyDefinition>(definition: Own): Defined<Own> =>
  // Cast: what is derived from the definition has the types of the definition.
  ({ ...definition, ...derive(definition) }) as unknown as Defined<Own>

const derive = (definition: AnyDefinition): Derived<NamedIds, ObjectRef, Message> => {
  const { type, ids: schema, container, effects, events } = definition
  const names = Object.keys(schema.shape)
  const optional = new Set(names.filter((name) => schema.shape[name] instanceof z.ZodMiniOptional))
  const keyIds = definition.keyIds ?? names.slice(-1)
  const target = definition.target ?? container?.ref
  if (target === undefined) throw new Error(`The type ${type} needs a target or a container`)

  const ref = (ids: NamedIds): ObjectRef => {
    const named: Record<string, string> = { type }
    for (const name of names) {
      const id = ids[name]
      if (id !== undefined) named[name] = id
    }
    // Cast: the schema of the ids has the fields of the reference.
    return named as unknown as ObjectRef
  }

  /** An id that may be absent is that of the organization at hand. */
  const idIn = (ids: NamedIds, name: string, orgId: string): string => {
    const id = ids[name] ?? (optional.has(name) ? orgId : undefined)
    if (id === undefined) throw new Error(`The ids of a ${type} lack ${name}`)
    return id
  }
  const joined = ([first = '', ...rest]: readonly string[]): IdPath => {
    if (rest.length === 0) return (ids, orgId) => idIn(ids, first, orgId)
    const after = joined(rest)
    return (ids, orgId) => `${idIn(ids, first, orgId)}+${after(ids, orgId)}`
  }
  const path = container ? names : keyIds
  const pathOf = joined(path)

  const reads = readerOf(events)
  const effectByType: ReadonlyMap<string, Effect> = new Map(Object.entries(effects))
  return {
    ref,
    key: joined(keyIds),
    refOfKey: (key, projectId) => {
      // Only the last id of a key may have a `+`.
      const parts = key.split('+')
      const last = keyIds.length - 1
      if (parts.length <= last) throw new Error(`No ${type} has the key ${key}`)
      const own = [...parts.slice(0, last), parts.slice(last).join('+')]
      const ids = [...(container ? [projectId] : []), ...own]
      return ref(Object.fromEntries(path.map((name, index) => [name, ids[index]])))
    },
    stream: (orgId, ids) => `${type}-${orgId}+${pathOf(ids, orgId)}`,
    reads,
    effectOf: (event) => effectByType.get(event.type),
    eventsThat: (effect) =>
      [...effectByType].filter(([, each]) => each === effect).map(([eventType]) => eventType),
    secretsChanged: definition.secretsChanged ?? (() => []),
    target,
    writeTarget: definition.writeTarget ?? target,
  }
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
  | {
      /** A `Date`. Stores of text keep it in RFC 3339. */
      readonly holds: 'time'
      readonly filterable: false
      readonly sortable: false
    }
  | {
      /** Those of `roles` are the roles that are assigned. */
      readonly holds: 'list' | 'roles' | 'text' | 'number'
      readonly filterable: false
      readonly sortable: false
      /** Objects without it have an empty list: history does not show that they are added without it. */
      readonly isOptional?: true
    }
  | {
      /** Lists can be filtered by it: an object matches if one of its roles, or one of its permissions, does. */
      readonly holds: 'roleKeys' | 'permissions'
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

/** A field with a number that a view may lack, and that lists can neither be filtered nor sorted by. */
export const optionalNumber = {
  holds: 'number',
  filterable: false,
  sortable: false,
  isOptional: true,
} as const

/** A field with a time. */
export const plainTime = { holds: 'time', filterable: false, sortable: false } as const

/** A field with several values. */
export const plainList = { holds: 'list', filterable: false, sortable: false } as const

/** A {@link plainList} that not every object has. */
export const optionalList = { ...plainList, isOptional: true } as const

/** The roles that are assigned, which lists show. */
export const assignedRoles = { holds: 'roles', filterable: false, sortable: false } as const

/** The keys of the roles that are assigned, which lists can be filtered by. */
export const filterableRoleKeys = { holds: 'roleKeys', filterable: true, sortable: false } as const

/** The permissions of a role, which lists can be filtered by. */
export const filterablePermissions = {
  holds: 'permissions',
  filterable: true,
  sortable: false,
} as const
