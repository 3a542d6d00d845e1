import pg from 'pg'
import { newDatabase } from '../databases.ts'
import { newRoleOf, type Open, ORG_ID } from '../world.ts'

const METADATA = JSON.stringify({ actor: { userId: 'u1', orgId: ORG_ID }, resourceOwner: ORG_ID })
const COLUMNS = '(stream, version, type, schema_version, data, metadata, append_id)'
const PAGE = 1_000
const CONNECTIONS = 10

/** A floor: the driver doing by hand what the store and its read model do, and checking nothing. */
export const rawPostgres: Open = async (place) => {
  const pool = new pg.Pool({ connectionString: await newDatabase(), max: CONNECTIONS })
  await pool.query(`CREATE TABLE events (
    position bigserial PRIMARY KEY, stream text COLLATE "C" NOT NULL, version bigint NOT NULL,
    type text NOT NULL, schema_version bigint NOT NULL, data text NOT NULL, metadata text NOT NULL,
    append_id text COLLATE "C" NOT NULL, UNIQUE (stream, version));
    CREATE INDEX ON events (append_id);
    CREATE TABLE rows (stream text PRIMARY KEY, data text, position bigint)`)
  await pool.query(
    `INSERT INTO events ${COLUMNS} SELECT 'user_grant-' || index, 1, 'user_grant.added', 1,
       '{"userId":"user' || index || '","projectId":"portal0","projectOrgId":"acme"}', $1, index::text
     FROM generate_series(1, $2::int) AS index`,
    [METADATA, place.grants],
  )
  const addRole = async (index: number) => {
    const role = newRoleOf(index)
    const stream = `project_role-${role.roleKey}`
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
      values: [stream, version, 'project_role.added', JSON.stringify(role), METADATA, stream],
    })
    await client.query('COMMIT')
    client.release()
    return true
  }
  const rebuild = async () => {
    for (let after = '0'; ; ) {
      const { rows } = await pool.query<string[]>({
        name: 'page',
        text: 'SELECT stream, data, position FROM events WHERE position > $1 ORDER BY position LIMIT $2',
        values: [after, PAGE],
        rowMode: 'array',
      })
      if (rows.length === 0) return true
      await pool.query({
        name: 'copy',
        text: `INSERT INTO rows SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
          ON CONFLICT (stream) DO UPDATE SET data = excluded.data, position = excluded.position`,
        values: [
          rows.map(([stream]) => stream),
          rows.map(([, data]) => JSON.stringify(JSON.parse(data ?? ''))),
          rows.map(([, , position]) => position),
        ],
      })
      after = rows.at(-1)?.[2] ?? after
    }
  }
  return {
    jobs: {
      'add role': { call: addRole },
      rebuild: {
        prepare: () => pool.query('TRUNCATE rows'),
        call: rebuild,
        operations: place.grants,
      },
    },
    close: () => pool.end(),
  }
}
