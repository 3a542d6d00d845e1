import { importedFrom } from '../drafting/organization-draft.js'
import type { Imported } from '../imported.js'
import { documentOf, fieldIn, isRecord } from '../reading/document.js'
import { openReport } from '../warning.js'
import { readOrganizations } from './read-organizations.js'
import { readUserGrants } from './read-user-grants.js'

/**
 * Reads what the administration API of Zitadel answers to an export of data: its text, or what was parsed of it. Each
 * organization keeps its id; its OIDC providers, projects, roles, project grants and user grants are taken. Of anything
 * else it says that it was left. It throws nothing: what it cannot read at all is one warning with an empty path.
 */
export const readZitadelExport = (json: unknown): Imported => {
  const { warnings, warn } = openReport()
  const document = documentOf(json)
  // What an import takes has the same organizations one level deeper.
  const inner = fieldIn(document, 'dataOrgs')
  const orgs = fieldIn(isRecord(inner.value) ? inner : document, 'orgs')
  if (!Array.isArray(orgs.value)) {
    warn('Malformed', '')
    return { organizations: [], warnings }
  }
  const organizations = readOrganizations(orgs, warn)
  readUserGrants(organizations, warn)
  return {
    organizations: organizations.flatMap(({ draft }) => importedFrom(draft, 'zitadel')),
    warnings,
  }
}
