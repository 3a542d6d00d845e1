import { addUserRole } from '../drafting/organization-draft.js'
import type { ProjectDraft } from '../drafting/project-draft.js'
import { fieldIn, recordsIn, textIn, textsIn } from '../reading/document.js'
import type { Warn } from '../warning.js'
import type { FoundOrganization } from './read-organizations.js'

/** The roles of users, of projects of any organization. */
export const readUserGrants = (organizations: readonly FoundOrganization[], warn: Warn): void => {
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
