import type { Ending } from '../../../../projections/rows/assignments.js'
import { roleScope } from '../../../../projections/rows/row-key.js'
import type { Dialect } from '../../dialect.js'
import type { Parameter, Row, Statement } from '../../statement.js'
import type { Shared } from '../stored-rows.js'
import { ASSIGNMENTS } from '../tables.js'

/** The roles that an ending names; all when undefined. */
export const rolesOf = ({ roleKey, roleKeys }: Ending): readonly string[] | undefined =>
  roleKeys ?? (roleKey === undefined ? undefined : [roleKey])

/** The ends of stored assignments. */
interface EndingBatch {
  /** Ends a role of one user that is known to be stored and not to have ended before. */
  readonly addOne: (ending: Ending & { readonly roleKey: string }) => void
  /** Ends all that are in a range. */
  readonly addAll: (ending: Ending) => void
  /** To be run in this order. */
  readonly statements: () => Iterable<Statement>
  /** Whether two statements may change the same row. */
  readonly isOrdered: () => boolean
}

/** Endings that name values of the same columns: one statement makes them all. */
interface Group {
  readonly by: readonly string[]
  /** By what they name: only the first that names the same finds anything. */
  readonly endings: Map<string, Row>
}

/** Collects the ends of stored assignments: a row takes the first one that meets it. */
export const endingBatch = (dialect: Dialect, { numberOf }: Shared): EndingBatch => {
  const ofUsers: Group = { by: ['scope', 'role', 'org', 'user_id'], endings: new Map() }
  /** In the order of the events. */
  const ofRanges: Group[] = []

  const add = ({ endings }: Group, named: readonly Parameter[], ending: Ending): void => {
    const key = JSON.stringify(named)
    if (!endings.has(key)) endings.set(key, [...named, ending.until, ending.with])
  }

  const groupBy = (by: readonly string[]): Group => {
    const last = ofRanges.at(-1)
    if (last?.by.join() === by.join()) return last
    const group = { by, endings: new Map() }
    ofRanges.push(group)
    return group
  }

  // Those of users are known not to have ended before: they can go first.
  const groups = () => [ofUsers, ...ofRanges].filter(({ endings }) => endings.size > 0)

  const numberOfScope = ({ projectOrgId, projectId }: Ending) =>
    numberOf(roleScope(projectOrgId, projectId))

  return {
    addOne: (ending) => {
      const { roleKey, orgId = '', userId = '' } = ending
      add(ofUsers, [numberOfScope(ending), roleKey, orgId, userId], ending)
    },
    addAll: (ending) => {
      const { orgId } = ending
      const roles = rolesOf(ending)
      const org = orgId === undefined ? [] : [orgId]
      const columns = org.length > 0 ? ['org'] : []
      const scope = numberOfScope(ending)
      if (roles === undefined) add(groupBy(['scope', ...columns]), [scope, ...org], ending)
      for (const role of roles ?? [])
        add(groupBy(['scope', 'role', ...columns]), [scope, role, ...org], ending)
    },
    *statements() {
      for (const { by, endings } of groups())
        yield* dialect.fill(ASSIGNMENTS, { by, set: ['end_at', 'ended_with'] }, [
          ...endings.values(),
        ])
    },
    isOrdered: () => groups().length > 1,
  }
}
