import { addUserRole, type OrganizationDraft } from '../drafting/organization-draft.js'
import { type Found, fieldIn, recordsIn, textIn, textsIn } from '../reading/document.js'
import type { Warn } from '../warning.js'
import type { Groups } from './read-groups.js'
import { knownRolesIn, type RoleGraph, roleNamesIn, rolesWith } from './role-graph.js'

/** What is known of a realm when its users are read. */
interface Realm {
  readonly draft: OrganizationDraft
  readonly roles: RoleGraph
  readonly groups: Groups
}

/** Gives users their roles, with those of their groups and those that come with another one. */
export const readUsers = (realm: Found, { draft, roles, groups }: Realm, warn: Warn): void => {
  for (const user of recordsIn(fieldIn(realm, 'users'), warn)) {
    if (fieldIn(user, 'enabled').value === false) {
      warn('UserDisabled', user.path)
      continue
    }
    const names = knownRolesIn(roles, roleNamesIn(user, ['realmRoles', 'clientRoles'], warn), warn)
    const held = rolesWith(roles, [...names, ...rolesOfGroups(user, groups, warn)])
    if (held.length === 0) continue
    const id = textIn(user, 'id')
    if (id === undefined) warn('UserNamed', user.path)
    const userId = id ?? textIn(user, 'username')
    for (const { project, roleKey } of held)
      addUserRole(draft, { userId, project, roleKey, path: user.path }, warn)
  }
}

const rolesOfGroups = (user: Found, groups: Groups, warn: Warn): readonly string[] =>
  [...textsIn(fieldIn(user, 'groups'), warn)].flatMap(({ value, path }) => {
    const roles = groups.get(value)
    if (!roles) warn('GroupUnknown', path)
    return roles ?? []
  })
