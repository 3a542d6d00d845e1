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
export const openOrganizations =
  (drafts: Map<string, OrganizationDraft>, warn: Warn): OrganizationOf =>
  (row) => {
    const id = textIn(row, 'organizationId')
    if (id === undefined) {
      warn('OrganizationMissing', row.path)
      return undefined
    }
    const known = drafts.get(id)
    if (known) return known
    const draft = openOrganization(idFor(id, fieldIn(row, 'organizationId').path, warn))
    drafts.set(id, draft)
    return draft
  }

const PROJECT = 'organization'

/** The project that has the roles of an organization. */
export const roleProject = (draft: OrganizationDraft, warn: Warn): ProjectDraft | undefined =>
  draft.projects.get(PROJECT) ??
  addProject(draft, { id: PROJECT, name: 'Organization', path: '' }, warn)
