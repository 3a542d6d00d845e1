import type { OidcMappingField } from '../domain/identity-provider/command-schemas.js'
import { isRequiredText } from '../domain/values.js'
import { addProvider } from './add-provider.js'
import {
  documentsIn,
  type Found,
  fieldIn,
  idFor,
  isRecord,
  itemsIn,
  parsed,
  textIn,
  warn,
  warnMalformed,
} from './document.js'
import { type Imported, openReport } from './imported.js'
import {
  addProject,
  addRole,
  addUserRole,
  hasRoles,
  importedFrom,
  type OrganizationDraft,
  openOrganization,
  type ProjectDraft,
} from './organization-draft.js'

/** Rows of better-auth's tables, from its adapter or a query. */
export interface BetterAuthTables {
  /** Of the plugin `@better-auth/sso`. */
  readonly ssoProviders?: readonly object[] | undefined
  /** Of the plugin `organization` with dynamic access control. */
  readonly organizationRoles?: readonly object[] | undefined
  /** Of the plugin `organization`. */
  readonly members?: readonly object[] | undefined
}

/**
 * Reads the tables of better-auth, or a list of files with them: JSON text, its bytes or its parsed value; tables and
 * rows may be JSON text too. OIDC providers of organizations are imported, and the roles of their members as roles of the
 * project `organization`. Other tables are left out with a warning. Never throws: an unreadable export is one warning
 * with an empty path.
 */
export const readBetterAuth = (
  source: BetterAuthTables | readonly unknown[] | string | Uint8Array,
): Imported => {
  const { warnings, report } = openReport()
  const drafts = new Map<string, OrganizationDraft>()
  const organizationOf = openOrganizations(drafts)
  const documents = [...documentsIn({ value: source, path: '', report })].filter(hasTables)
  // Roles of every file come before the members who have them.
  for (const [name, read] of TABLES)
    for (const document of documents) read(fieldIn(document, name), organizationOf)
  for (const document of documents)
    for (const name of Object.keys(Object(document.value)))
      if (TABLES.every(([table]) => fieldIn(document, table).path !== fieldIn(document, name).path))
        warn(fieldIn(document, name), 'NotKept')
  return {
    organizations: [...drafts.values()].flatMap((draft) => importedFrom(draft, 'better-auth')),
    warnings,
  }
}

/** Whether a file has one of the tables; warns if not. */
const hasTables = (document: Found): boolean => {
  const has = TABLES.some(([name]) => fieldIn(document, name).value !== undefined)
  if (!has) warnMalformed(document)
  return has
}

/** The rows of a table that may be absent. The table and each row may be JSON text, as queries return them. */
function* rowsIn(table: Found): Generator<Found> {
  for (const item of itemsIn(unfolded(table))) {
    const row = unfolded(item)
    if (isRecord(row.value)) yield { ...row, value: withTextIds(row.value) }
    else warn(row, 'Malformed')
  }
}

/** The row with ids as text: a query returns those of `generateId: 'serial'` as numbers. */
const withTextIds = (row: object): object => {
  const asText = ([name, value]: [string, unknown]) =>
    [
      name,
      /^(organization|user)_?id$/i.test(name) && Number.isSafeInteger(value)
        ? String(value)
        : value,
    ] as const
  return Object.fromEntries(Object.entries(row).map(asText))
}

/** What JSON text says. */
const unfolded = (found: Found): Found => ({ ...found, value: parsed(found.value) })

/** Finds the organization of a row; undefined, with a warning, when it has none. */
type OrganizationOf = (row: Found) => OrganizationDraft | undefined

/** Opens each organization at its first row. */
const openOrganizations = (drafts: Map<string, OrganizationDraft>): OrganizationOf => {
  const taken = new Set<string>()
  const open = (id: string, at: Found): OrganizationDraft | undefined => {
    const draft = openOrganization(idFor(id, at))
    if (taken.has(draft.orgId)) warn(at, 'Doubled')
    else drafts.set(id, draft)
    taken.add(draft.orgId)
    return drafts.get(id)
  }
  return (row) => {
    const id = textIn(row, 'organizationId')
    if (id !== undefined) return drafts.get(id) ?? open(id, fieldIn(row, 'organizationId'))
    warn(row, 'OrganizationMissing')
    return undefined
  }
}

const PROJECT = 'organization'

/** The project that has the roles of an organization, which is added at its first row. */
const roleProject = (draft: OrganizationDraft, row: Found): ProjectDraft | undefined =>
  draft.projects.get(PROJECT) ?? addProject(draft, row, { id: PROJECT, name: 'Organization' })

