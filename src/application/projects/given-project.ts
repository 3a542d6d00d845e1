import type { PrivateLabelingSetting } from '../../domain/project/commands.js'

/** What a caller says of a project. Spec: Project. */
export interface GivenProject {
  /** 1 to 200 characters (code points); several projects may have the same. Spec: Project. */
  readonly name: string
  /**
   * Role information is included in the user info endpoint, see `roleClaims`; false when absent.
   * Spec: Project.
   */
  readonly projectRoleAssertion?: boolean | undefined
  /**
   * At login, the user must have a role of this project, see `checkLogin`; false when absent. Spec:
   * Project.
   */
  readonly projectRoleCheck?: boolean | undefined
  /**
   * At login, the user's organization must own the project or have a grant to it, see `checkLogin`;
   * false when absent. Spec: Project.
   */
  readonly hasProjectCheck?: boolean | undefined
  /**
   * Whose branding the login shows, see `brandingOrganization`;
   * `PRIVATE_LABELING_SETTING_UNSPECIFIED`, the host's own, when absent. Spec: Project.
   */
  readonly privateLabelingSetting?: PrivateLabelingSetting | undefined
}
