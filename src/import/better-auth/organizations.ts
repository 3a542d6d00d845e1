import {
  addProject,
  type OrganizationDraft,
  openOrganization,
} from '../drafting/organization-draft.js'
import type { ProjectDraft } from '../drafting/project-draft.js'
import { type Found, fieldIn, textIn } from '../reading/document.js'
import { idFor } from '../reading/ids.js'
import type { Warn } from '../warning.js'

/** Finds the organization of a row; undefined, with a warning, when it has none. */
export type OrganizationOf = (row: Found) => OrganizationDraft | undefined

/** Organizations that begin with their first row. */
export const openOrganizations = (
  drafts: Map<string, OrganizationDraft>,
  warn: Warn,
): OrganizationOf => {
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
export const roleProject = (draft: OrganizationDraft, warn: Warn): ProjectDraft | undefined =>
  draft.projects.get(PROJECT) ??
  addProject(draft, { id: PROJECT, name: 'Organization', path: '' }, warn)
