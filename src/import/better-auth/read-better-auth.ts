import { importedFrom, type OrganizationDraft } from '../drafting/organization-draft.js'
import type { Imported } from '../imported.js'
import { documentOf, fieldIn, isRecord } from '../reading/document.js'
import { openReport } from '../warning.js'
import { openOrganizations } from './organizations.js'
import { readProviders } from './read-providers.js'
import { readMembers, readOrganizationRoles } from './read-roles.js'

/** Rows of better-auth's tables, as its adapter or a query answers them. */
export interface BetterAuthTables {
  /** Of the plugin `@better-auth/sso`. */
  readonly ssoProviders?: readonly object[] | undefined
  /** Of the plugin `organization` with dynamic access control. */
  readonly organizationRoles?: readonly object[] | undefined
  /** Of the plugin `organization`. */
  readonly members?: readonly object[] | undefined
}

const TABLES = ['ssoProviders', 'organizationRoles', 'members'] as const

/**
 * Reads the tables of better-auth. OIDC providers of organizations are taken, and the roles of their members, as roles
 * of the project `organization`. It throws nothing: what it cannot read at all is one warning with an empty path.
 */
export const readBetterAuth = (tables: BetterAuthTables): Imported => {
  const { warnings, warn } = openReport()
  const document = documentOf(tables)
  const drafts = new Map<string, OrganizationDraft>()
  if (
    !isRecord(document.value) ||
    TABLES.every((name) => fieldIn(document, name).value === undefined)
  )
    warn('Malformed', '')
  else {
    const organizationOf = openOrganizations(drafts, warn)
    readProviders(fieldIn(document, 'ssoProviders'), organizationOf, warn)
    readOrganizationRoles(fieldIn(document, 'organizationRoles'), organizationOf, warn)
    readMembers(fieldIn(document, 'members'), organizationOf, warn)
  }
  return {
    organizations: [...drafts.values()].flatMap((draft) => importedFrom(draft, 'better-auth')),
    warnings,
  }
}
