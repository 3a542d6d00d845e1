import { DatabaseSync } from 'node:sqlite'
import { countRows, temporaryFile } from '../stores.ts'
import { firstCall, projectIdOf, projectOf, roleOf, type System, type Task } from '../system.ts'

const METADATA = JSON.stringify({ actor: { userId: 'u1', orgId: 'acme' }, resourceOwner: 'acme' })

/** A floor: `node:sqlite` doing the same work by hand, a SELECT and an INSERT per transaction. */
export const rawSqlite: System = {
  name: 'floor: node:sqlite, SELECT + INSERT',
  open: async (task) => {
    const { database, change, versionOf, insert, finish } = open(task)
    const call = async (index: number) => {
      const [stream, type, data] = change(index)
      database.exec('BEGIN IMMEDIATE')
      const version = versionOf(stream)
      insert({ stream, version: version + 1, type, data })
      database.exec('COMMIT')
    }
    return { call, ...finish }
  },
}

/** Inserts of one transaction of {@link groupedSqlite}. */
export const GROUP_SIZE = 100

/** A floor: {@link GROUP_SIZE} inserts per transaction. One call in a hundred does them all. */
export const groupedSqlite: System = {
  name: `floor: node:sqlite, ${GROUP_SIZE} INSERTs per transaction`,
  open: async (task) => {
    const { database, change, insert, finish } = open(task)
    const call = async (index: number) => {
      if (index % GROUP_SIZE > 0) return
      database.exec('BEGIN IMMEDIATE')
      for (let member = index; member < index + GROUP_SIZE; member++) {
        const [stream, type, data] = change(member)
        insert({ stream, version: 1, type, data })
      }
      database.exec('COMMIT')
    }
    return { call, ...finish }
  },
}

interface Inserted {
  readonly stream: string
  readonly version: number
  readonly type: string
  readonly data: object
}

/** The same columns and indexes as the store has, as durable; the page cache is as large as SQLite's own default. */
const open = (task: Task) => {
  const { path, remove } = temporaryFile()
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4000;
    CREATE TABLE events (
      position INTEGER PRIMARY KEY, stream TEXT NOT NULL, version INTEGER NOT NULL,
      type TEXT NOT NULL, schema_version INTEGER NOT NULL, data TEXT NOT NULL,
      metadata TEXT NOT NULL, append_id TEXT NOT NULL, UNIQUE (stream, version)
    ) STRICT;
    CREATE INDEX events_append_id ON events (append_id)`)
  const select = database.prepare('SELECT max(version) AS version FROM events WHERE stream = ?')
  const add = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, 1, ?, ?, ?)')
  let last = Date.now() * 1000
  const insert = ({ stream, version, type, data }: Inserted) => {
    last = Math.max(last + 1, Date.now() * 1000)
    add.run(last, stream, version, type, JSON.stringify(data), METADATA, `01${last}`)
  }
  fill(database, task, insert)
  const first = firstCall(task)
  return {
    database,
    insert,
    versionOf: (stream: string) => Number(select.get(stream)?.['version'] ?? 0),
    change: (index: number): [string, string, object] => {
      if (task.kind === 'add role')
        return [roleStream(`role-${index}`), 'role.added', roleOf(index)]
      const data = projectOf(first + index, task.streams)
      return [projectStream(data.id), 'project.updated', data]
    },
    finish: {
      countEvents: async () => countRows(path),
      close: async () => {
        database.close()
        remove()
      },
    },
  }
}

const roleStream = (key: string) => `project_role-acme+portal-0+${key}`

const projectStream = (id: string) => `project-acme+${id}`

const fill = (database: DatabaseSync, task: Task, insert: (row: Inserted) => void): void => {
  const isRole = task.kind === 'add role'
  const streams = isRole ? task.held : task.streams
  const events = isRole ? 1 : task.events
  const streamOf = (index: number) =>
    isRole ? roleStream(`held-${index}`) : projectStream(projectIdOf(index))
  database.exec('BEGIN')
  for (let version = 1; version <= events; version++) {
    for (let index = 0; index < streams; index++) {
      if (index % 10_000 === 9_999) database.exec('COMMIT; BEGIN')
      insert({ stream: streamOf(index), version, type: 'role.added', data: roleOf(index) })
    }
  }
  database.exec('COMMIT')
}
