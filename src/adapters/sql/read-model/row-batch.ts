import { byType, TYPES } from '../../../domain/kinds.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import { objectOf } from '../../../projections/events/object-of.js'
import type { RowStore } from '../../../projections/rows/change-row.js'
import type { RowKey } from '../../../projections/rows/row-key.js'
import type { ChangedRow, Dialect, NumberedKey } from '../dialect.js'
import { find as findRows, type Statement, type Steps } from '../statement.js'
import { removalOf } from './statements/object-statements.js'
import type { KeyedEvent } from './stored-entries.js'
import { decodeRow, READ_COLUMNS, rowEncoder, type Shared, type StoredRow } from './stored-rows.js'
import { OBJECTS } from './tables.js'

/** The rows of the tables while a batch of events changes them. */
export interface RowBatch extends RowStore {
  /** What writes the changes, each row once; to be run in this order. */
  readonly statements: () => Iterable<Statement>
  /** Whether objects are removed together, so that the order of the statements counts. */
  readonly removesTogether: () => boolean
}

/** Reads the rows that `events` change, so that they can be changed without asking the database. */
export function* rowBatch(
  dialect: Dialect,
  shared: Shared,
  events: readonly KeyedEvent[],
): Steps<RowBatch> {
  const rows: { readonly [Type in ViewType]: TypeBatch<Views[Type]> } = {
    identity_provider: typeBatch(dialect, shared, 'identity_provider'),
    project: typeBatch(dialect, shared, 'project'),
    project_role: typeBatch(dialect, shared, 'project_role'),
  }
  const all = Object.values(rows)
  const removedScopes = byType((): string[] => [])

  // Of the first event of an object nothing was stored before.
  for (const { event, rowKey } of events)
    if (event.version > 1) rows[objectOf(event).type].want(rowKey)
  for (const batch of all) yield* batch.load()

  return {
    get: (type, rowKey) => rows[type].get(rowKey),
    put: (type, rowKey, row) => rows[type].put(rowKey, row),
    removeAll: (type, scope) => {
      removedScopes[type].push(scope)
      rows[type].forget(scope)
    },
    removesTogether: () => Object.values(removedScopes).some((scopes) => scopes.length > 0),
    *statements() {
      for (const type of TYPES)
        if (removedScopes[type].length > 0) yield removalOf(dialect, type, removedScopes[type])
      for (const batch of all) yield* batch.statements()
    },
  }
}

/** The rows of one type. */
interface TypeBatch<View> {
  /** Has the row read by `load`. */
  readonly want: (rowKey: RowKey) => void
  readonly load: () => Steps<void>
  readonly get: (rowKey: RowKey) => View | undefined
  readonly put: (rowKey: RowKey, row: View | undefined) => void
  readonly forget: (scope: string) => void
  readonly statements: () => Iterable<Statement>
}

/** A row as the table has it, and as it is to be; undefined where there is none. */
interface Entry<View> {
  readonly rowKey: RowKey
  stored: View | undefined
  row: View | undefined
}

const typeBatch = <Type extends ViewType>(
  dialect: Dialect,
  shared: Shared,
  type: Type,
): TypeBatch<Views[Type]> => {
  const table = OBJECTS[type]
  const encode = rowEncoder(type)
  /** By scope, then by key. */
  const entries = new Map<string, Map<string, Entry<Views[Type]>>>()
  const sought: Entry<Views[Type]>[] = []

  const find = ({ scope, key }: RowKey) => entries.get(scope)?.get(key)

  const add = (entry: Entry<Views[Type]>): Entry<Views[Type]> => {
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
        sql: `SELECT nth, ${READ_COLUMNS} FROM ${sql} JOIN ${dialect.table(table)} USING (scope, key)`,
        parameters,
      })
      for (const [nth, ...stored] of found) {
        const entry = sought[Number(nth) - 1]
        if (entry) entry.stored = entry.row = decodeRow<Type>(entry.rowKey.scope, stored)
      }
    },
    get: (rowKey) => find(rowKey)?.row,
    put: (rowKey, row) => {
      const entry = find(rowKey)
      if (entry) entry.row = row
      else add({ rowKey, stored: undefined, row })
    },
    forget: (scope) => {
      entries.delete(scope)
    },
    *statements() {
      const removed: NumberedKey[] = []
      const updated: ChangedRow[] = []
      const added: (readonly [RowKey, Views[Type]])[] = []
      // By scope: neighbours in the table are written together.
      const byNumber = [...entries.keys()].toSorted(
        (one, other) => shared.numberOf(one) - shared.numberOf(other),
      )
      for (const scope of byNumber)
        for (const { rowKey, stored, row } of entries.get(scope)?.values() ?? []) {
          if (row === stored) continue
          if (row === undefined) removed.push(numbered(rowKey))
          else if (stored === undefined) added.push([rowKey, row])
          else
            updated.push({
              row: encode(rowKey, row, shared),
              before: () => encode(rowKey, stored, shared),
            })
        }
      yield* dialect.remove(table, removed)
      yield* dialect.update(table, updated)
      yield* dialect.insert(table, added, ([rowKey, row]) => encode(rowKey, row, shared))
    },
  }
}
