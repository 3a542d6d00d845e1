import type { DesiredAccess, GivenUserGrant } from '../index.js'
import type { ImportWarning } from './warning.js'

/** What was read of an export. */
export interface Imported {
  /**
   * In the order of the export. Apply the `access` of all before the `userGrants` of any, since users may have roles of
   * another organization's project. An organization comes again when it has more than 1,000 projects or providers.
   */
  readonly organizations: readonly ImportedOrganization[]
  /** What was changed or left out, and why; in the order in which it was found. */
  readonly warnings: readonly ImportWarning[]
}

/** What was read of one organization. */
export interface ImportedOrganization {
  /** As in the export, or derived from it where that could be no id: always the same for the same. */
  readonly orgId: string
  /** For `iam.plan` and `iam.apply`, marked as `import:` and the name of the source; it prunes nothing. */
  readonly access: DesiredAccess
  /** For `iam.userGrants.import`, after `access` was applied. */
  readonly userGrants: readonly GivenUserGrant[]
}
