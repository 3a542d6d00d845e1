import type { AssignmentRange } from '../../../domain/aggregate.js'
import { type AnyAggregate, aggregates, byType } from '../../../domain/aggregates.js'
import type { Position } from '../../../ports/event-store.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import { aggregateOf, isOfObject, objectOf } from '../../../projections/read-events.js'
import {
  changeRow,
  getOrAdd,
  projectScope,
  type RowKey,
  type RowStore,
  rowKeyOf,
} from '../../../projections/rows.js'
import {
  type Dialect,
  type Integer,
  type NumberedKey,
  param,
  rowsOf,
  type Statement,
  type Steps,
  sql,
} from '../dialect.js'
import { type AssignmentBatch, assignmentBatch } from './assignment-batches.js'
import { encodeEntry, type KeyedEvent } from './history.js'
import {
  changedColumns,
  decodeRow,
  rowEncoder,
  type Shared,
  type StoredRow,
} from './stored-rows.js'
import {
  CHECKPOINT,
  checkpointIn,
  HISTORY,
  isNamed,
  NAMES,
  OBJECTS,
  PROJECT_SCOPE,
  rowsNameProject,
} from './tables.js'

/** Events to be applied, and the checkpoint that they follow. */
export interface Batch {
  /** The checkpoint that the events follow. */
  readonly from: Position
  /** In the order of the log. */
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
  // The row is missing before the first batch, or because a backup left it out.
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
    const project = assignedIn(event)
    if (project) inOrder.add(projectScope(project.projectOrgId, project.projectId))
  }
  const names = yield* nameNumbers(dialect, inOrder, batch.from)
  const shared: Shared = { numberOf: names.numberOf, bodies: new Map() }
  const rows = yield* rowBatch(dialect, shared, events)
  function* statements() {
    // The change of the row is the entry of the event.
    yield* dialect.insert(HISTORY, events, (keyed) =>
      encodeEntry(keyed, changeRow(rows, keyed.event, keyed.rowKey), shared),
    )
    yield* rows.statements()
    yield* names.statements
  }

  return {
    reached: names.reached,
    statements: statements(),
    isUnordered: () => events.length === 1 || !rows.isOrdered(),
  }
}

/** The project whose assignments `event` begins or ends, if it may. */
const assignedIn = (event: KnownEvent): AssignmentRange | undefined => {
  const { assignments, effectOf } = aggregateOf(event.type)
  return assignments?.assigns || effectOf(event) === 'removes'
    ? assignments?.assignmentScope(event.data, event.metadata.resourceOwner)
    : undefined
}

/**
 * Reads the numbers of `names`, and numbers those that are new.
 *
 * @param names - in the order of the log, so that equal logs lead to equal numbers
 * @param from - checkpoint before the batch
 * @throws when the table was emptied: a name must not get the number of another one
 * @returns the checkpoint at which they were read, the numbers, and statements that record new names
 */
function* nameNumbers(
  dialect: Dialect,
  names: ReadonlySet<string>,
  from: Position,
): Steps<{
  readonly reached: Position
  readonly numberOf: Shared['numberOf']
  readonly statements: Iterable<Statement>
}> {
  const table = dialect.table(NAMES)
  const isWanted = dialect.isListed('name', [...names])
  type Found = readonly [reached: Integer, last: Integer, name: string | null, number: Integer]
  const named = dialect.named(
    'names',
    () => `SELECT reached, last, name, number
      FROM (SELECT ${checkpointIn(dialect)} AS reached, (SELECT max(number) FROM ${table}) AS last) AS moment
      LEFT JOIN ${table} ON ${isWanted.sql}`,
  )
  const found = rowsOf<Found>(yield { ...named, parameters: isWanted.parameters })
  const [first] = found
  if (first === undefined) throw new Error('The checkpoint is found whether or not there are names')
  const reached = BigInt(first[0] ?? 0)
  const last = Number(first[1] ?? 0)
  if (last === 0 && from > 0n && reached > 0n)
    throw new Error(`The table ${table} was emptied: reset the read model`)
  const numbers = new Map(found.map(([, , name, number]) => [name, Number(number)]))
  const added = [...names]
    .filter((name) => !numbers.has(name))
    .map((name, index) => [name, last + index + 1] as const)
  for (const [name, number] of added) numbers.set(name, number)
  return {
    reached,
    numberOf: (name) => {
      const number = numbers.get(name)
      if (number === undefined) throw new Error(`The name ${name} has no number`)
      return number
    },
    statements: dialect.insert(NAMES, added, (row) => row),
  }
}

/** The rows of the tables while a batch of events changes them. */
interface RowBatch extends RowStore {
  /** Write the changes, each row once; to be run in this order. */
  readonly statements: () => Iterable<Statement>
  /** Whether the order of the statements matters, as when all objects of a scope are removed. */
  readonly isOrdered: () => boolean
}

/** Reads the rows that `events` change. */
function* rowBatch(
  dialect: Dialect,
  shared: Shared,
  events: readonly KeyedEvent[],
): Steps<RowBatch> {
  const assignments = assignmentBatch(dialect, shared)
  // Made when they are needed: most batches have one event.
  const batches = new Map<ViewType, TypeBatch>()
  const of = (type: ViewType): TypeBatch =>
    getOrAdd(batches, type, () => typeBatch(dialect, shared, assignments, aggregates[type]))

  // Before the first event of an object there is no row.
  for (const { event, rowKey } of events)
    if (event.version > 1) of(aggregateOf(event.type).type).want(rowKey)
  for (const batch of batches.values()) yield* batch.load()

  return {
    ...assignments,
    get: (type, rowKey) => of(type).get(rowKey),
    put: (type, rowKey, row) => of(type).put(rowKey, row),
    removeAll: (type, scope) => of(type).removeAll(scope),
    removeParts: (type, whole) => of(type).removeParts(whole),
    isOrdered: () =>
      assignments.isOrdered() || [...batches.values()].some((batch) => batch.isOrdered()),
    *statements() {
      for (const batch of batches.values()) yield* batch.removals()
      for (const batch of batches.values()) yield* batch.statements()
      yield* assignments.statements()
    },
  }
}

