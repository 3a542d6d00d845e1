import * as z from 'zod/mini'
import { OidcMappingField, StylingType } from '../domain/identity-provider/command-schemas.js'
import { PrivateLabelingSetting } from '../domain/project/command-schemas.js'
import { isRequiredText } from '../domain/values.js'
import type { DesiredSettings } from '../index.js'
import { addProvider } from './add-provider.js'
import {
  documentOf,
  type Found,
  fieldIn,
  idFor,
  isRecord,
  isTrueIn,
  nameIn,
  optionalTextIn,
  recordsIn,
  referredId,
  textIn,
  textsIn,
} from './document.js'
import { type Imported, openReport, type Warn } from './imported.js'
import {
  addGrant,
  addProject,
  addRole,
  addUserRole,
  importedFrom,
  type OrganizationDraft,
  openOrganization,
  type ProjectDraft,
} from './organization-draft.js'

/**
 * Reads an export of the administration API of Zitadel: JSON text, or its parsed value. Each organization keeps its
 * id; its OIDC providers, projects, roles, project grants and user grants are imported. A warning reports everything
 * else. Never throws: an unreadable export is one warning with an empty path.
 */
export const readZitadelExport = (json: unknown): Imported => {
  const { warnings, warn } = openReport()
  const document = documentOf(json)
  // The format of Zitadel's import has the organizations one level deeper.
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

/** An organization, and its projects by their ids in the export. */
interface FoundOrganization {
  readonly found: Found
  readonly draft: OrganizationDraft
  readonly projects: ReadonlyMap<string, ProjectDraft>
}

/** Reads the organizations without user grants, which may refer to projects of any organization. */
const readOrganizations = (orgs: Found, warn: Warn): readonly FoundOrganization[] => {
  const organizations = new Map<string, FoundOrganization>()
  for (const found of recordsIn(orgs, warn)) {
    const { value: id, path } = fieldIn(found, 'orgId')
    if (!isRequiredText(id)) warn('KeyUnusable', path)
    else if (organizations.has(referredId(id))) warn('Doubled', path)
    else organizations.set(referredId(id), readOrganization(found, { id, path }, warn))
  }
  return [...organizations.values()]
}

const readOrganization = (
  found: Found,
  { id, path }: { readonly id: string; readonly path: string },
  warn: Warn,
): FoundOrganization => {
  const draft = openOrganization(idFor(id, path, warn))
  const projects = readProjects(found, draft, warn)
  readRoles(found, projects, warn)
  readGrants(found, projects, warn)
  readProviders(found, draft, warn)
  for (const name of NOT_KEPT) {
    const { value, path } = fieldIn(found, name)
    if (Array.isArray(value) && value.length > 0) warn('NotKept', path)
  }
  for (const domain of recordsIn(fieldIn(found, 'domains'), warn)) warn('DomainLeft', domain.path)
  return { found, draft, projects }
}

/** Lists that are left out with a warning. Looks and texts of Zitadel itself are left out without one. */
const NOT_KEPT = [
  'apiApps',
  'oidcApps',
  'humanUsers',
  'machineUsers',
  'actions',
  'triggerActions',
  'orgMembers',
  'projectMembers',
  'projectGrantMembers',
  'userLinks',
  'appKeys',
  'machineKeys',
] as const

const readProjects = (
  organization: Found,
  draft: OrganizationDraft,
  warn: Warn,
): Map<string, ProjectDraft> => {
  const projects = new Map<string, ProjectDraft>()
  for (const found of recordsIn(fieldIn(organization, 'projects'), warn)) {
    const { value: id, path } = fieldIn(found, 'projectId')
    if (!isRequiredText(id)) {
      warn('KeyUnusable', path)
      continue
    }
    const declared = fieldIn(found, 'project')
    const name = nameIn(fieldIn(declared, 'name'), id, warn)
    const project = addProject(draft, { id, name, settings: settingsIn(declared), path }, warn)
    if (project) projects.set(id, project)
  }
  return projects
}

/** Absent settings have their defaults. */
const settingsIn = (project: Found): DesiredSettings => {
  const { value: labeling } = fieldIn(project, 'privateLabelingSetting')
  return {
    projectRoleAssertion: isTrueIn(project, 'projectRoleAssertion'),
    projectRoleCheck: isTrueIn(project, 'projectRoleCheck'),
    hasProjectCheck: isTrueIn(project, 'hasProjectCheck'),
    privateLabelingSetting: z.validate(PrivateLabelingSetting, labeling)
      ? labeling
      : 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  }
}

const readRoles = (
  organization: Found,
  projects: ReadonlyMap<string, ProjectDraft>,
  warn: Warn,
): void => {
  for (const found of recordsIn(fieldIn(organization, 'projectRoles'), warn)) {
    const project = projects.get(textIn(found, 'projectId') ?? '')
    const { value: roleKey, path } = fieldIn(found, 'roleKey')
    if (!project) warn('ProjectUnknown', found.path)
    else if (!isRequiredText(roleKey)) warn('KeyUnusable', path)
    else {
      const displayName = nameIn(fieldIn(found, 'displayName'), roleKey, warn)
      const group = optionalTextIn(fieldIn(found, 'group'), warn)
      addRole(project, { roleKey, displayName, group, path }, warn)
    }
  }
}

const readGrants = (
  organization: Found,
  projects: ReadonlyMap<string, ProjectDraft>,
  warn: Warn,
): void => {
  for (const { value, path } of recordsIn(fieldIn(organization, 'projectGrants'), warn)) {
    const found = fieldIn({ value, path }, 'projectGrant')
    const project = projects.get(textIn(found, 'projectId') ?? '')
    const granted = textIn(found, 'grantedOrgId')
    const roleKeys = fieldIn(found, 'roleKeys')
    if (!project) warn('ProjectUnknown', path)
    else if (granted === undefined) warn('OrganizationUnknown', path)
    else addGrant(project, { grantedOrgId: referredId(granted), roleKeys, path }, warn)
  }
}

/** Reads the OIDC providers of an organization. Others are left out. */
const readProviders = (organization: Found, draft: OrganizationDraft, warn: Warn): void => {
  for (const found of recordsIn(fieldIn(organization, 'oidcIdps'), warn)) {
    const idp = fieldIn(found, 'idp')
    const styling = fieldIn(idp, 'stylingType').value
    addProvider(
      draft,
      {
        id: fieldIn(found, 'idpId'),
        name: fieldIn(idp, 'name'),
        clientId: fieldIn(idp, 'clientId'),
        clientSecret: fieldIn(idp, 'clientSecret'),
        issuer: fieldIn(idp, 'issuer'),
        scopes: fieldIn(idp, 'scopes'),
        isActive: true,
        fields: {
          stylingType: z.validate(StylingType, styling) ? styling : 'STYLING_TYPE_UNSPECIFIED',
          autoRegister: isTrueIn(idp, 'autoRegister'),
          displayNameMapping: mappingIn(fieldIn(idp, 'displayNameMapping'), warn),
          usernameMapping: mappingIn(fieldIn(idp, 'usernameMapping'), warn),
        },
      },
      warn,
    )
  }
  for (const { path } of recordsIn(fieldIn(organization, 'jwtIdps'), warn))
    warn('ProviderUnsupported', path)
}

const mappingIn = ({ value, path }: Found, warn: Warn): OidcMappingField => {
  if (z.validate(OidcMappingField, value)) return value
  if (value !== undefined) warn('MappingLeft', path)
  return 'OIDC_MAPPING_FIELD_UNSPECIFIED'
}

/** Reads the roles of users, in projects of any organization. */
const readUserGrants = (organizations: readonly FoundOrganization[], warn: Warn): void => {
  const all = new Map<string, ProjectDraft>()
  for (const { projects } of organizations)
    for (const [id, project] of projects) if (!all.has(id)) all.set(id, project)
  for (const { found, draft, projects } of organizations)
    for (const grant of recordsIn(fieldIn(found, 'userGrants'), warn)) {
      const projectId = textIn(grant, 'projectId') ?? ''
      const project = projects.get(projectId) ?? all.get(projectId)
      const userId = textIn(grant, 'userId')
      const roles = [...textsIn(fieldIn(grant, 'roleKeys'), warn)]
      if (!project) warn('ProjectUnknown', grant.path)
      else if (roles.length === 0) warn('NoRoles', grant.path)
      else
        for (const { value: roleKey, path } of roles)
          addUserRole(draft, { userId, project, roleKey, path }, warn)
    }
}
