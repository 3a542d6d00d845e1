import type { AssignmentRange } from '../../../../domain/kind.js'
import type { Position } from '../../../../ports/event-store.js'
import type { Assignment } from '../../../../projections/rows/assignments.js'
import { roleScope } from '../../../../projections/rows/row-key.js'

/** An organization or a user, and the roles of one project that are assigned to it and have not ended. */
export interface Holder<Begun> {
  readonly scope: string
  readonly orgId: string
  /** Empty for the organization itself. */
  readonly userId: string
  /** By role. */
  readonly open: Map<string, Open<Begun>>
}

interface Open<Begun> {
  readonly given: Position
  readonly expiresAt: Date | undefined
  /** Undefined for one that is stored. */
  readonly begun?: Begun
}

/** What names a holder. */
type Named = Pick<Assignment, 'projectOrgId' | 'projectId'> & {
  readonly orgId?: string
  readonly userId?: string | undefined
}

/** The holders that a batch of events is about. */
export const holders = <Begun>() => {
  /** By scope, then by organization, then by user. */
  const scopes = new Map<string, Map<string, Map<string, Holder<Begun>>>>()
  return {
    /** The holder that `range` names; made when it is not there. */
    of: ({ projectOrgId, projectId, orgId = '', userId = '' }: Named): Holder<Begun> => {
      const scope = roleScope(projectOrgId, projectId)
      const known = scopes.get(scope)?.get(orgId)?.get(userId)
      if (known) return known
      const holder: Holder<Begun> = { scope, orgId, userId, open: new Map() }
      inner(inner(scopes, scope), orgId).set(userId, holder)
      return holder
    },
    /** The holders in `range`. */
    *within({ projectOrgId, projectId, orgId, userId }: AssignmentRange): Iterable<Holder<Begun>> {
      const ofProject = scopes.get(roleScope(projectOrgId, projectId))
      for (const ofOrganization of picked(ofProject, orgId)) yield* picked(ofOrganization, userId)
    },
  }
}

const inner = <Value>(outer: Map<string, Map<string, Value>>, key: string): Map<string, Value> => {
  const known = outer.get(key) ?? new Map<string, Value>()
  outer.set(key, known)
  return known
}

/** The value under `key`; all when it is undefined. */
const picked = <Value>(
  map: ReadonlyMap<string, Value> | undefined,
  key: string | undefined,
): readonly Value[] => {
  if (key === undefined) return [...(map?.values() ?? [])]
  const value = map?.get(key)
  return value === undefined ? [] : [value]
}
