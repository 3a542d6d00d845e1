import { byType, TYPES } from '../../../domain/kinds.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import type { RowStore } from '../../../projections/change-row.js'
import { objectOf } from '../../../projections/object-of.js'
import { type Place, placeOf } from '../../../projections/place.js'
import type { Shared } from '../../kept-rows.js'
import type { Session, Statement } from '../session.js'
import { type ObjectTable, objectTable, removalOf } from './object-rows.js'

/** The rows of the tables while a batch of events changes them. */
export interface RowBatch extends RowStore {
  /** What writes that which was changed, each row once; to be run in this order. */
  readonly statements: () => readonly Statement[]
}

/** Reads the rows that `events` tell of, so that they can be changed without asking the database. */
export const rowBatch = async (
  session: Session,
  schema: string,
  shared: Shared,
  events: readonly KnownEvent[],
): Promise<RowBatch> => {
  const rows: { readonly [Type in ViewType]: TypeBatch<Views[Type]> } = {
    identity_provider: typeBatch(objectTable(schema, shared, 'identity_provider')),
    project: typeBatch(objectTable(schema, shared, 'project')),
    project_role: typeBatch(objectTable(schema, shared, 'project_role')),
  }
  const all = [rows.identity_provider, rows.project, rows.project_role]
  const removedScopes = byType((): string[] => [])

  for (const event of events) {
    const ref = objectOf(event)
    // Of the first event of an object nothing was kept before.
    if (event.version > 1) rows[ref.type].want(placeOf(event.metadata.resourceOwner, ref))
  }
  for (const batch of all) await batch.load(session)

  return {
    get: (type, place) => rows[type].get(place),
    put: (type, place, row) => rows[type].put(place, row),
    removeAll: (type, scope) => {
      removedScopes[type].push(scope)
      rows[type].forget(scope)
    },
    statements: () => [
      ...TYPES.filter((type) => removedScopes[type].length > 0).map((type) =>
        removalOf(schema, type, removedScopes[type]),
      ),
      ...all.flatMap((batch) => batch.statements()),
    ],
  }
}

/** The rows of one type. */
interface TypeBatch<Row> {
  /** Has `place` read by the next `load`. */
  readonly want: (place: Place) => void
  readonly load: (session: Session) => Promise<void>
  readonly get: (place: Place) => Row | undefined
  readonly put: (place: Place, row: Row | undefined) => void
  readonly forget: (scope: string) => void
  readonly statements: () => readonly Statement[]
}

/** A row as the table has it, and as it is to be; undefined where there is none. */
interface Entry<Row> {
  readonly place: Place
  stored: Row | undefined
  row: Row | undefined
}

const typeBatch = <Row>(table: ObjectTable<Row>): TypeBatch<Row> => {
  const entries = new Map<string, Entry<Row>>()

  const entryAt = (place: Place): Entry<Row> => {
    // No scope holds a line break.
    const name = `${place.scope}\n${place.key}`
    const entry = entries.get(name) ?? { place, stored: undefined, row: undefined }
    entries.set(name, entry)
    return entry
  }

  return {
    want: entryAt,
    load: async (session) => {
      if (entries.size === 0) return
      const places = [...entries.values()].map(({ place }) => place)
      for (const [place, row] of await table.read(session, places)) {
        Object.assign(entryAt(place), { stored: row, row })
      }
    },
    get: (place) => entryAt(place).row,
    put: (place, row) => {
      entryAt(place).row = row
    },
    forget: (scope) => {
      for (const [name, { place }] of entries) {
        if (place.scope === scope) entries.delete(name)
      }
    },
    statements: () => {
      const removed: Place[] = []
      const updated: (readonly [Place, Row])[] = []
      const added: (readonly [Place, Row])[] = []
      for (const { place, stored, row } of entries.values()) {
        if (row === stored) continue
        if (row === undefined) removed.push(place)
        else if (stored === undefined) added.push([place, row])
        else updated.push([place, row])
      }
      return [
        ...(removed.length > 0 ? [table.remove(removed)] : []),
        ...(updated.length > 0 ? [table.update(updated)] : []),
        ...(added.length > 0 ? [table.insert(added)] : []),
      ]
    },
  }
}
