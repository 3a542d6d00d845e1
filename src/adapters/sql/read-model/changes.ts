import type { AssignmentRange } from '../../../domain/aggregate.js'
import { type AnyAggregate, byType, TYPES } from '../../../domain/aggregates.js'
import type { Position } from '../../../ports/event-store.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import { aggregateOf, isOfObject, objectOf } from '../../../projections/read-events.js'
import {
  changeRow,
  type RowKey,
  type RowStore,
  roleScope,
  rowKeyOf,
} from '../../../projections/rows.js'
import {
  type Dialect,
  find as findRows,
  type NumberedKey,
  type Statement,
  type Steps,
} from '../dialect.js'
import { type AssignmentBatch, assignmentBatch } from './assignment-batches.js'
import { changedColumns } from './list-statements.js'
import { nameNumbers } from './name-numbers.js'
import { removalOf } from './object-statements.js'
import {
  decodeRow,
  encodeEntry,
  type KeyedEvent,
  rowEncoder,
  rowsNameProject,
  type Shared,
  type StoredRow,
} from './stored-rows.js'
import { CHECKPOINT, HISTORY, OBJECTS } from './tables.js'

/** Events to be applied, and the checkpoint that they follow. */
export interface Batch {
  readonly from: Position
  readonly events: readonly KnownEvent[]
}

/** The changes of a batch of events. */
interface Changes {
  /** The checkpoint at which the rows and names were read. */
  readonly reached: Position
  /** Write the changes. Each is made when it is needed: a database may run the one before meanwhile. */
  readonly statements: Iterable<Statement>
  /** Once all statements are made: whether no two of them change the same row, so that they may run in any order. */
  readonly isUnordered: () => boolean
}

/** The checkpoint after `batch`. */
export const endOf = ({ from, events }: Batch): Position => events.at(-1)?.position ?? from

/** Moves the checkpoint when it is where `batch` begins, and then finds a row. */
export const checkpointMove = ({ table }: Dialect, batch: Batch): Statement => ({
  sql: `UPDATE ${table(CHECKPOINT)} SET position = ? WHERE position = ? RETURNING 1`,
  parameters: [endOf(batch), batch.from],
})

/** Moves the checkpoint. @returns false when it is not where `batch` begins */
export function* moveCheckpoint(dialect: Dialect, batch: Batch): Steps<boolean> {
  const [moved] = yield checkpointMove(dialect, batch)
  if (moved !== undefined || batch.from > 0n) return moved !== undefined
  // There is no row before the first batch, or a backup has left it out.
  const table = dialect.table(CHECKPOINT)
  const [added] = yield {
    sql: `INSERT INTO ${table} (position) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM ${table}) RETURNING 1`,
    parameters: [endOf(batch)],
  }
  return added !== undefined
}

/** Reads the rows that `batch` changes, and makes the statements that write the changes. */
export function* changesOf(dialect: Dialect, batch: Batch): Steps<Changes> {
  const events = batch.events.filter(isOfObject).map((event) => ({
    event,
    rowKey: rowKeyOf(event.metadata.resourceOwner, objectOf(event)),
  }))
  const inOrder = new Set<string>()
  for (const { event, rowKey } of events) {
    inOrder.add(event.metadata.resourceOwner).add(rowKey.scope).add(event.type)
    const project = projectOf(event)
    if (project) inOrder.add(roleScope(project.projectOrgId, project.projectId))
  }
  const names = yield* nameNumbers(dialect, inOrder, batch.from)
  const shared: Shared = { numberOf: names.numberOf, bodies: new Map() }
  const rows = yield* rowBatch(dialect, shared, events)
  function* statements() {
    // What an event does to its row is its entry.
    yield* dialect.insert(HISTORY, events, (keyed) =>
      encodeEntry(keyed, changeRow(rows, keyed.event, keyed.rowKey), shared),
    )
    yield* rows.statements()
    yield* names.statements()
  }

  return {
    reached: names.reached,
    statements: statements(),
    isUnordered: () => events.length === 1 || !rows.isOrdered(),
  }
}

/** The project whose assignments `event` begins or ends, if it may. */
const projectOf = (event: KnownEvent): AssignmentRange | undefined => {
  const { assignments, effectOf } = aggregateOf(event.type)
  return assignments?.assigns || effectOf(event) === 'removes'
    ? assignments?.assignmentScope(event.data, event.metadata.resourceOwner)
    : undefined
}

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
    if (event.version > 1) rows[aggregateOf(event.type).type].want(rowKey)
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
  readonly kind: AnyAggregate
  /** Gets the assignments of the rows that are read. */
  readonly assignments: AssignmentBatch
}

const typeBatch = (dialect: Dialect, shared: Shared, { kind, assignments }: Typed): TypeBatch => {
  const { type } = kind
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
        if (assigned === undefined) continue
        const range = kind.assignments?.assignmentScope(row, row.details.resourceOwner)
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
