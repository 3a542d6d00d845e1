import * as z from 'zod/mini'
import { OidcMappingField, StylingType } from '../domain/identity-provider/command-schemas.js'
import { PrivateLabelingSetting } from '../domain/project/command-schemas.js'
import { isRequiredText } from '../domain/values.js'
import type { DesiredSettings } from '../index.js'
import { addProvider } from './add-provider.js'
import {
  documentsIn,
  type Found,
  fieldIn,
  idFor,
  isTrueIn,
  nameIn,
  optionalTextIn,
  recordsIn,
  referredId,
  textIn,
  textsIn,
  warn,
  warnMalformed,
} from './document.js'
import { type Imported, openReport } from './imported.js'
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
 * Reads an export of the administration API of Zitadel, or a list of such: JSON text, its bytes or its parsed value.
 * Each organization keeps its id; its OIDC providers, projects, roles, project grants and user grants are imported. A
 * warning reports everything else. Never throws: an unreadable export is one warning with an empty path.
 */
export const readZitadelExport = (source: unknown): Imported => {
  const { warnings, report } = openReport()
  const organizations = new Map<string, FoundOrganization>()
  for (const document of documentsIn({ value: source, path: '', report })) {
    const orgs = orgsIn(document)
    if (Array.isArray(orgs.value)) readOrganizations(orgs, organizations)
    else if (isElsewhere(document)) warn(document, 'Malformed', ELSEWHERE)
    else warnMalformed(document)
  }
  readUserGrants([...organizations.values()])
  return {
    organizations: [...organizations.values()].flatMap(({ draft }) =>
      importedFrom(draft, 'zitadel'),
    ),
    warnings,
  }
}

/** The organizations, which a file for Zitadel's import has one level deeper. */
const orgsIn = (document: Found): Found =>
  ['dataOrgs', 'dataOrgsv1']
    .map((name) => fieldIn(fieldIn(document, name), 'orgs'))
    .find(({ value }) => value !== undefined) ?? fieldIn(document, 'orgs')

const ELSEWHERE = 'It only names the file that has the organizations: import that file'

const isElsewhere = ({ value }: Found): boolean =>
  Object.keys(Object(value)).some((name) => /^data_?orgs(v1)?_?(local|s3|gcs)$/i.test(name))

/** An organization, and its projects by their ids in the export. */
interface FoundOrganization {
  readonly found: Found
  readonly draft: OrganizationDraft
  readonly projects: ReadonlyMap<string, ProjectDraft>
}

/** Reads the organizations without user grants, which may refer to projects of any organization. */
const readOrganizations = (orgs: Found, organizations: Map<string, FoundOrganization>): void => {
  for (const found of recordsIn(orgs)) {
    const id = fieldIn(found, 'orgId')
    if (!isRequiredText(id.value)) warn(id, 'KeyUnusable')
    else if (organizations.has(referredId(id.value))) warn(id, 'Doubled')
    else {
      const draft = openOrganization(idFor(id.value, id))
      organizations.set(draft.orgId, readOrganization(found, draft))
    }
  }
}

const readOrganization = (found: Found, draft: OrganizationDraft): FoundOrganization => {
  const projects = readProjects(found, draft)
  readRoles(found, projects)
  readGrants(found, projects)
  readProviders(found, draft)
  for (const name of NOT_KEPT) {
    const list = fieldIn(found, name)
    if (Array.isArray(list.value) && list.value.length > 0) warn(list, 'NotKept')
  }
  for (const domain of recordsIn(fieldIn(found, 'domains'))) warn(domain, 'DomainLeft')
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

const readProjects = (organization: Found, draft: OrganizationDraft): Map<string, ProjectDraft> => {
  const projects = new Map<string, ProjectDraft>()
  for (const found of recordsIn(fieldIn(organization, 'projects'))) {
    const projectId = fieldIn(found, 'projectId')
    const { value: id } = projectId
    if (!isRequiredText(id)) {
      warn(projectId, 'KeyUnusable')
      continue
    }
    const declared = fieldIn(found, 'project')
    const name = nameIn(fieldIn(declared, 'name'), id)
    const project = addProject(draft, projectId, { id, name, settings: settingsIn(declared) })
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

const readRoles = (organization: Found, projects: ReadonlyMap<string, ProjectDraft>): void => {
  for (const found of recordsIn(fieldIn(organization, 'projectRoles'))) {
    const project = projects.get(textIn(found, 'projectId') ?? '')
    const key = fieldIn(found, 'roleKey')
    if (!project) warn(found, 'ProjectUnknown')
    else if (!isRequiredText(key.value)) warn(key, 'KeyUnusable')
    else {
      const displayName = nameIn(fieldIn(found, 'displayName'), key.value)
      addRole(project, key, { displayName, group: optionalTextIn(fieldIn(found, 'group')) })
    }
  }
}

const readGrants = (organization: Found, projects: ReadonlyMap<string, ProjectDraft>): void => {
  for (const found of recordsIn(fieldIn(organization, 'projectGrants'))) {
    const grant = fieldIn(found, 'projectGrant')
    const project = projects.get(textIn(grant, 'projectId') ?? '')
    const granted = textIn(grant, 'grantedOrgId')
    const roleKeys = fieldIn(grant, 'roleKeys')
    if (!project) warn(found, 'ProjectUnknown')
    else if (granted === undefined) warn(found, 'OrganizationUnknown')
    else addGrant(project, found, { grantedOrgId: referredId(granted), roleKeys })
  }
}

/** Reads the OIDC providers of an organization. Others are left out. */
const readProviders = (organization: Found, draft: OrganizationDraft): void => {
  for (const found of recordsIn(fieldIn(organization, 'oidcIdps'))) {
    const idp = fieldIn(found, 'idp')
    const styling = fieldIn(idp, 'stylingType').value
    addProvider(draft, {
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
        displayNameMapping: mappingIn(fieldIn(idp, 'displayNameMapping')),
        usernameMapping: mappingIn(fieldIn(idp, 'usernameMapping')),
      },
    })
  }
  for (const found of recordsIn(fieldIn(organization, 'jwtIdps')))
    warn(found, 'ProviderUnsupported')
}

const mappingIn = (found: Found): OidcMappingField => {
  if (z.validate(OidcMappingField, found.value)) return found.value
  if (found.value !== undefined) warn(found, 'MappingLeft')
  return 'OIDC_MAPPING_FIELD_UNSPECIFIED'
}

/** Reads the roles of users, in projects of any organization. */
const readUserGrants = (organizations: readonly FoundOrganization[]): void => {
  const all = new Map<string, ProjectDraft>()
  for (const { projects } of organizations)
    for (const [id, project] of projects) if (!all.has(id)) all.set(id, project)
  for (const { found, draft, projects } of organizations)
    for (const grant of recordsIn(fieldIn(found, 'userGrants'))) {
      const projectId = textIn(grant, 'projectId') ?? ''
      const project = projects.get(projectId) ?? all.get(projectId)
      const userId = textIn(grant, 'userId')
      const roles = [...textsIn(fieldIn(grant, 'roleKeys'))]
      if (!project) warn(grant, 'ProjectUnknown')
      else if (roles.length === 0) warn(grant, 'NoRoles')
      else
        for (const role of roles) addUserRole(draft, role, { userId, project, roleKey: role.value })
    }
}
