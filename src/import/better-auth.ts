import type { OidcMappingField } from '../domain/identity-provider/command-schemas.js'
import { isRequiredText } from '../domain/values.js'
import { addProvider } from './add-provider.js'
import { documentOf, type Found, fieldIn, idFor, isRecord, recordsIn, textIn } from './document.js'
import { type Imported, openReport, type Warn } from './imported.js'
import {
  addProject,
  addRole,
  addUserRole,
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

const TABLES = ['ssoProviders', 'organizationRoles', 'members']

/**
 * Reads the tables of better-auth. OIDC providers of organizations are imported, and the roles of their members as
 * roles of the project `organization`. Other tables are left out with a warning. Never throws: an unreadable export is one warning with an empty path.
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
    for (const name of Object.keys(document.value))
      if (!TABLES.includes(name)) warn('NotKept', name)
  }
  return {
    organizations: [...drafts.values()].flatMap((draft) => importedFrom(draft, 'better-auth')),
    warnings,
  }
}

/** Finds the organization of a row; undefined, with a warning, when it has none. */
type OrganizationOf = (row: Found) => OrganizationDraft | undefined

/** Opens each organization at its first row. */
const openOrganizations = (drafts: Map<string, OrganizationDraft>, warn: Warn): OrganizationOf => {
  const taken = new Set<string>()
  const open = (id: string, path: string): OrganizationDraft | undefined => {
    const draft = openOrganization(idFor(id, path, warn))
    if (taken.has(draft.orgId)) warn('Doubled', path)
    else drafts.set(id, draft)
    taken.add(draft.orgId)
    return drafts.get(id)
  }
  return (row) => {
    const id = textIn(row, 'organizationId')
    if (id !== undefined) return drafts.get(id) ?? open(id, fieldIn(row, 'organizationId').path)
    warn('OrganizationMissing', row.path)
    return undefined
  }
}

const PROJECT = 'organization'

/** The project that has the roles of an organization. */
const roleProject = (draft: OrganizationDraft, warn: Warn): ProjectDraft | undefined =>
  draft.projects.get(PROJECT) ??
  addProject(draft, { id: PROJECT, name: 'Organization', path: '' }, warn)

/** Reads the OIDC providers of organizations. Providers of SAML or without an organization are left out. */
const readProviders = (rows: Found, organizationOf: OrganizationOf, warn: Warn): void => {
  for (const row of recordsIn(rows, warn)) {
    const config = configIn(row)
    if (!isRecord(config.value)) {
      warn('ProviderUnsupported', row.path)
      continue
    }
    const draft = organizationOf(row)
    if (!draft) continue
    const domain = fieldIn(row, 'domain')
    if (domain.value !== undefined && domain.value !== '') warn('DomainLeft', domain.path)
    const scopes = fieldIn(config, 'scopes')
    addProvider(
      draft,
      {
        id: fieldIn(row, 'providerId'),
        name: fieldIn(row, 'providerId'),
        clientId: fieldIn(config, 'clientId'),
        clientSecret: fieldIn(config, 'clientSecret'),
        issuer: fieldIn(row, 'issuer'),
        scopes: { value: scopes.value ?? DEFAULT_SCOPES, path: scopes.path },
        isActive: true,
        fields: mappingIn(fieldIn(config, 'mapping'), warn),
      },
      warn,
    )
  }
}

/** The scopes of better-auth when none are set. */
const DEFAULT_SCOPES = ['openid', 'email', 'profile', 'offline_access']

/** The configuration, which is JSON text in the database. */
const configIn = (row: Found): Found => {
  const { value, path } = fieldIn(row, 'oidcConfig')
  return { value: documentOf(value).value, path }
}

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

const mappingIn = (mapping: Found, warn: Warn) => {
  for (const [field, claim] of USUAL) {
    const { value, path } = fieldIn(mapping, field)
    if (value !== undefined && value !== claim) warn('MappingLeft', path)
  }
  const extra = fieldIn(mapping, 'extraFields')
  if (isRecord(extra.value) && Object.keys(extra.value).length > 0) warn('MappingLeft', extra.path)
  const { value, path } = fieldIn(mapping, 'name')
  const displayNameMapping = FIELDS.get(value)
  if (value !== undefined && !displayNameMapping) warn('MappingLeft', path)
  return { ...(displayNameMapping && { displayNameMapping }) }
}

/** Reads the roles that organizations have defined. */
const readOrganizationRoles = (rows: Found, organizationOf: OrganizationOf, warn: Warn): void => {
  for (const row of recordsIn(rows, warn)) {
    const draft = organizationOf(row)
    const project = draft && roleProject(draft, warn)
    if (!project) continue
    const { value: roleKey, path } = fieldIn(row, 'role')
    const displayName = typeof roleKey === 'string' ? roleKey : ''
    addRole(project, { roleKey, displayName, path }, warn)
    const permission = fieldIn(row, 'permission')
    if (permission.value !== undefined) warn('PermissionsLeft', permission.path)
  }
}

/** Reads the roles of members. Roles that only the application's code defines are added with their first member. */
const readMembers = (rows: Found, organizationOf: OrganizationOf, warn: Warn): void => {
  for (const row of recordsIn(rows, warn)) {
    const draft = organizationOf(row)
    const project = draft && roleProject(draft, warn)
    if (!project) continue
    const { path } = fieldIn(row, 'role')
    const userId = textIn(row, 'userId')
    const keys = (textIn(row, 'role') ?? '').split(',').map((key) => key.trim())
    if (keys.every((key) => key === '')) warn('NoRoles', path)
    for (const roleKey of keys.filter((key) => key !== '')) {
      if (isRequiredText(userId) && !project.roles.has(roleKey))
        addRole(project, { roleKey, displayName: roleKey, path }, warn)
      addUserRole(draft, { userId, project, roleKey, path }, warn)
    }
  }
}
