import { type Found, fieldIn, recordsIn, textIn } from '../reading/document.js'
import type { Warn } from '../warning.js'
import { knownRolesIn, type RoleGraph, type RoleName, roleNamesIn } from './role-graph.js'

/** By the path of a group, the roles of its members: those of the groups around it too. */
export type Groups = ReadonlyMap<string, readonly RoleName[]>

/** A list of groups, and what they have of the group around them. */
interface Level {
  readonly list: Found
  readonly path: string
  readonly roles: readonly RoleName[]
}

/** The groups of a realm. */
export const readGroups = (realm: Found, graph: RoleGraph, warn: Warn): Groups => {
  const groups = new Map<string, readonly RoleName[]>()
  const levels: Level[] = [{ list: fieldIn(realm, 'groups'), path: '', roles: [] }]
  for (const level of levels)
    for (const group of recordsIn(level.list, warn)) {
      const own = knownRolesIn(graph, roleNamesIn(group, ['realmRoles', 'clientRoles'], warn), warn)
      if (own.length > 0) warn('RolesExpanded', group.path)
      const path = textIn(group, 'path') ?? `${level.path}/${textIn(group, 'name') ?? ''}`
      const roles = own.length > 0 ? [...level.roles, ...own] : level.roles
      groups.set(path, roles)
      levels.push({ list: fieldIn(group, 'subGroups'), path, roles })
    }
  return groups
}