/** Reads the OIDC providers of organizations. Providers of SAML or without an organization are left out. */
const readProviders = (rows: Found, organizationOf: OrganizationOf): void => {
  for (const row of rowsIn(rows)) {
    const config = configIn(row)
    if (!isRecord(config.value)) {
      warn(row, 'ProviderUnsupported')
      continue
    }
    const draft = organizationOf(row)
    if (!draft) continue
    const domain = fieldIn(row, 'domain')
    if (domain.value !== undefined && domain.value !== '') warn(domain, 'DomainLeft')
    const scopes = fieldIn(config, 'scopes')
    addProvider(draft, {
      id: fieldIn(row, 'providerId'),
      name: fieldIn(row, 'providerId'),
      clientId: fieldIn(config, 'clientId'),
      clientSecret: fieldIn(config, 'clientSecret'),
      issuer: fieldIn(row, 'issuer'),
      scopes: { ...scopes, value: scopes.value ?? DEFAULT_SCOPES },
      isActive: true,
      fields: mappingIn(unfolded(fieldIn(config, 'mapping'))),
    })
  }
}

/** The scopes of better-auth when none are set. */
const DEFAULT_SCOPES = ['openid', 'email', 'profile', 'offline_access']

/** The configuration, which is JSON text in the database. */
const configIn = (row: Found): Found => unfolded(fieldIn(row, 'oidcConfig'))

const FIELDS = new Map<unknown, OidcMappingField>([
  ['name', 'OIDC_MAPPING_FIELD_UNSPECIFIED'],
  ['email', 'OIDC_MAPPING_FIELD_EMAIL'],
  ['preferred_username', 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME'],
])

/** The claims that fields of better-auth's user usually come from. */
const USUAL: readonly (readonly [field: string, claim: string])[] = [
  ['id', 'sub'],
  ['email', 'email'],
  ['emailVerified', 'email_verified'],
  ['image', 'picture'],
]

const mappingIn = (mapping: Found) => {
  for (const [field, claim] of USUAL) {
    const found = fieldIn(mapping, field)
    if (found.value !== undefined && found.value !== claim) warn(found, 'MappingLeft')
  }
  const extra = fieldIn(mapping, 'extraFields')
  if (isRecord(extra.value) && Object.keys(extra.value).length > 0) warn(extra, 'MappingLeft')
  const name = fieldIn(mapping, 'name')
  const displayNameMapping = FIELDS.get(name.value)
  if (name.value !== undefined && !displayNameMapping) warn(name, 'MappingLeft')
  return { ...(displayNameMapping && { displayNameMapping }) }
}

/** Reads the roles that organizations have defined. */
const readOrganizationRoles = (rows: Found, organizationOf: OrganizationOf): void => {
  for (const row of rowsIn(rows)) {
    const draft = organizationOf(row)
    const project = draft && roleProject(draft, row)
    if (!project) continue
    addRole(project, fieldIn(row, 'role'))
    const permission = fieldIn(row, 'permission')
    if (permission.value !== undefined) warn(permission, 'PermissionsLeft')
  }
}

/** Reads the roles of members. Roles that only the application's code defines are added with their first member. */
const readMembers = (rows: Found, organizationOf: OrganizationOf): void => {
  for (const row of rowsIn(rows)) {
    const draft = organizationOf(row)
    const project = draft && roleProject(draft, row)
    if (!project) continue
    const team = fieldIn(row, 'teamId')
    if (isRequiredText(team.value)) warn(team, 'NotKept')
    const role = fieldIn(row, 'role')
    const userId = textIn(row, 'userId')
    if (userId !== undefined && hasRoles(draft, project, userId)) {
      warn(row, 'Doubled')
      continue
    }
    const keys = (textIn(row, 'role') ?? '').split(',').map((key) => key.trim())
    if (keys.every((key) => key === '')) warn(role, 'NoRoles')
    for (const roleKey of keys.filter((key) => key !== '')) {
      if (isRequiredText(userId) && !project.roles.has(roleKey))
        addRole(project, { ...role, value: roleKey })
      addUserRole(draft, role, { userId, project, roleKey })
    }
  }
}

/** The tables that are read, in this order. */
const TABLES: readonly (readonly [
  name: string,
  read: (rows: Found, organizationOf: OrganizationOf) => void,
])[] = [
  ['ssoProviders', readProviders],
  ['organizationRoles', readOrganizationRoles],
  ['members', readMembers],
]
