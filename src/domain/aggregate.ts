import type { Result } from 'neverthrow'
import * as z from 'zod/mini'
import type { AlreadyExists, NotFound, ProofNotFound } from './decider.js'
import type { Fact } from './facts.js'
import { type EventSchema, eventTypesOf, type Message, type Upcasters } from './message.js'
import { splitResource, withResource } from './resource-path.js'
import type {
  ObjectRef,
  OwnedTarget,
  Permission,
  PermissionTarget,
  ProjectRef,
  StreamId,
} from './values.js'

/**
 * What the file of an aggregate says of it. {@link defineAggregate} derives the rest. Permissions are checked on the
 * container, unless a target is defined.
 */
export type AggregateDefinition<
  Ref extends ObjectRef,
  View extends Stateful,
  Event extends Message,
  State extends AnyState,
  Id extends string = keyof Omit<Ref, 'type'> & string,
> = Omit<Aggregate<Ref, View, Event, State>, Derived> &
  Partial<Pick<Aggregate<Ref, View, Event, State>, Defaulted>> & {
    /** The ids that name an object in its container, in the order of the stream's name. Default: the last id. */
    readonly keyIds?: readonly Id[]
  }

/** The members of an aggregate that are derived; a definition may say some of them. */
type Derived = 'ref' | 'key' | 'refOfKey' | 'stream' | 'reads' | Defaulted
type Defaulted = 'target' | 'writeTarget' | 'secretsChanged'

/** The description of one aggregate, for all code outside of its folder. */
export interface Aggregate<
  Ref extends ObjectRef,
  View extends Stateful,
  Event extends Message,
  State extends AnyState,
  Ids = Omit<Ref, 'type'>,
> {
  /** Type of the objects: in references, and before the dot in the types of their events. */
  readonly type: Ref['type']

  /** Name of such an object for people. */
  readonly label: string

  /** Schema of the ids of an object in its organization; those of its container come first. */
  readonly ids: z.ZodMiniObject & z.ZodMiniType<Ids>

  /** The object that contains these objects and is removed with them; absent if it is the organization. */
  readonly container?: Container<Ids>

  readonly decider: Rules<Event>

  /** Schemas of the events in their newest versions. */
  readonly events: readonly EventSchema<Event['type']>[]

  readonly adds: Event['type']

  /** Type of the event that removes an object; absent if none does. */
  readonly removes?: Event['type']

  /**
   * The object in that state as reads return it, with all roles that its last event recorded: without secrets and
   * generations. Names each field, so that their order does not depend on the events.
   */
  show(state: Existing<State>, ids: Ids, orgId: string): View

  /** What an object in that state contributes to the roles of users; absent if its type has nothing to do with them. */
  fact?(state: Existing<State>, ids: Ids, orgId: string): Fact

  /**
   * Types of the objects that such an object is removed with: a project, which another organization may own, or a
   * provider of the same organization.
   */
  readonly within?: readonly ('project' | 'identity_provider')[]

  /** Names of the fields of a state that only decisions need. Rows do not keep them. */
  readonly secrets?: readonly string[]

  readonly states: readonly View['state'][]

  /** The fields of a view, except its state. */
  readonly fields: Readonly<Record<string, ShownField>> & {
    readonly [Field in Exclude<keyof View, 'state'>]: ShownField
  }

  /** The permissions to read objects and to change them. */
  readonly permissions: { readonly read: Permission; readonly write: Permission }

  /** The object that `ids` name; other fields of `ids` are left out. */
  ref(ids: Ids): Ref

  /** The key that is unique in the container: the object's own id or key, or all ids if they name several objects. */
  key(ids: Ids, orgId: string): string

  /** The object with that key; `projectId` is the project that contains it, if any. */
  refOfKey(key: string, projectId: string): Ref

  /** Name of the stream of an object. */
  stream(orgId: string, ids: Ids): StreamId

  /** Whether `event` belongs to this aggregate. */
  reads(event: Message): event is Event

  /** The object whose permission is checked in the organization `orgId`. Default: the container. */
  target(ids: Ids, orgId: string): PermissionTarget

  /** The object whose permission is checked before a write of one object. Default: `target`. */
  writeTarget(ids: Ids, orgId: string): PermissionTarget

  /** Names of the secret fields that `event` changes. Default: none. */
  secretsChanged(event: Event): readonly string[]
}

/** Owner, times and position of an object. */
export interface ObjectDetails {
  /** Position of the last event of the object. */
  readonly sequence: bigint
  /** Time of the first event of the object. */
  readonly creationDate: Date
  /** Time of the last event of the object. */
  readonly changeDate: Date
  /** Organization the object belongs to. */
  readonly resourceOwner: string
}

/** An object as reads return it. */
export interface Detailed {
  /** Owner, times and position of the object. */
  readonly details: ObjectDetails
}

