import {
  importedFrom,
  type OrganizationDraft,
  openOrganization,
} from '../drafting/organization-draft.js'
import type { Imported } from '../imported.js'
import {
  documentOf,
  type Found,
  fieldIn,
  isRecord,
  recordsIn,
  textIn,
} from '../reading/document.js'
import { idFor, referredId } from '../reading/ids.js'
import { openReport, type Warn } from '../warning.js'
import { readGroups } from './read-groups.js'
import { readProviders } from './read-providers.js'
import { readRoles } from './read-roles.js'
import { readUsers } from './read-users.js'

/**
 * Reads a realm as Keycloak exports it, or a list of realms: text of JSON, or what was parsed of it. A realm becomes an
 * organization, each client with roles a project, and the roles of the realm the project `realm`; OIDC providers and
 * the roles of users are taken. It throws nothing: what it cannot read at all is one warning with an empty path.
 */
export const readKeycloakRealm = (json: unknown): Imported => {
  const { warnings, warn } = openReport()
  const drafts = new Map<string, OrganizationDraft>()
  for (const found of realmsIn(documentOf(json), warn)) {
    const realm = textIn(found, 'realm')
    const path = fieldIn(found, 'realm').path
    if (realm === undefined) warn('Malformed', found.path)
    else if (drafts.has(referredId(realm))) warn('Doubled', path)
    else {
      const draft = openOrganization(idFor(realm, path, warn))
      drafts.set(draft.orgId, readRealm(found, draft, warn))
    }
  }
  return {
    organizations: [...drafts.values()].flatMap((draft) => importedFrom(draft, 'keycloak')),
    warnings,
  }
}

const realmsIn = (document: Found, warn: Warn): Iterable<Found> => {
  if (Array.isArray(document.value)) return recordsIn(document, warn)
  if (isRecord(document.value)) return [document]
  warn('Malformed', '')
  return []
}

const readRealm = (realm: Found, draft: OrganizationDraft, warn: Warn): OrganizationDraft => {
  const roles = readRoles(realm, draft, warn)
  const groups = readGroups(realm, roles, warn)
  readProviders(realm, draft, warn)
  readUsers(realm, { draft, roles, groups }, warn)
  for (const { value, path } of [
    fieldIn(realm, 'organizations'),
    fieldIn(realm, 'federatedUsers'),
    fieldIn(fieldIn(realm, 'components'), 'org.keycloak.storage.UserStorageProvider'),
  ])
    if (Array.isArray(value) && value.length > 0) warn('NotKept', path)
  return draft
}
