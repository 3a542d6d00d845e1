import type { ObjectRef } from '../domain/values.js'
import type { Actor, EventStore, Position } from './event-store.js'
import type { Projection } from './projection.js'
import type {
  OidcConfig,
  ProjectRoleDisplay,
  ProjectSettings,
  ProviderAppearance,
} from './shown-fields.js'

/** Where an object stands in the log. Spec: Common response object `details`. */
export interface ObjectDetails {
  /** Position of the last event of the object. */
  readonly sequence: Position
  /** Time of the first event of the object. */
  readonly creationDate: Date
  /** Time of the last event of the object. */
  readonly changeDate: Date
  /** Organization the object belongs to. */
  readonly resourceOwner: string
}

/** An identity provider as it is read; never with its secret. */
export interface IdentityProvider extends ProviderAppearance, OidcConfig {
  /** Unique within the organization. */
  readonly idpId: string
  /** `inactive` keeps it from being used, and changes nothing else of it. */
  readonly state: 'active' | 'inactive'
  /** Where it stands in the log. Spec: Common response object `details`. */
  readonly details: ObjectDetails
}

/** A project as it is read. */
export interface Project extends ProjectSettings {
  /** Unique within the organization. */
  readonly id: string
  /** `inactive` keeps users out, see `checkLogin`, and changes nothing else of it. */
  readonly state: 'active' | 'inactive'
  /** Where it stands in the log. Spec: Common response object `details`. */
  readonly details: ObjectDetails
}

/** A role as it is read. */
export interface ProjectRole extends ProjectRoleDisplay {
  /** The `id` of its project. Spec: Project role. */
  readonly projectId: string
  /** What authorization checks look at; unique within the project. Spec: Project role. */
  readonly roleKey: string
  /** A role that was removed is not read. */
  readonly state: 'active'
  /** Where it stands in the log. Spec: Common response object `details`. */
  readonly details: ObjectDetails
}

/** What is read, by the type of object. */
export interface Views {
  /** As `iam.identityProviders` reads it. */
  readonly identity_provider: IdentityProvider
  /** As `iam.projects` reads it. */
  readonly project: Project
  /** As `iam.projectRoles` reads it. */
  readonly project_role: ProjectRole
}

/** A type of object that can be read. */
export type ViewType = keyof Views

/** Names an object of one type. */
export type RefOf<Type extends ViewType> = Extract<
  ObjectRef,
  {
    /** Type of the object. */
    readonly type: Type
  }
>

/** A value that rows are ordered by: text by code point, false before true, numbers by size. */
export type SortValue = string | boolean | Position

/** One condition on one field. Text compares code point by code point. */
export interface Condition {
  /** A shown field that holds text, or `state`. */
  readonly field: string
  /** What the whole text is, what it begins with, or what it has anywhere. */
  readonly operator: 'equals' | 'startsWith' | 'contains'
  /** The text that it is compared with; may be empty. */
  readonly value: string
  /**
   * Compares both sides in lower case and then in upper case, code point by code point, after the
   * rules of Unicode and not of a language.
   */
  readonly ignoreCase: boolean
}

/** One field of an order; further fields decide among rows that are equal in it. */
export interface SortKey {
  /** A shown field that is no list; `sequence`, `creationDate` and `changeDate` stand for those of `details`. */
  readonly field: string
  /** Least first, or greatest first. */
  readonly direction: 'asc' | 'desc'
}

/** A page of one organization's objects, or of the roles of one of its projects. */
export interface ListQuery<Type extends ViewType> {
  /** The type of the objects. */
  readonly type: Type
  /** The organization that owns them. */
  readonly orgId: string
  /** For roles, and for them alone. */
  readonly projectId?: string
  /** All must hold. */
  readonly conditions: readonly Condition[]
  /** Total: its last field is the object's id or key, so that no two rows are equal. */
  readonly sort: readonly SortKey[]
  /** Values of the `sort` fields of the row after which the page begins, exclusive. */
  readonly after?: readonly SortValue[]
  /** 1 to 1000 rows. */
  readonly limit: number
}

/** What a {@link ListQuery} finds, all as of one moment. */
export interface Listing<Row> {
  /** The page, in the order asked for. */
  readonly items: readonly Row[]
  /** Whether rows follow the last of `items`. */
  readonly hasMore: boolean
  /** Rows that meet the conditions, on all pages together. */
  readonly totalSize: number
  /** The checkpoint that the rows were read at. */
  readonly sequence: Position
}

