/** What the text of one field must be like; of several operators, all must hold, and one must be there. */
export interface TextFilter {
  /** The whole text: at most 200 characters (code points). */
  readonly equals?: string | undefined
  /** What the text begins with: at most 200 characters (code points). */
  readonly startsWith?: string | undefined
  /** What the text has anywhere: at most 200 characters (code points). */
  readonly contains?: string | undefined
  /** Compares without regard to case, after the rules of Unicode and not of a language; false when absent. */
  readonly ignoreCase?: boolean | undefined
}

interface StateFilter {
  /** Objects in this state; in either when absent. */
  readonly state?: 'active' | 'inactive' | undefined
}

/** Which identity providers; all conditions must hold. */
export interface IdentityProviderFilter extends StateFilter {
  /** On the id. */
  readonly idpId?: TextFilter | undefined
  /** On the name. */
  readonly name?: TextFilter | undefined
  /** On the client id. */
  readonly clientId?: TextFilter | undefined
  /** On the issuer. */
  readonly issuer?: TextFilter | undefined
}

/** Which projects; all conditions must hold. */
export interface ProjectFilter extends StateFilter {
  /** On the id. */
  readonly id?: TextFilter | undefined
  /** On the name. */
  readonly name?: TextFilter | undefined
}

/** Which roles; all conditions must hold. */
export interface ProjectRoleFilter extends StateFilter {
  /** On the key. */
  readonly roleKey?: TextFilter | undefined
  /** On the display name. */
  readonly displayName?: TextFilter | undefined
  /** On the group; `{ equals: '' }` for roles without one. */
  readonly group?: TextFilter | undefined
}

/** One field of an order; further fields decide among objects that are equal in it. */
export interface SortBy<Field extends string> {
  /** `sequence`, `creationDate` and `changeDate` stand for those of `details`. */
  readonly field: Field
  /** Text by code point, false before true, numbers and times by size; `asc` when absent. */
  readonly direction?: 'asc' | 'desc' | undefined
}

/** Fields that objects of every type can be ordered by. */
export type CommonField = 'state' | 'sequence' | 'creationDate' | 'changeDate'

/** Which page of a list. */
export interface GivenPage {
  /** 1 to 1,000 objects; 100 when absent. */
  readonly pageSize?: number | undefined
  /**
   * `nextPageToken` of the page before, which was asked for in the same organization, with the same
   * filter and order; the first page when absent.
   */
  readonly pageToken?: string | undefined
}
