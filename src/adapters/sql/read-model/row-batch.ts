import type { Views, ViewType } from '../../../ports/read-model.js'
import type { RowStore } from '../../../projections/change-row.js'
import { objectOf } from '../../../projections/event-cases.js'
import type { RowKey } from '../../../projections/row-key.js'
import type { Dialect } from '../dialect.js'
import type { Statement, Steps } from '../statement.js'
import { type Entry, type ObjectTable, objectTable, rolesRemoval } from './object-rows.js'
import type { KeyedEvent } from './stored-entries.js'
import type { Shared } from './stored-rows.js'

/** The rows of the tables while a batch of events changes them. */
export interface RowBatch extends RowStore {
  /** What writes the changes, each row once; to be run in this order. */
  readonly statements: () => Iterable<Statement>
  /** Whether roles are removed together, so that the order of the statements counts. */
  readonly removesRoles: () => boolean
}

/** Reads the rows that `events` change, so that they can be changed without asking the database. */
export function* rowBatch(
  dialect: Dialect,
  shared: Shared,
  events: readonly KeyedEvent[],
): Steps<RowBatch> {
  const rows: { readonly [Type in ViewType]: TypeBatch<Views[Type]> } = {
    identity_provider: typeBatch(
      shared.numberOf,
      objectTable(dialect, shared, 'identity_provider'),
    ),
    project: typeBatch(shared.numberOf, objectTable(dialect, shared, 'project')),
    project_role: typeBatch(shared.numberOf, objectTable(dialect, shared, 'project_role')),
  }
  const all = [rows.identity_provider, rows.project, rows.project_role]
  const removedScopes: string[] = []

  // Of the first event of an object nothing was stored before.
  for (const { event, rowKey } of events)
    rows[objectOf(event).type].expect(rowKey, event.version > 1)
  for (const batch of all) yield* batch.load()

  return {
    get: (type, rowKey) => rows[type].get(rowKey),
    put: (type, rowKey, row) => rows[type].put(rowKey, row),
    removeRoles: (scope) => {
      removedScopes.push(scope)
      rows.project_role.forget(scope)
    },
    removesRoles: () => removedScopes.length > 0,
    *statements() {
      if (removedScopes.length > 0) yield rolesRemoval(dialect, removedScopes)
      for (const batch of all) yield* batch.statements()
    },
  }
}

/** The rows of one type. */
interface TypeBatch<Row> {
  /** Has the row read by `load` when it `isStored`, unless it came to be in this batch. */
  readonly expect: (rowKey: RowKey, isStored: boolean) => void
  readonly load: () => Steps<void>
  readonly get: (rowKey: RowKey) => Row | undefined
  readonly put: (rowKey: RowKey, row: Row | undefined) => void
  readonly forget: (scope: string) => void
  readonly statements: () => Iterable<Statement>
}

const typeBatch = <Row>(numberOf: Shared['numberOf'], table: ObjectTable<Row>): TypeBatch<Row> => {
  /** By scope, then by key. */
  const entries = new Map<string, Map<string, Entry<Row>>>()
  const sought: Entry<Row>[] = []

  const find = ({ scope, key }: RowKey): Entry<Row> | undefined => entries.get(scope)?.get(key)

  const add = (rowKey: RowKey, row?: Row): Entry<Row> => {
    const entry = { rowKey, stored: undefined, row }
    const ofScope = entries.get(rowKey.scope) ?? new Map<string, Entry<Row>>()
    entries.set(rowKey.scope, ofScope.set(rowKey.key, entry))
    return entry
  }

  return {
    expect: (rowKey, isStored) => {
      if (find(rowKey)) return
      const entry = add(rowKey)
      if (isStored) sought.push(entry)
    },
    load: () => table.load(sought),
    get: (rowKey) => find(rowKey)?.row,
    put: (rowKey, row) => {
      const entry = find(rowKey)
      if (entry) entry.row = row
      else add(rowKey, row)
    },
    forget: (scope) => {
      entries.delete(scope)
    },
    statements: () => {
      // By scope: neighbours in the table are written together.
      const byNumber = [...entries].toSorted(([one], [other]) => numberOf(one) - numberOf(other))
      return table.write(byNumber.flatMap(([, ofScope]) => [...ofScope.values()]))
    },
  }
}
