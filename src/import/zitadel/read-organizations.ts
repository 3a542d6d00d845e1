import * as z from 'zod/mini'
import { PrivateLabelingSetting } from '../../domain/project/commands.js'
import { isRequiredText } from '../../domain/values.js'
import type { DesiredSettings } from '../../index.js'
import {
  addProject,
  type OrganizationDraft,
  openOrganization,
} from '../drafting/organization-draft.js'
import { addGrant, addRole, type ProjectDraft } from '../drafting/project-draft.js'
import { type Found, fieldIn, isTrueIn, recordsIn, textIn } from '../reading/document.js'
import { idFor, referredId } from '../reading/ids.js'
import { nameIn, optionalTextIn } from '../reading/names.js'
import type { Warn } from '../warning.js'
import { readProviders } from './read-providers.js'

/** An organization with its place in the export, and its projects by their ids there. */
export interface FoundOrganization {
  readonly found: Found
  readonly draft: OrganizationDraft
  readonly projects: ReadonlyMap<string, ProjectDraft>
}

/** What is kept of the organizations, but not what users have: they may have roles of any. */
export const readOrganizations = (orgs: Found, warn: Warn): readonly FoundOrganization[] => {
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

/** Lists of which nothing is kept. What concerns the looks and texts of Zitadel itself is not mentioned. */
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

/** An absent setting has its default. */
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
