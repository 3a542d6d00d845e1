import type { AssignmentRange, MembershipRange } from '../../../domain/aggregate.js'
import type { RoleSource } from '../../../domain/facts.js'
import type { Position } from '../../../ports/event-store.js'
import type { ViewType } from '../../../ports/read-model.js'
import {
  type Assignment,
  type AssignmentStore,
  type Ending,
  type GroupMember,
  holderOf,
  sourceKey,
  type Terms,
} from '../../../projections/assignments.js'
import { foldCase } from '../../../projections/row-order.js'
import { getOrAdd, projectScope } from '../../../projections/rows.js'
import type { Dialect, Parameter, Row, Statement, Table } from '../dialect.js'
import type { Shared } from './stored-rows.js'
import { ASSIGNMENTS, MAPPED, MEMBERS, ROLE_PERMISSIONS, SUSPENSIONS } from './tables.js'

/** The assignments while a batch of events changes them. */
export interface AssignmentBatch extends AssignmentStore {
  /**
   * Adds the assignments of a stored grant or mapping; other stored assignments can end unread.
   *
   * @param since - position of the event that added the mapping
   */
  readonly addStored: (
    range: AssignmentRange,
    assigned: readonly StoredAssignment[],
    since?: string | null,
  ) => void
  /** Adds the stored groups of a user. */
  readonly addStoredGroups: ReturnType<typeof memberBatch>['addStored']
  /** Write the changes; to be run in this order. */
  readonly statements: () => Iterable<Statement>
  /** Whether two statements may change the same row, so that their order matters. */
  readonly isOrdered: () => boolean
}

/** An assignment that has not ended, as it is read from the table; of a mapping with how long a report counts. */
type StoredAssignment = readonly [roleKey: string, given: string, terms: number | null]

/** An assignment that begins in the batch, and perhaps ends in it. */
interface Begun {
  readonly assignment: Assignment
  end?: End
}

/** The event that ended an assignment. */
interface End {
  readonly at: Position
  readonly with: ViewType
}

const endOf = ({ until: at, with: type }: Ending): End => ({ at, with: type })

/** An assignment that has not ended; one that is stored was not begun in the batch. */
interface Open extends Terms {
  readonly begun?: Begun
}

/** The open assignments of an organization or a user in one project, by role. */
type OpenRoles = Map<string, Open>

