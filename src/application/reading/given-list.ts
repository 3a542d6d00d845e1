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