/**
 * What one event changed in one field that is shown, but for ids, keys and `details`. An event that an
 * object came to be with changes all of them, from undefined; one that ends it changes `state` to
 * `removed`; one that seals a secret anew changes none.
 */
export type FieldChange =
  | {
      /** Name of the field; `state` of an object that was added or removed, too. */
      readonly field: string
      /** Its value before; undefined when the object was not there. */
      readonly from: unknown
      /** Its value since. */
      readonly to: unknown
    }
  | {
      /** `clientSecret`. */
      readonly field: string
      /** Of a secret no more is shown. */
      readonly changed: true
    }

/** Who changed what, when. */
export interface HistoryEntry {
  /** Position of the event. */
  readonly sequence: Position
  /** When it was recorded, to the millisecond. */
  readonly time: Date
  /** Who acted. */
  readonly actor: Actor
  /** Event type. */
  readonly type: string
  /** What it happened to: in the history of a role, at its project's removal, the project. */
  readonly object: ObjectRef
  /** Field by field, as far as values differ. */
  readonly changes: readonly FieldChange[]
  /** That of the context, when it had one. */
  readonly correlationId?: string
}

/**
 * A page of the history of one organization or of one of its objects. All that is given must hold; a
 * read model that ignores an optional field answers wrongly.
 */
export interface HistoryQuery {
  /** The organization that owns the objects. */
  readonly orgId: string
  /**
   * The one object; all when absent. An entry of type `project.removed` of a role's project belongs to
   * the history of the role, too, when the last entry of the role below it is there and is no removal.
   */
  readonly object?: ObjectRef
  /** With an `object` that is a project, and with no other: the entries of all its roles, too, removed ones included. */
  readonly including?: 'roles'
  /** `userId` of who acted. */
  readonly actor?: string
  /** Event types, any of which an entry must have. */
  readonly types?: readonly string[]
  /** Exclusive lower bound; any integer, also one below 0 or of more than 64 bits. */
  readonly after: Position
  /** Exclusive upper bound; any integer; none when absent. */
  readonly before?: Position
  /** Oldest first, `asc`, when absent; with `desc` the page begins with the newest entry below `before`. */
  readonly order?: 'asc' | 'desc'
  /** Most entries; at least 1. */
  readonly limit: number
}

/**
 * The views that the library itself reads, kept by the host. Each answer is as of one moment, at or
 * after the checkpoint when it was asked for, and its reader's own: whoever alters it alters no other.
 * `apply` rejects an event of a type that is none of the library's, with nothing applied. Run
 * `readModelLaws` of `claviger/testing` against your implementation.
 */
export interface ReadModel extends Projection {
  /** The object, or undefined; a role is not found once its project is removed. */
  get<Type extends ViewType>(orgId: string, ref: RefOf<Type>): Promise<Views[Type] | undefined>

  /**
   * A page of objects; of roles, none once their project is removed. Rejects what names a field that
   * cannot be gone by.
   */
  list<Type extends ViewType>(query: ListQuery<Type>): Promise<Listing<Views[Type]>>

  /** A page of history; removed objects keep theirs. */
  history(query: HistoryQuery): Promise<readonly HistoryEntry[]>

  /**
   * A second port, of a read model that lies in one database with a store: it reads and finds out in one question
   * whether that is up to date. Undefined for any other pair than that store and this very read model: a copy of
   * either may answer otherwise.
   */
  readAtHead?(pair: {
    /** What the events are read from. */
    readonly store: EventStore
    /** What is asked. */
    readonly readModel: ReadModel
  }): ReadAtHead | undefined
}

/** What a read found, all as of one moment. */
export interface FoundAtHead<Found> {
  /** As the read model answers it. */
  readonly found: Found
  /** Position of the store's last event; `0n` when there is none. */
  readonly head: Position
  /** The checkpoint of the read model. What was found is up to date unless it is below `head`. */
  readonly reached: Position
}

/** Reads of a {@link ReadModel} that tell how far it is. */
export interface ReadAtHead {
  /** As `get` of the read model. */
  get<Type extends ViewType>(
    orgId: string,
    ref: RefOf<Type>,
  ): Promise<FoundAtHead<Views[Type] | undefined>>

  /** As `list` of the read model. */
  list<Type extends ViewType>(query: ListQuery<Type>): Promise<FoundAtHead<Listing<Views[Type]>>>
}
