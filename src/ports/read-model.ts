import type { OidcMappingField, StylingType } from '../domain/identity-provider/commands.js'
import type { PrivateLabelingSetting } from '../domain/project/commands.js'
import type { ObjectRef } from '../domain/values.js'
import type { Actor, Position } from './event-store.js'
import type { Projection } from './projection.js'

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
export interface IdentityProvider {
  readonly idpId: string
  readonly name: string
  readonly stylingType: StylingType
  readonly clientId: string
  readonly issuer: string
  readonly scopes: readonly string[]
  readonly displayNameMapping: OidcMappingField
  readonly usernameMapping: OidcMappingField
  readonly autoRegister: boolean
  readonly state: 'active' | 'inactive'
  readonly details: ObjectDetails
}

/** A project as it is read. */
export interface Project {
  readonly id: string
  readonly name: string
  readonly projectRoleAssertion: boolean
  readonly projectRoleCheck: boolean
  readonly hasProjectCheck: boolean
  readonly privateLabelingSetting: PrivateLabelingSetting
  readonly state: 'active' | 'inactive'
  readonly details: ObjectDetails
}

/** A role as it is read. */
export interface ProjectRole {
  readonly projectId: string
  readonly roleKey: string
  readonly displayName: string
  readonly group: string
  readonly state: 'active'
  readonly details: ObjectDetails
}

/** What is read, by the type of object. */
export interface Views {
  readonly identity_provider: IdentityProvider
  readonly project: Project
  readonly project_role: ProjectRole
}

/** A type of object that can be read. */
export type ViewType = keyof Views

/** Names an object of one type. */
export type RefOf<Type extends ViewType> = Extract<ObjectRef, { readonly type: Type }>

/** A value that rows are ordered by: text by code point, false before true, numbers by size. */
export type SortValue = string | boolean | Position

/** One condition on one field. Text compares code point by code point. */
export interface Condition {
  readonly field: string
  readonly operator: 'equals' | 'startsWith' | 'contains'
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
  readonly direction: 'asc' | 'desc'
}

/** A page of one organization's objects, or of the roles of one of its projects. */
export interface ListQuery<Type extends ViewType> {
  readonly type: Type
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
 * `removed`.
 */
export type FieldChange =
  | { readonly field: string; readonly from: unknown; readonly to: unknown }
  /** A secret shows only as changed. */
  | { readonly field: string; readonly changed: true }

/** Who changed what, when. */
export interface HistoryEntry {
  readonly sequence: Position
  readonly time: Date
  readonly actor: Actor
  /** Event type. */
  readonly type: string
  readonly object: ObjectRef
  readonly changes: readonly FieldChange[]
  readonly correlationId?: string
}

/** A page of the history of one organization or of one of its objects, oldest first. */
export interface HistoryQuery {
  readonly orgId: string
  readonly object?: ObjectRef
  /** `userId` of who acted. */
  readonly actor?: string
  /** Event types, any of which an entry must have. */
  readonly types?: readonly string[]
  /** Exclusive; any integer, also one below 0 or of more than 64 bits. */
  readonly after: Position
  readonly limit: number
}

/**
 * The views that the library itself reads, kept by the host. Each answer is as of one moment, at or
 * after the checkpoint when it was asked for. Run `readModelLaws` of `claviger/testing` against
 * your implementation.
 */
export interface ReadModel extends Projection {
  /** The object, or undefined; a role is not found once its project is removed. */
  get<Type extends ViewType>(orgId: string, ref: RefOf<Type>): Promise<Views[Type] | undefined>

  /** A page of objects; of roles, none once their project is removed. */
  list<Type extends ViewType>(query: ListQuery<Type>): Promise<Listing<Views[Type]>>

  /** A page of history; removed objects keep theirs. */
  history(query: HistoryQuery): Promise<readonly HistoryEntry[]>
}
