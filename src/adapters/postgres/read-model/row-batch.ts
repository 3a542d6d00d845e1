import type { Views, ViewType } from '../../../ports/read-model.js'
import type { RowStore } from '../../../projections/change-row.js'
import { type KnownEvent, objectOf } from '../../../projections/known-event.js'
import { type Place, placeOf } from '../../../projections/place.js'
import { organizationIn } from '../../../projections/stream-name.js'
import type { Session } from '../session.js'
import { type ObjectTable, objectTable, removeRoles } from './object-rows.js'

/** The rows of the tables while a batch of events changes them. */
export interface RowBatch extends RowStore {
  /** Writes what was changed, each row once. */
  readonly flush: (session: Session) => Promise<void>
}

/** Reads the rows that `events` tell of, so that they can be changed without asking the database. */
export const rowBatch = async (
  session: Session,
  schema: string,
  events: readonly KnownEvent[],
): Promise<RowBatch> => {
  const rows: { readonly [Type in ViewType]: TypeBatch<Views[Type]> } = {
    identity_provider: typeBatch(objectTable(schema, 'identity_provider')),
    project: typeBatch(objectTable(schema, 'project')),
    project_role: typeBatch(objectTable(schema, 'project_role')),
  }
  const all = [rows.identity_provider, rows.project, rows.project_role]
  const removedScopes: string[] = []

  for (const event of events) {
    const ref = objectOf(event)
    // Of the first event of an object nothing was kept before.
    if (event.version > 1) rows[ref.type].want(placeOf(organizationIn(event.stream), ref))
  }
  for (const batch of all) await batch.load(session)

  return {
    get: (type, place) => rows[type].get(place),
    put: (type, place, row) => rows[type].put(place, row),
    removeRoles: (scope) => {
      removedScopes.push(scope)
      rows.project_role.removeScope(scope)
    },
    flush: async (session) => {
      if (removedScopes.length > 0) await removeRoles(session, schema, removedScopes)
      for (const batch of all) await batch.flush(session)
    },
  }
}

/** The rows of one type. */
interface TypeBatch<Row> {
  /** Has `place` read by the next `load`. */
  readonly want: (place: Place) => void
  readonly load: (session: Session) => Promise<void>
  readonly get: (place: Place) => Row | undefined
  readonly put: (place: Place, row: Row | undefined) => void
  readonly removeScope: (scope: string) => void
  readonly flush: (session: Session) => Promise<void>
}

interface Entry<Row> {
  readonly place: Place
  row: Row | undefined
  isChanged: boolean
}

const typeBatch = <Row>(table: ObjectTable<Row>): TypeBatch<Row> => {
  const entries = new Map<string, Entry<Row>>()

  const entryAt = (place: Place): Entry<Row> => {
    // No scope holds a line break.
    const name = `${place.scope}\n${place.key}`
    const entry = entries.get(name) ?? { place, row: undefined, isChanged: false }
    entries.set(name, entry)
    return entry
  }

  return {
    want: entryAt,
    load: async (session) => {
      if (entries.size === 0) return
      const places = [...entries.values()].map(({ place }) => place)
      for (const [place, row] of await table.read(session, places)) entryAt(place).row = row
    },
    get: (place) => entryAt(place).row,
    put: (place, row) => {
      Object.assign(entryAt(place), { row, isChanged: true })
    },
    removeScope: (scope) => {
      for (const entry of entries.values()) {
        if (entry.place.scope === scope) Object.assign(entry, { row: undefined, isChanged: false })
      }
    },
    flush: async (session) => {
      const removed: Place[] = []
      const written: (readonly [Place, Row])[] = []
      for (const { place, row, isChanged } of entries.values()) {
        if (!isChanged) continue
        if (row === undefined) removed.push(place)
        else written.push([place, row])
      }
      if (removed.length > 0) await table.remove(session, removed)
      if (written.length > 0) await table.write(session, written)
    },
  }
}
