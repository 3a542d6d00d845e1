import { DatabaseSync } from 'node:sqlite'
import { DURABLE, temporaryFile } from '../databases.ts'
import { grantOf, newRoleOf, type Open, ORG_ID } from '../world.ts'

const METADATA = JSON.stringify({ actor: { userId: 'u1', orgId: ORG_ID }, resourceOwner: ORG_ID })
const PAGE = 1_000

/** A floor: the driver doing by hand what the store and its read model do, and checking nothing. */
export const rawSqlite: Open = async (place) => {
  const { path, remove } = temporaryFile()
  const database = new DatabaseSync(path)
  database.exec(`${DURABLE}
    CREATE TABLE events (
      position INTEGER PRIMARY KEY, stream TEXT NOT NULL, version INTEGER NOT NULL,
      type TEXT NOT NULL, schema_version INTEGER NOT NULL, data TEXT NOT NULL,
      metadata TEXT NOT NULL, append_id TEXT NOT NULL, UNIQUE (stream, version)
    ) STRICT;
    CREATE INDEX events_append_id ON events (append_id);
    CREATE TABLE rows (stream TEXT PRIMARY KEY, data TEXT NOT NULL, position INTEGER NOT NULL)`)
  const select = database.prepare('SELECT max(version) AS version FROM events WHERE stream = ?')
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, 1, ?, ?, ?)')
  const page = database.prepare('SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?')
  const put = database.prepare('INSERT OR REPLACE INTO rows VALUES (?, ?, ?)')
  let last = 0
  const append = (stream: string, type: string, data: object) => {
    const version = Number(select.get(stream)?.['version'] ?? 0)
    last = Math.max(last + 1, Date.now() * 1000)
    insert.run(last, stream, version + 1, type, JSON.stringify(data), METADATA, `01${last}`)
  }
  const inTransaction = (work: () => void) => {
    database.exec('BEGIN IMMEDIATE')
    work()
    database.exec('COMMIT')
  }
  inTransaction(() => {
    for (let index = 0; index < place.grants; index++) {
      append(`user_grant-${index}`, 'user_grant.added', grantOf(index))
    }
  })
  return {
    jobs: {
      'add role': {
        call: (index) => {
          const role = newRoleOf(index)
          inTransaction(() => append(`project_role-${role.roleKey}`, 'project_role.added', role))
          return true
        },
      },
      rebuild: {
        // A read model can be rebuilt, so its transactions do not wait for the disk.
        prepare: async () => database.exec('PRAGMA synchronous = NORMAL; DELETE FROM rows'),
        call: () => {
          let rows = page.all(0, PAGE)
          while (rows.length > 0) {
            const read = rows
            inTransaction(() => {
              for (const { stream, data, position } of read) {
                put.run(String(stream), JSON.stringify(JSON.parse(String(data))), Number(position))
              }
            })
            rows = page.all(Number(rows.at(-1)?.['position']), PAGE)
          }
          return true
        },
        operations: place.grants,
      },
    },
    close: async () => {
      database.close()
      remove()
    },
  }
}
