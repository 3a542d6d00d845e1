import type { AssignmentRange } from '../../../domain/aggregate.js'
import type { Position } from '../../../ports/event-store.js'
import type { ViewType } from '../../../ports/read-model.js'
import type { Assignment, AssignmentStore, Ending } from '../../../projections/assignments.js'
import { foldCase } from '../../../projections/row-order.js'
import { roleScope } from '../../../projections/rows.js'
import type { Dialect, Parameter, Row, Statement } from '../dialect.js'
import type { Shared } from './stored-rows.js'
import { ASSIGNMENTS, SPELLS } from './tables.js'

/** The assignments while a batch of events changes them. */
export interface AssignmentBatch extends AssignmentStore {
  /** Adds what a stored grant assigns; other stored assignments can end unread. */
  readonly addStored: (range: AssignmentRange, assigned: readonly StoredAssignment[]) => void
  /** Write the changes; to be run in this order. */
  readonly statements: () => Iterable<Statement>
  /** Whether two statements may change the same row, so that their order matters. */
  readonly isOrdered: () => boolean
}

/** An assignment that has not ended, as it is read from the table. */
export type StoredAssignment = readonly [roleKey: string, given: string, expires: number | null]

/** An assignment that begins in the batch, and perhaps ends in it. */
interface Begun {
  readonly assignment: Assignment
  end?: { readonly at: Position; readonly with: ViewType }
}

/** No changes of assignments yet. */
export const assignmentBatch = (dialect: Dialect, shared: Shared): AssignmentBatch => {
  const held = holders<Begun>()
  const begun: Begun[] = []
  const endings = endingBatch(dialect, shared)
  const spells = spellBatch(dialect)

  const end = (ending: Ending): void => {
    const { until, with: type } = ending
    for (const holder of held.within(ending))
      for (const roleKey of rolesOf(ending) ?? holder.open.keys()) {
        const open = holder.open.get(roleKey)
        if (open === undefined) continue
        holder.open.delete(roleKey)
        if (open.begun) open.begun.end = { at: until, with: type }
        else if (ending.userId !== undefined) endings.addOne({ ...ending, roleKey })
      }
    if (ending.userId === undefined) endings.addAll(ending)
  }

  return {
    addStored: (range, assigned) => {
      const { open } = held.of(range)
      for (const [roleKey, given, expires] of assigned)
        open.set(roleKey, {
          given: BigInt(given),
          expiresAt: expires === null ? undefined : new Date(expires),
        })
    },
    // A copy: what is held now is compared after it has ended.
    assigned: (range) => new Map(held.of(range).open),
    begin: (assignment) => {
      const made: Begun = { assignment }
      begun.push(made)
      const { roleKey, given, expiresAt } = assignment
      held.of(assignment).open.set(roleKey, { given, expiresAt, begun: made })
    },
    end,
    pause: spells.pause,
    resume: spells.resume,
    isOrdered: endings.isOrdered,
    *statements() {
      yield* endings.statements()
      yield* dialect.insert(ASSIGNMENTS, begun, (each) => encode(each, shared))
      yield* spells.statements()
    },
  }
}

const encode = ({ assignment, end }: Begun, shared: Shared): Row => {
  const { projectOrgId, projectId, orgId, userId = '', roleKey, expiresAt } = assignment
  return [
    shared.numberOf(roleScope(projectOrgId, projectId)),
    orgId,
    userId,
    roleKey,
    foldCase(roleKey),
    expiresAt?.getTime() ?? null,
    assignment.given,
    assignment.from,
    end?.at ?? null,
    end?.with ?? null,
  ]
}

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

/** A spell that begins in a batch, and perhaps ends in it. */
interface Spell {
  readonly of: Row
  readonly from: Position
  until?: Position
}

interface SpellBatch extends Pick<AssignmentStore, 'pause' | 'resume'> {
  /** Change no row twice. */
  readonly statements: () => Iterable<Statement>
}

/** Collects the spells of being inactive that begin and end in a batch of events. */
export const spellBatch = (dialect: Dialect): SpellBatch => {
  const begun: Spell[] = []
  /** By what is inactive. */
  const open = new Map<string, Spell[]>()
  /** The ends of stored spells, by what is active again. */
  const ended = new Map<string, Row>()

  const named = ({ projectOrgId, projectId, orgId = '', userId = '' }: AssignmentRange): Row => [
    roleScope(projectOrgId, projectId),
    orgId,
    userId,
  ]

  return {
    pause: (range, from) => {
      const spell: Spell = { of: named(range), from }
      begun.push(spell)
      const key = JSON.stringify(spell.of)
      open.set(key, [...(open.get(key) ?? []), spell])
    },
    resume: (range, until) => {
      const of = named(range)
      const key = JSON.stringify(of)
      for (const spell of open.get(key) ?? []) spell.until = until
      open.delete(key)
      if (!ended.has(key)) ended.set(key, [...of, until])
    },
    *statements() {
      const columns = { by: ['scope', 'org', 'user_id'], set: ['end_at'] }
      yield* dialect.fill(SPELLS, columns, [...ended.values()])
      yield* dialect.insert(SPELLS, begun, ({ of, from, until = null }) => [...of, from, until])
    },
  }
}

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
