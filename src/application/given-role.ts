/** What a caller says of a role, beside its project. Spec: Project role. */
export interface GivenRole {
  /**
   * What authorization checks look at: 1 to 200 characters (code points), unique within the project.
   * Compared code point by code point, so case counts. Spec: Project role.
   */
  readonly roleKey: string
  /** 1 to 200 characters (code points). Spec: Project role. */
  readonly displayName: string
  /**
   * For display only, such as to give a user all roles of a group, see `rolesOfGroup`: at most 200
   * characters (code points); empty when absent. Spec: Project role.
   */
  readonly group?: string | undefined
}
