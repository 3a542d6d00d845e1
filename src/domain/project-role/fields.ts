// Field by field: of what is taken or mapped from another type, some editors show no documentation.

/** Display name and group of a role. Spec: Project role. */
export interface ProjectRoleDisplay {
  /** 1 to 200 characters (code points). Spec: Project role. */
  readonly displayName: string
  /**
   * For display only, such as to give a user all roles of a group, see `rolesOfGroup`: at most 200
   * characters (code points); empty for none. Spec: Project role.
   */
  readonly group: string
}

/** Group of a role that may be absent. Spec: Project role. */
export interface GivenGroup {
  /**
   * For display only, such as to give a user all roles of a group, see `rolesOfGroup`: at most 200
   * characters (code points). Absent: empty for a new role, else as it is. Spec: Project role.
   */
  readonly group?: string | undefined
}
