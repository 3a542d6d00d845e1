import { isRequiredText } from '../../domain/values.js'
import { addUserRole } from '../drafting/organization-draft.js'
import { addRole } from '../drafting/project-draft.js'
import { type Found, fieldIn, recordsIn, textIn } from '../reading/document.js'
import type { Warn } from '../warning.js'
import { type OrganizationOf, roleProject } from './organizations.js'

/** The roles that organizations have made for themselves. */
export const readOrganizationRoles = (
  rows: Found,
  organizationOf: OrganizationOf,
  warn: Warn,
): void => {
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

/** The roles of members. Those that the code of the application defines are in no table, and come with the first member. */
export const readMembers = (rows: Found, organizationOf: OrganizationOf, warn: Warn): void => {
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