/** An object that a desired state can protect. */
export interface Protectable extends Detailed {
  /**
   * `managedBy` of the desired state that protects it: only `apply` with it may change the object. Absent if
   * unprotected.
   */
  readonly protectedBy?: string | undefined
}

/** The fields of a row that its own events set; the others are added where rows are made. */
export type ViewOf<Row> = Omit<Row, 'protectedBy' | 'details'>

/** The fields of every view. */
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

/** A decider of any commands and states, without their types. */
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

/** Any state: only its status is known. */
export interface AnyState {
  readonly status: string
}

/** The states in which an object exists. */
export type Existing<State extends AnyState> = Exclude<
  State,
  { readonly status: 'absent' | 'removed' }
>

/** Whether an object exists in `state`: it was added and not removed. */
export const exists = <State extends AnyState>(state: State): state is Existing<State> =>
  state.status !== 'absent' && state.status !== 'removed'

/** An object that contains others. */
export interface Container<Ids> {
  readonly type: ObjectRef['type']
  /** The container of the object that `ids` name. */
  ref(ids: Ids): ObjectRef & OwnedTarget
}

/** The container of objects in a project. */
export const inProject = {
  type: 'project',
  ref: ({ projectId }: { readonly projectId: string }): ProjectRef => ({
    type: 'project',
    id: projectId,
  }),
} as const

type AnyDefinition = AggregateDefinition<ObjectRef, Stateful, Message, AnyState, string>

type AnyDerived = Aggregate<ObjectRef, Stateful, Message, AnyState, NamedIds>

/** An aggregate with its own types. */
type Defined<Own extends AnyDefinition> = Omit<Own, Derived> &
  Pick<
    Aggregate<
      Extract<ObjectRef, { readonly type: Own['type'] }>,
      Stateful,
      z.output<Own['decider']['eventSchema']> & Message,
      AnyState
    >,
    Derived
  >

/** Ids by their names. */
type NamedIds = Readonly<Record<string, string | undefined>>

/** Joins some ids by `+`. */
type IdPath = (ids: NamedIds, orgId: string) => string

/**
 * Makes the aggregate of a definition, with its own types.
 *
 * @example defineAggregate({ type: 'project', … } satisfies AggregateDefinition<ProjectRef, ProjectView, ProjectEvent>)
 */
export const defineAggregate = <const Own extends AnyDefinition>(definition: Own): Defined<Own> =>
  // Cast: the derived members have the types of the definition.
  ({ ...definition, ...derive(definition) }) as unknown as Defined<Own>

const derive = (definition: AnyDefinition): Pick<AnyDerived, Derived> => {
  const { type, ids: schema, container, events } = definition
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

  const hasResource = optional.has('resource')
  /**
   * Joins the ids with these names. An optional id that is absent is the id of the own organization. A resource is a part
   * of its project's id.
   */
  const joined =
    (path: readonly string[]): IdPath =>
    (ids, orgId) => {
      let text = ''
      for (const name of path) {
        const id = ids[name] ?? (optional.has(name) ? orgId : undefined)
        if (id === undefined) throw new Error(`The ids of a ${type} lack ${name}`)
        if (text !== '') text += '+'
        text += hasResource && name === 'projectId' ? withResource(id, ids['resource']) : id
      }
      return text
    }
  const path = container ? names : keyIds
  const pathOf = joined(path)

  const reads = readerOf(events)
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
      const named = Object.fromEntries(path.map((name, index) => [name, ids[index]]))
      return ref(hasResource ? { ...named, ...splitResource(named['projectId'] ?? '') } : named)
    },
    stream: (orgId, ids) => `${type}-${orgId}+${pathOf(ids, orgId)}`,
    reads,
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

/** A field of a view. Lists can filter or sort by some. */
export interface ShownField {
  /**
   * Its type. A `time` is a `Date`, which stores of text keep in RFC 3339; `roles` are the assigned roles. An object has
   * several `roleKeys` or `permissions`, and matches a filter if one of them does. `settings` are an object.
   */
  readonly holds:
    | 'string'
    | 'boolean'
    | 'number'
    | 'time'
    | 'list'
    | 'roles'
    | 'roleKeys'
    | 'permissions'
    | 'settings'
  readonly filterable?: true
  readonly sortable?: true
  /**
   * An object may lack it. For lists it is then the empty text. History does not show that an object is added with an
   * empty list.
   */
  readonly isOptional?: true
}

/** A text field that lists can filter and sort by. */
export const filterableText = { holds: 'string', filterable: true, sortable: true } as const

/** An optional {@link filterableText}. */
export const optionalText = { ...filterableText, isOptional: true } as const

/** A text field that lists can only sort by. */
export const sortableText = { holds: 'string', sortable: true } as const

/** A boolean field that lists can only sort by. */
export const sortableFlag = { holds: 'boolean', sortable: true } as const