/** No changes of assignments yet. */
export const assignmentBatch = (dialect: Dialect, shared: Shared): AssignmentBatch => {
  /** By scope, by organization and by user, who is empty for the organization itself. */
  const open = new Map<string, Map<string, Map<string, OpenRoles>>>()
  const begun: Begun[] = []
  /** Position of the event that added a mapping, by scope, organization and holder. */
  const mappings = new Map<string, Position>()
  const endings = endingBatch(dialect, shared)
  const suspensions = rangeBatch(dialect, SUSPENSIONS, ['scope', 'org', 'user_id'])
  const permissions = rangeBatch(dialect, ROLE_PERMISSIONS, ['scope', 'permission', 'role'])
  const { groupsOf, join, leave, addStored: addStoredGroups, ...members } = memberBatch(dialect)

  const scopeOf = (range: AssignmentRange): number => shared.numberOf(namesOf(range)[0])

  const permissionOf = (range: AssignmentRange, permission: string): Row => {
    const { roleKey } = range
    if (roleKey === undefined) throw new Error('Only roles have permissions')
    return [scopeOf(range), permission, roleKey]
  }

  const openOf = (range: Named): OpenRoles => {
    const [scope, orgId] = namesOf(range)
    return inner(inner(inner(open, scope), orgId), holderOf(range) ?? '')
  }

  const openWithin = function* (range: AssignmentRange): Iterable<OpenRoles> {
    const ofProject = open.get(namesOf(range)[0])
    for (const ofOrganization of picked(ofProject, range.orgId))
      yield* picked(ofOrganization, holderOf(range))
  }

  return {
    addStored: (range, assigned, since) => {
      const roles = openOf(range)
      for (const [roleKey, given, terms] of assigned)
        roles.set(roleKey, { given: BigInt(given), ...termsOf(range, terms) })
      if (since) mappings.set(mappingOf(range), BigInt(since))
    },
    addStoredGroups,
    // A copy, because the held roles are compared after they have ended.
    assigned: (range) => new Map(openOf(range)),
    mapped: (range) => {
      const since = mappings.get(mappingOf(range))
      return since === undefined ? undefined : { since }
    },
    begin: (assignment) => {
      const made: Begun = { assignment }
      begun.push(made)
      const { roleKey, given, expiresAt, validFor, source } = assignment
      openOf(assignment).set(roleKey, { given, expiresAt, validFor, begun: made })
      if (source) mappings.set(mappingOf(assignment), source.since)
    },
    end: (ending) => {
      const { until: at, with: type } = ending
      const isOfHolder = holderOf(ending) !== undefined
      for (const roles of openWithin(ending))
        for (const roleKey of rolesOf(ending) ?? roles.keys()) {
          const role = roles.get(roleKey)
          if (role === undefined) continue
          roles.delete(roleKey)
          if (role.begun) role.begun.end = { at, with: type }
          else if (isOfHolder) endings.addOne(ending, roleKey)
        }
      if (!isOfHolder) endings.addAll(ending)
    },
    endMappings: (orgId, { idpId }, at) => {
      const ending = { at, with: 'identity_provider' as const }
      const ofProvider = sourceKey({ idpId, group: '' })
      for (const ofProject of open.values())
        for (const [holder, roles] of ofProject.get(orgId) ?? [])
          if (holder.startsWith(ofProvider)) {
            for (const { begun } of roles.values()) if (begun) begun.end = ending
            roles.clear()
          }
      endings.addProvider([orgId, idpId], ending)
    },
    pause: (range, from) => suspensions.begin(namesOf(range), from),
    resume: (range, until) => suspensions.end(namesOf(range), until),
    pauseProvider: (orgId, { idpId }, from) => suspensions.begin([orgId, '', idpId], from),
    resumeProvider: (orgId, { idpId }, until) => suspensions.end([orgId, '', idpId], until),
    groupsOf,
    join,
    leave,
    allow: (range, gained, from) => {
      for (const permission of gained) permissions.begin(permissionOf(range, permission), from)
    },
    disallow: (range, lost, until) => {
      if (lost === undefined) permissions.endAll(scopeOf(range), until)
      for (const permission of lost ?? []) permissions.end(permissionOf(range, permission), until)
    },
    isOrdered: () => endings.isOrdered() || permissions.isOrdered() || members.isOrdered(),
    *statements() {
      const isMapped = ({ assignment }: Begun) => assignment.source !== undefined
      yield* endings.statements()
      const granted = begun.filter((each) => !isMapped(each))
      yield* dialect.insert(ASSIGNMENTS, granted, (each) => encode(each, shared))
      yield* dialect.insert(MAPPED, begun.filter(isMapped), (each) => encodeMapped(each, shared))
      yield* members.statements()
      yield* suspensions.statements()
      yield* permissions.statements()
    },
  }
}

const HOUR_MS = 3_600_000

/** The terms of a stored assignment. */
const termsOf = ({ source }: AssignmentRange, terms: number | null): Omit<Terms, 'given'> => {
  if (terms === null) return {}
  return source ? { validFor: terms / HOUR_MS } : { expiresAt: new Date(terms) }
}

/** An assignment or a range of them. */
type Named = Omit<AssignmentRange, 'userId' | 'source'> &
  Pick<Assignment, 'userId'> & { readonly source?: RoleSource | undefined }

/** The scope of a range, its organization and its user; empty where it has none. */
const namesOf = ({ projectOrgId, projectId, orgId = '', userId = '' }: Named) =>
  [projectScope(projectOrgId, projectId), orgId, userId] as const

const mappingOf = (range: Named): string =>
  `${namesOf(range)[0]}+${range.orgId}${holderOf(range) ?? ''}`

const inner = <Outer, Key, Value>(
  outer: Map<Outer, Map<Key, Value>>,
  key: Outer,
): Map<Key, Value> => getOrAdd(outer, key, () => new Map())

/** The value under `key`; all when it is undefined. */
const picked = <Value>(
  map: ReadonlyMap<string, Value> | undefined,
  key: string | undefined,
): readonly Value[] => {
  if (key === undefined) return [...(map?.values() ?? [])]
  const value = map?.get(key)
  return value === undefined ? [] : [value]
}

const encode = ({ assignment, end }: Begun, { numberOf }: Shared): Row => {
  const { roleKey, expiresAt, given, from } = assignment
  const [scope, orgId, userId] = namesOf(assignment)
  const terms = [roleKey, foldCase(roleKey), expiresAt?.getTime() ?? null, given, from]
  return [numberOf(scope), orgId, userId, ...terms, end?.at ?? null, end?.with ?? null]
}