type TypeBatch = ReturnType<typeof typeBatch>

type View = Views[ViewType]

/** A row in the table, and after the batch; undefined if it does not exist. */
interface Entry {
  readonly rowKey: RowKey
  stored: View | undefined
  row: View | undefined
}

const ENCODERS = byType(({ type }) => rowEncoder(type))

/** @param held - gets the assignments of the rows that are read */
const typeBatch = (dialect: Dialect, shared: Shared, held: AssignmentBatch, kind: AnyAggregate) => {
  const { type } = kind
  const table = OBJECTS[type]
  const encode = ENCODERS[type]
  /** By scope, then by key. */
  const entries = new Map<string, Map<string, Entry>>()
  const wanted: Entry[] = []
  const removedScopes: string[] = []
  const removedWholes: RowKey[] = []

  const entryOf = ({ scope, key }: RowKey) => entries.get(scope)?.get(key)

  const add = (entry: Entry): Entry => {
    const { scope, key } = entry.rowKey
    const ofScope = entries.get(scope)
    if (ofScope) ofScope.set(key, entry)
    else entries.set(scope, new Map([[key, entry]]))
    return entry
  }

  const scopeOfProject = (row: View): string | undefined => {
    const range = kind.assignments?.assignmentScope(row, row.details.resourceOwner)
    return range && projectScope(range.projectOrgId, range.projectId)
  }

  const numbered = ({ scope, key }: RowKey): NumberedKey => [shared.numberOf(scope), key]

  return {
    /** Makes `load` read the row. */
    want: (rowKey: RowKey): void => {
      if (!entryOf(rowKey)) wanted.push(add({ rowKey, stored: undefined, row: undefined }))
    },
    *load(): Steps<void> {
      if (wanted.length === 0) return
      const keys = dialect.wantedKeys(wanted.map(({ rowKey }) => numbered(rowKey)))
      const found = rowsOf<readonly [nth: number | string, ...StoredRow]>(
        yield sql`SELECT nth, ${changedColumns(dialect, type).join(', ')} FROM ${keys} JOIN ${dialect.table(table)} USING (scope, key)`,
      )
      for (const [nth, body, sequence, creationDate, assigned, since] of found) {
        const entry = wanted[Number(nth) - 1]
        if (!entry) throw new Error(`No row was wanted as number ${nth}`)
        const row = decodeRow(type, entry.rowKey.scope, [body, sequence, creationDate])
        shared.bodies.set(row, body)
        entry.stored = entry.row = row
        if (assigned === undefined) continue
        const { resourceOwner } = row.details
        const range = kind.assignments?.assignmentScope(row, resourceOwner)
        if (range) held.addStored(range, JSON.parse(assigned), since)
        const groups = kind.memberships?.membershipScope(row)
        if (groups) held.addStoredGroups(resourceOwner, groups, JSON.parse(assigned))
      }
    },
    get: (rowKey: RowKey): View | undefined => entryOf(rowKey)?.row,
    put: (rowKey: RowKey, row: View | undefined): void => {
      const entry = entryOf(rowKey)
      if (entry) entry.row = row
      else add({ rowKey, stored: undefined, row })
    },
    /** Removes the rows of the project of that scope. */
    removeAll: (scope: string): void => {
      removedScopes.push(scope)
      if (!rowsNameProject(type)) entries.delete(scope)
      else
        for (const ofScope of entries.values())
          for (const [key, { row }] of ofScope)
            if (row && scopeOfProject(row) === scope) ofScope.delete(key)
    },
    /** Removes the rows whose keys begin with the key of `whole`. */
    removeParts: (whole: RowKey): void => {
      removedWholes.push(whole)
      const { scope, key } = whole
      const ofScope = entries.get(scope)
      for (const each of ofScope?.keys() ?? [])
        if (each.startsWith(`${key}+`)) ofScope?.delete(each)
    },
    isOrdered: (): boolean => removedScopes.length + removedWholes.length > 0,
    /** To be run before the statements of every type. */
    *removals(): Iterable<Statement> {
      if (removedScopes.length > 0) yield removalOf(dialect, type, removedScopes)
      for (const whole of removedWholes) yield partRemovalOf(dialect, type, whole)
    },
    *statements(): Iterable<Statement> {
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

/** Removes all objects of a type that are removed with the projects of `scopes`. */
export const removalOf = (dialect: Dialect, type: ViewType, scopes: readonly string[]): Statement =>
  sql`DELETE FROM ${dialect.table(OBJECTS[type])} WHERE ${rowsNameProject(type) ? PROJECT_SCOPE : 'scope'}
    IN (SELECT number FROM ${dialect.table(NAMES)} WHERE ${dialect.isListed('name', scopes)})`

/** Removes all objects of a type whose keys begin with the key of the object that contains them. */
const partRemovalOf = (dialect: Dialect, type: ViewType, { scope, key }: RowKey): Statement =>
  // The comma is the character after the plus.
  sql`DELETE FROM ${dialect.table(OBJECTS[type])} WHERE ${isNamed(dialect, 'scope', scope)}
    AND key > ${param(`${key}+`)} AND key < ${param(`${key},`)}`
