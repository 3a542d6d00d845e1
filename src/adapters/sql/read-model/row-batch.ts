import { type AnyKind, byType, TYPES } from '../../../domain/kinds.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import { kindOf } from '../../../projections/events/kind-of.js'
import type { RowStore } from '../../../projections/rows/change-row.js'
import type { RowKey } from '../../../projections/rows/row-key.js'
import type { Dialect, NumberedKey } from '../dialect.js'
import { find as findRows, type Statement, type Steps } from '../statement.js'
import { type AssignmentBatch, assignmentBatch } from './assignments/assignment-batch.js'
import { changedColumns } from './statements/assigned.js'
import { removalOf } from './statements/object-statements.js'
import type { KeyedEvent } from './stored-entries.js'
import {
  decodeRow,
  rowEncoder,
  rowsNameProject,
  type Shared,
  type StoredRow,
} from './stored-rows.js'
import { OBJECTS } from './tables.js'

/** The rows of the tables while a batch of events changes them. */
export interface RowBatch extends RowStore {
  /** Write the changes, each row once; to be run in this order. */
  readonly statements: () => Iterable<Statement>
  /** Whether the order of the statements matters, as when all objects of a scope are removed. */
  readonly isOrdered: () => boolean
}

/** Reads the rows that `events` change. */
export function* rowBatch(
  dialect: Dialect,
  shared: Shared,
  events: readonly KeyedEvent[],
): Steps<RowBatch> {
  const assignments = assignmentBatch(dialect, shared)
  const rows = byType((kind) => typeBatch(dialect, shared, { kind, assignments }))
  const all = Object.values(rows)
  const removedScopes = byType((): string[] => [])

  // Before the first event of an object there is no row.
  for (const { event, rowKey } of events)
    if (event.version > 1) rows[kindOf(event.type).type].want(rowKey)
  for (const batch of all) yield* batch.load()

  return {
    ...assignments,
    get: (type, rowKey) => rows[type].get(rowKey),
    put: (type, rowKey, row) => rows[type].put(rowKey, row),
    removeAll: (type, scope) => {
      removedScopes[type].push(scope)
      rows[type].forget(scope)
    },
    isOrdered: () =>
      assignments.isOrdered() || Object.values(removedScopes).some((scopes) => scopes.length > 0),
    *statements() {
      for (const type of TYPES)
        if (removedScopes[type].length > 0) yield removalOf(dialect, type, removedScopes[type])
      for (const batch of all) yield* batch.statements()
      yield* assignments.statements()
    },
  }
}

type View = Views[ViewType]

/** The rows of one type. */
interface TypeBatch {
  /** Makes `load` read the row. */
  readonly want: (rowKey: RowKey) => void
  readonly load: () => Steps<void>
  readonly get: (rowKey: RowKey) => View | undefined
  readonly put: (rowKey: RowKey, row: View | undefined) => void
  /** Forgets the rows that are removed with the project of that scope. */
  readonly forget: (scope: string) => void
  readonly statements: () => Iterable<Statement>
}

/** A row as it is in the table, and as it is after the batch; undefined where there is none. */
interface Entry {
  readonly rowKey: RowKey
  stored: View | undefined
  row: View | undefined
}

interface Typed {
  readonly kind: AnyKind
  /** Gets the assignments of the rows that are read. */
  readonly assignments: AssignmentBatch
}

const typeBatch = (
  dialect: Dialect,
  shared: Shared,
  { kind: { type, covers }, assignments }: Typed,
): TypeBatch => {
  const table = OBJECTS[type]
  const encode = rowEncoder(type)
  /** By scope, then by key. */
  const entries = new Map<string, Map<string, Entry>>()
  const sought: Entry[] = []

  const find = ({ scope, key }: RowKey) => entries.get(scope)?.get(key)

  const add = (entry: Entry): Entry => {
    const { scope, key } = entry.rowKey
    const ofScope = entries.get(scope)
    if (ofScope) ofScope.set(key, entry)
    else entries.set(scope, new Map([[key, entry]]))
    return entry
  }

  const numbered = ({ scope, key }: RowKey): NumberedKey => [shared.numberOf(scope), key]

  return {
    want: (rowKey) => {
      if (!find(rowKey)) sought.push(add({ rowKey, stored: undefined, row: undefined }))
    },
    *load() {
      if (sought.length === 0) return
      const { sql, parameters } = dialect.sought(sought.map(({ rowKey }) => numbered(rowKey)))
      const found = yield* findRows<readonly [nth: number | string, ...StoredRow]>({
        sql: `SELECT nth, ${changedColumns(dialect, type).join(', ')} FROM ${sql} JOIN ${dialect.table(table)} USING (scope, key)`,
        parameters,
      })
      for (const [nth, body, sequence, creationDate, assigned] of found) {
        const entry = sought[Number(nth) - 1]
        if (!entry) continue
        const row = decodeRow(type, entry.rowKey.scope, [body, sequence, creationDate])
        shared.bodies.set(row, body)
        entry.stored = entry.row = row
        const range = assigned !== undefined && covers(row, row.details.resourceOwner)
        if (range) assignments.addStored(range, JSON.parse(assigned))
      }
    },
    get: (rowKey) => find(rowKey)?.row,
    put: (rowKey, row) => {
      const entry = find(rowKey)
      if (entry) entry.row = row
      else add({ rowKey, stored: undefined, row })
    },
    forget: (scope) => {
      if (!rowsNameProject(type)) entries.delete(scope)
      else
        for (const ofScope of entries.values())
          for (const key of ofScope.keys()) if (key.startsWith(`${scope}+`)) ofScope.delete(key)
    },
    *statements() {
      const removed: NumberedKey[] = []
      const updated: (readonly [RowKey, stored: View, row: View])[] = []
      const added: (readonly [RowKey, View])[] = []
      // In the order of the table's key.
      const byNumber = [...entries.keys()].toSorted(
        (one, other) => shared.numberOf(one) - shared.numberOf(other),
      )
      for (const scope of byNumber)
        for (const { rowKey, stored, row } of entries.get(scope)?.values() ?? []) {
          if (row === stored) continue
          if (row === undefined) removed.push(numbered(rowKey))
          else if (stored === undefined) added.push([rowKey, row])
          else updated.push([rowKey, stored, row])
        }
      yield* dialect.remove(table, removed)
      yield* dialect.update(table, updated, ([rowKey, stored, row]) => ({
        before: () => encode(rowKey, stored, shared),
        after: encode(rowKey, row, shared),
      }))
      yield* dialect.insert(table, added, ([rowKey, row]) => encode(rowKey, row, shared))
    },
  }
}