const encodeMapped = ({ assignment, end }: Begun, { numberOf }: Shared): Row => {
  const { roleKey, validFor, source, given, from } = assignment
  if (!source) throw new Error('A mapping assigns roles to a group')
  const [scope, orgId] = namesOf(assignment)
  const names = [numberOf(scope), orgId, source.idpId, source.group, roleKey, foldCase(roleKey)]
  const validForMs = validFor === undefined ? null : validFor * HOUR_MS
  return [...names, validForMs, source.since, given, from, end?.at ?? null, end?.with ?? null]
}

/** The roles that an ending names; all when undefined. */
const rolesOf = ({ roleKey, roleKeys }: Ending): readonly string[] | undefined =>
  roleKeys ?? (roleKey === undefined ? undefined : [roleKey])

/** Endings that name values of the same columns: one statement makes them all. */
interface Group {
  readonly tables: readonly Table[]
  readonly by: readonly string[]
  /** By the names in them: of equal ones, only the first finds rows. */
  readonly endings: Map<string, Row>
}

/** Collects the ends of stored assignments: a row takes the first one that meets it. */
const endingBatch = (dialect: Dialect, { numberOf }: Shared) => {
  const ofUsers: Group = {
    tables: [ASSIGNMENTS],
    by: ['scope', 'role', 'org', 'user_id'],
    endings: new Map(),
  }
  const ofSources: Group = {
    tables: [MAPPED],
    by: ['scope', 'role', 'org', 'idp', 'grp'],
    endings: new Map(),
  }
  /** In the order of the events. */
  const ofRanges: Group[] = []

  const add = ({ endings }: Group, named: readonly Parameter[], end: End): void => {
    const key = JSON.stringify(named)
    if (!endings.has(key)) endings.set(key, [...named, end.at, end.with])
  }

  const groupBy = (
    by: readonly string[],
    tables: readonly Table[] = [ASSIGNMENTS, MAPPED],
  ): Group => {
    const last = ofRanges.at(-1)
    if (last?.by.join() === by.join()) return last
    const group = { tables, by, endings: new Map() }
    ofRanges.push(group)
    return group
  }

  // Endings of users and groups can go first, because their rows are known not to have ended.
  const groups = () => [ofUsers, ofSources, ...ofRanges].filter(({ endings }) => endings.size > 0)

  return {
    /** Ends a role of one user or group that is known to be stored and not to have ended before. */
    addOne: (ending: Ending, roleKey: string): void => {
      const [scope, orgId, userId] = namesOf(ending)
      const { source } = ending
      const named = [numberOf(scope), roleKey, orgId]
      if (source) add(ofSources, [...named, source.idpId, source.group], endOf(ending))
      else add(ofUsers, [...named, userId], endOf(ending))
    },
    /** Ends all that mappings of a provider assign. */
    addProvider: (named: readonly string[], end: End): void =>
      add(groupBy(['org', 'idp'], [MAPPED]), named, end),
    /** Ends all assignments in a range without a user or a group. */
    addAll: (ending: Ending): void => {
      const scope = numberOf(namesOf(ending)[0])
      const [columns, org] = ending.orgId === undefined ? [[], []] : [['org'], [ending.orgId]]
      const roles = rolesOf(ending)
      if (roles === undefined) add(groupBy(['scope', ...columns]), [scope, ...org], endOf(ending))
      for (const role of roles ?? [])
        add(groupBy(['scope', 'role', ...columns]), [scope, role, ...org], endOf(ending))
    },
    /** The statements must run in this order. */
    *statements(): Iterable<Statement> {
      for (const { tables, by, endings } of groups())
        for (const table of tables)
          yield* dialect.setWhereNull(table, { by, set: ['end_at', 'ended_with'] }, [
            ...endings.values(),
          ])
    },
    /** Whether two statements may change the same row, so that their order matters. */
    isOrdered: (): boolean => groups().length > 1,
  }
}

/** A row that begins in a batch, and perhaps ends in it. */
interface Range {
  readonly names: Row
  readonly from: Position
  until?: Position
}

/**
 * Collects the rows of a table that begin in a batch of events, and the ends of its rows.
 *
 * @param by - the columns of the names; rows that share the first name can end together
 */
