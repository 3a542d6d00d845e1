import type { PrivateLabelingSetting } from './commands.js'

// Field by field: of what is taken or mapped from another type, some editors show no documentation.

/** Name and settings of a project, all of them. Spec: Project. */
export interface ProjectSettings {
  /** 1 to 200 characters (code points); several projects may have the same. Spec: Project. */
  readonly name: string
  /** Role information is included in the user info endpoint, see `roleClaims`. Spec: Project. */
  readonly projectRoleAssertion: boolean
  /** At login, the user must have a role of this project, see `checkLogin`. Spec: Project. */
  readonly projectRoleCheck: boolean
  /**
   * At login, the user's organization must own the project or have a grant to it, see `checkLogin`.
   * Spec: Project.
   */
  readonly hasProjectCheck: boolean
  /** Whose branding the login shows, see `brandingOrganization`. Spec: Project. */
  readonly privateLabelingSetting: PrivateLabelingSetting
}

/** Settings of a project that may be absent. Spec: Project. */
export interface GivenSettings {
  /**
   * Role information is included in the user info endpoint, see `roleClaims`. Absent: false for a new project, else
   * as it is. Spec: Project.
   */
  readonly projectRoleAssertion?: boolean | undefined
  /**
   * At login, the user must have a role of this project, see `checkLogin`. Absent: false for a new project, else as
   * it is. Spec: Project.
   */
  readonly projectRoleCheck?: boolean | undefined
  /**
   * At login, the user's organization must own the project or have a grant to it, see `checkLogin`. Absent: false
   * for a new project, else as it is. Spec: Project.
   */
  readonly hasProjectCheck?: boolean | undefined
  /**
   * Whose branding the login shows, see `brandingOrganization`. Absent: `PRIVATE_LABELING_SETTING_UNSPECIFIED`, the
   * host's own, for a new project, else as it is. Spec: Project.
   */
  readonly privateLabelingSetting?: PrivateLabelingSetting | undefined
}
