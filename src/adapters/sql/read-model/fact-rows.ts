import type { Position } from '../../../ports/event-store.js'
import type { Dated, Row as ObjectRow } from '../../../projections/project.js'
import { getOrAdd, projectScope } from '../../../projections/rows.js'
import type { Dialect, Parameter, Row, Statement, Table } from '../dialect.js'
import type { Generations } from './numbers.js'
import { HELD, MAPPED, MEMBERS, PERMISSIONS, STANDING } from './tables.js'

/** A row that a fact contributes, without its beginning and end. */
interface FactRow {
  readonly table: Table
  /** The values of the first columns, which no two rows that hold have in common. */
  readonly key: readonly Parameter[]
  /** The values of the columns after the beginning and the end. */
  readonly rest: readonly Parameter[]
  /** The event that began the row, where a row with the same values begins again. */
  readonly report?: Position
}

const HOUR_MS = 3_600_000

/** The rows of the fact of an object. */
export const factRowsOf = (
  stream: string,
  row: ObjectRow | undefined,
  generations: Generations,
): readonly FactRow[] => (row?.fact ? rowsOfFact(stream, row.fact, generations) : [])

const rowsOfFact = (
  stream: string,
  { fact, since, begin, given }: Dated,
  { numbersOf }: Generations,
): readonly FactRow[] => {
  const standing = (generation: number, isActive: boolean): FactRow => ({
    table: STANDING,
    key: [stream, generation],
    rest: [isActive ? 1 : 0],
  })
  switch (fact.in) {
    case 'project':
    case 'project_grant':
    case 'provider':
      return [standing(0, fact.state === 'active')]
    case 'role': {
      const scope = projectScope(fact.projectOrgId, fact.projectId)
      const permissions = fact.permissions.map((permission) => ({
        table: PERMISSIONS,
        key: [scope, permission, fact.roleKey],
        rest: [],
      }))
      return [standing(fact.since, true), ...permissions]
    }
    case 'held': {
      const { holder, orgId, resource = '', roles, state, validFor } = fact
      const numbers = numbersOf(fact)
      return roles.map(({ expiresAt }, index) => {
        const share = numbers[index] ?? 0
        const at = given[index] ?? begin
        if ('group' in holder) {
          const valid = validFor === undefined ? null : validFor * HOUR_MS
          const key = [share, resource, orgId, holder.idpId, holder.group]
          return { table: MAPPED, key, rest: [at, since, valid] }
        }
        const expires = expiresAt === undefined ? null : Date.parse(expiresAt)
        const paused = state === 'inactive' ? 1 : null
        return { table: HELD, key: [share, resource, holder.userId], rest: [expires, at, paused] }
      })
    }
    case 'member':
      // Each report begins rows of its own: it counts from its own time on.
      return fact.groups.map((group, index) => ({
        table: MEMBERS,
        key: [fact.orgId, fact.idpId, group, fact.userId],
        rest: [given[index] ?? begin],
        report: begin,
      }))
  }
}

/** A row that holds from one event to another. */
interface Interval {
  readonly row: FactRow
  /** Undefined for a row that is stored. */
  readonly begin: Position | undefined
  end?: Position
}

/** Collects the rows of facts while events of their streams replace each other. */
export const intervals = () => {
  const all: Interval[] = []
  /** By stream, then by what is in the row. */
  const open = new Map<string, Map<string, Interval>>()

  const openOf = (stream: string, stored: readonly FactRow[]): Map<string, Interval> =>
    getOrAdd(open, stream, () => {
      const intervals = stored.map((row): Interval => ({ row, begin: undefined }))
      all.push(...intervals)
      return new Map(intervals.map((interval) => [identityOf(interval.row), interval]))
    })

  return {
    /** @param before - the rows before the event, which are stored unless an event of the batch began them */
    replace: (
      stream: string,
      before: readonly FactRow[],
      after: readonly FactRow[],
      position: Position,
    ): void => {
      const held = openOf(stream, before)
      const wanted = new Map(after.map((row) => [identityOf(row), row]))
      for (const [identity, interval] of held) {
        if (wanted.has(identity)) continue
        interval.end = position
        held.delete(identity)
      }
      for (const [identity, row] of wanted) {
        if (held.has(identity)) continue
        const interval: Interval = { row, begin: position }
        all.push(interval)
        held.set(identity, interval)
      }
    },
    *statements(dialect: Dialect): Iterable<Statement> {
      const byTable = new Map<Table, Interval[]>()
      for (const interval of all) getOrAdd(byTable, interval.row.table, () => []).push(interval)
      for (const [table, ofTable] of byTable) {
        const by = table.columns
          .slice(
            0,
            table.columns.findIndex(({ name }) => name === 'begin_at'),
          )
          .map(({ name }) => name)
        yield* dialect.update(
          table,
          { by, set: ['end_at'], ifNull: true },
          ofTable.flatMap(({ row, begin, end }) =>
            begin === undefined && end !== undefined ? [[...row.key, end]] : [],
          ),
        )
        yield* dialect.insert(
          table,
          ofTable.flatMap(({ row, begin, end = null }): Row[] =>
            begin === undefined ? [] : [[...row.key, begin, end, ...restOf(row, begin)]],
          ),
        )
      }
    },
  }
}

const identityOf = ({ table, key, rest, report = 0n }: FactRow): string =>
  JSON.stringify(
    [table.name, ...key, ...rest, report].map((value) => (value === null ? null : String(value))),
  )

/** Most roles were given by the event that begins the row, which then need not say so. */
const restOf = ({ table, rest }: FactRow, begin: Position): readonly Parameter[] =>
  table === HELD ? rest.map((value) => (value === begin ? null : value)) : rest