const rangeBatch = (dialect: Dialect, table: Table, by: readonly string[]) => {
  const begun: Range[] = []
  /** Those of `begun` that have not ended, by the first name, then by all. */
  const open = new Map<Parameter | undefined, Map<string, Range[]>>()
  /** The ends of stored rows, by their names: a row takes the first. */
  const ended = new Map<string, Row>()
  /** The ends of all stored rows that share the first name, by that name. */
  const endedTogether = new Map<Parameter | undefined, Row>()

  return {
    begin: (names: Row, from: Position): void => {
      const range: Range = { names, from }
      begun.push(range)
      getOrAdd(inner(open, names[0]), JSON.stringify(names), () => []).push(range)
    },
    end: (names: Row, until: Position): void => {
      const [first] = names
      const key = JSON.stringify(names)
      for (const range of open.get(first)?.get(key) ?? []) range.until = until
      open.get(first)?.delete(key)
      if (!ended.has(key) && !endedTogether.has(first)) ended.set(key, [...names, until])
    },
    endAll: (first: Parameter, until: Position): void => {
      for (const ranges of open.get(first)?.values() ?? [])
        for (const range of ranges) range.until = until
      open.delete(first)
      if (!endedTogether.has(first)) endedTogether.set(first, [first, until])
    },
    /** The statements must run in this order. */
    *statements(): Iterable<Statement> {
      const set = ['end_at']
      yield* dialect.setWhereNull(table, { by, set }, [...ended.values()])
      yield* dialect.setWhereNull(table, { by: by.slice(0, 1), set }, [...endedTogether.values()])
      yield* dialect.insert(table, begun, ({ names, from, until = null }) => [
        ...names,
        from,
        until,
      ])
    },
    /** Whether two statements may change the same row, so that their order matters. */
    isOrdered: (): boolean => ended.size > 0 && endedTogether.size > 0,
  }
}

/** A user in a group, by a report of the batch. */
interface BegunMember {
  readonly member: GroupMember
  until?: Position
}

/** A membership that has not ended; one that is stored was not begun in the batch. */
interface OpenMember {
  readonly given: Position
  readonly begun?: BegunMember
}

/** No changes of members yet. */
const memberBatch = (dialect: Dialect) => {
  /** By organization and provider, then by user, then by group. */
  const open = new Map<string, Map<string, Map<string, OpenMember>>>()
  const begun: BegunMember[] = []
  /** The ends of the stored groups of a user, and of all users of a provider. */
  const ofUsers = new Map<string, Row>()
  const ofProviders = new Map<string, Row>()

  const usersOf = (orgId: string, { idpId }: MembershipRange) =>
    getOrAdd(open, `${orgId}+${idpId}`, () => new Map<string, Map<string, OpenMember>>())
  const openOf = (orgId: string, range: MembershipRange) =>
    getOrAdd(usersOf(orgId, range), range.userId ?? '', () => new Map<string, OpenMember>())
  const addEnd = (ends: Map<string, Row>, named: readonly string[], until: Position) => {
    const key = JSON.stringify(named)
    if (!ends.has(key)) ends.set(key, [...named, until])
  }

  return {
    /** Adds the stored groups of a user, each with the first of the reports without a break. */
    addStored: (
      orgId: string,
      range: MembershipRange,
      groups: readonly (readonly [group: string, given: string])[],
    ): void => {
      const stored = openOf(orgId, range)
      for (const [group, given] of groups) stored.set(group, { given: BigInt(given) })
    },
    groupsOf: (orgId: string, range: MembershipRange) =>
      new Map([...openOf(orgId, range)].map(([group, { given }]) => [group, given])),
    join: (member: GroupMember): void => {
      const made: BegunMember = { member }
      begun.push(made)
      openOf(member.orgId, member).set(member.group, { given: member.given, begun: made })
    },
    leave: (orgId: string, range: MembershipRange, until: Position): void => {
      const { idpId, userId } = range
      const users = usersOf(orgId, range)
      for (const each of userId === undefined ? [...users.keys()] : [userId]) {
        for (const { begun: made } of users.get(each)?.values() ?? []) {
          if (made) made.until = until
          else if (userId !== undefined) addEnd(ofUsers, [orgId, idpId, userId], until)
        }
        users.delete(each)
      }
      if (userId === undefined) addEnd(ofProviders, [orgId, idpId], until)
    },
    isOrdered: () => ofUsers.size > 0 && ofProviders.size > 0,
    *statements() {
      const set = ['end_at']
      const by = ['org', 'idp', 'user_id']
      yield* dialect.setWhereNull(MEMBERS, { by, set }, [...ofUsers.values()])
      yield* dialect.setWhereNull(MEMBERS, { by: ['org', 'idp'], set }, [...ofProviders.values()])
      yield* dialect.insert(MEMBERS, begun, ({ member, until = null }) => {
        const { orgId, idpId, group, userId, given, from } = member
        return [orgId, idpId, group, userId, given, from, until]
      })
    },
  }
}
