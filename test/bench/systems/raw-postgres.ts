import pg from 'pg'
import { newDatabase } from '../databases.ts'
import { firstCall, projectIdOf, projectOf, roleOf, type System, type Task } from '../system.ts'

const METADATA = JSON.stringify({ actor: { userId: 'u1', orgId: 'acme' }, resourceOwner: 'acme' })

const COLUMNS = '(stream, version, type, schema_version, data, metadata, append_id)'

/** A floor: `pg` doing the same work by hand, a prepared SELECT and INSERT per transaction. */
export const rawPostgres = (connections: number): System => ({
  name: `floor: pg, SELECT + INSERT, ${connections} connection${connections === 1 ? '' : 's'}`,
  open: async (task) => {
    const { pool, change, finish } = await open(task, connections)
    const call = async (index: number) => {
      const [stream, type, data] = change(index)
      const client = await pool.connect()
      await client.query('BEGIN')
      const { rows } = await client.query({
        name: 'version',
        text: 'SELECT coalesce(max(version), 0) AS version FROM events WHERE stream = $1',
        values: [stream],
      })
      const version = Number(rows[0].version) + 1
      await client.query({
        name: 'insert',
        text: `INSERT INTO events ${COLUMNS} VALUES ($1, $2, $3, 1, $4, $5, $6)`,
        values: [stream, version, type, JSON.stringify(data), METADATA, `01${stream}${version}`],
      })
      await client.query('COMMIT')
      client.release()
    }
    return { call, ...finish }
  },
})

/** Rows of one INSERT of {@link groupedPostgres}. */
const GROUP_SIZE = 100

/** A floor: one INSERT of {@link GROUP_SIZE} rows. One call in a hundred does them all. */
export const groupedPostgres: System = {
  name: `floor: pg, INSERT of ${GROUP_SIZE} rows`,
  open: async (task) => {
    const { pool, change, finish } = await open(task, 1)
    const call = async (index: number) => {
      if (index % GROUP_SIZE > 0) return
      const changes = Array.from({ length: GROUP_SIZE }, (_, member) => change(index + member))
      await pool.query({
        name: 'group',
        text: `INSERT INTO events ${COLUMNS} SELECT stream, 1, type, 1, data, $4, stream
          FROM unnest($1::text[], $2::text[], $3::text[]) AS rows (stream, type, data)`,
        values: [
          changes.map(([stream]) => stream),
          changes.map(([, type]) => type),
          changes.map(([, , data]) => JSON.stringify(data)),
          METADATA,
        ],
      })
    }
    return { call, ...finish }
  },
}

/** The same columns and indexes as the store has. */
const open = async (task: Task, connections: number) => {
  const { connectionString, countRows } = await newDatabase()
  const pool = new pg.Pool({ connectionString, max: connections })
  await pool.query(`CREATE TABLE events (
    position bigserial PRIMARY KEY, stream text COLLATE "C" NOT NULL, version bigint NOT NULL,
    type text NOT NULL, schema_version bigint NOT NULL, data text NOT NULL, metadata text NOT NULL,
    append_id text COLLATE "C" NOT NULL, UNIQUE (stream, version));
    CREATE INDEX ON events (append_id)`)
  if (task.kind === 'update project') {
    await pool.query(
      `INSERT INTO events ${COLUMNS} SELECT 'project-acme+portal-' || stream, version, 'project.updated',
         1, $1, $2, stream || '-' || version
       FROM generate_series(0, $3::int - 1) AS stream, generate_series(1, $4::int) AS version`,
      [JSON.stringify(projectOf(0, 1)), METADATA, task.streams, task.events],
    )
  }
  const first = firstCall(task)
  return {
    pool,
    change: (index: number): [string, string, object] => {
      if (task.kind === 'add role') {
        return [`project_role-acme+${projectIdOf(0)}+role-${index}`, 'role.added', roleOf(index)]
      }
      const data = projectOf(first + index, task.streams)
      return [`project-acme+${data.id}`, 'project.updated', data]
    },
    finish: {
      countEvents: () => countRows('events'),
      close: () => pool.end(),
    },
  }
}
