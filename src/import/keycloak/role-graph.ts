import type { ProjectDraft } from '../drafting/project-draft.js'
import { entriesIn, type Found, fieldIn, textsIn } from '../reading/document.js'
import type { Warn } from '../warning.js'

/** A role of a project. */
export interface KeptRole {
  readonly project: ProjectDraft
  readonly roleKey: string
}

/** Names a role within a realm; that of a client by the client too. */
export type RoleName = string

export const nameOfRole = (name: string, clientId: string | null = null): RoleName =>
  JSON.stringify([clientId, name])

/** A role and those that come with it. */
export interface RoleNode {
  /** Undefined for a role of Keycloak itself. */
  readonly kept: KeptRole | undefined
  readonly includes: readonly RoleName[]
}

/** The roles of a realm. */
export type RoleGraph = ReadonlyMap<RoleName, RoleNode>

/** The kept ones of some roles and of all that come with them, each once; those that are in a circle too. */
export const rolesWith = (graph: RoleGraph, names: Iterable<RoleName>): readonly KeptRole[] => {
  const seen = new Set(names)
  const kept: KeptRole[] = []
  // A set is walked to its end, what is added on the way included.
  for (const name of seen) {
    const node = graph.get(name)
    if (node?.kept) kept.push(node.kept)
    for (const included of node?.includes ?? []) seen.add(included)
  }
  return kept
}

/** Names of roles at one place, and where each is. */
export function* roleNamesIn(
  holder: Found,
  [ofRealm, ofClients]: readonly [ofRealm: string, ofClients: string],
  warn: Warn,
): Generator<readonly [name: RoleName, path: string]> {
  for (const { value, path } of textsIn(fieldIn(holder, ofRealm), warn))
    yield [nameOfRole(value), path]
  for (const [clientId, list] of entriesIn(fieldIn(holder, ofClients), warn))
    for (const { value, path } of textsIn(list, warn)) yield [nameOfRole(value, clientId), path]
}

/** The names that are of roles of the realm. */
export const knownRolesIn = (
  graph: ReadonlyMap<RoleName, unknown>,
  names: Iterable<readonly [name: RoleName, path: string]>,
  warn: Warn,
): readonly RoleName[] => {
  const known: RoleName[] = []
  for (const [name, path] of names)
    if (graph.has(name)) known.push(name)
    else warn('RoleUnknown', path)
  return known
}
