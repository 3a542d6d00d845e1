import { DatabaseSync, type StatementSync } from 'node:sqlite'
import pg from 'pg'
import { DURABLE, newDatabase, temporaryFile } from '../databases.ts'
import { grantOf, HELD_ROLE, ORG_ID, type Place, PROJECTS, projectIdOf } from '../world.ts'

/** What a host writes by hand: grants that change, and a row of an audit table for each change. */
const tablesWith = (id: string): string => `
  CREATE TABLE projects (org_id text NOT NULL, id text NOT NULL, PRIMARY KEY (org_id, id));
  CREATE TABLE grants (
    org_id text NOT NULL, user_id text NOT NULL, project_id text NOT NULL, role_key text NOT NULL,
    PRIMARY KEY (org_id, user_id, project_id, role_key),
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id));
  CREATE TABLE audit (
    id ${id} PRIMARY KEY, at text NOT NULL, actor text NOT NULL, org_id text NOT NULL, action text NOT NULL,
    details text NOT NULL);
  CREATE INDEX audit_org ON audit (org_id, id);`

/** Calls back with the rows of what the tables hold at first. */
const rowsOf = function* ({ grants }: Place): Generator<readonly [string, string]> {
  for (let index = 0; index < grants; index++) {
    const { userId, projectId } = grantOf(index)
    yield [userId, projectId]
  }
}

/** A file of SQLite with the tables, as durable as claviger's. */
export const sqliteTables = (place: Place) => {
  const { path, remove } = temporaryFile()
  const database = new DatabaseSync(path)
  database.exec(`${DURABLE} ${tablesWith('INTEGER')} BEGIN`)
  const project = database.prepare('INSERT INTO projects VALUES (?, ?)')
  for (let index = 0; index < PROJECTS; index++) project.run(ORG_ID, projectIdOf(index))
  const grant = database.prepare('INSERT INTO grants VALUES (?, ?, ?, ?)')
  for (const [userId, projectId] of rowsOf(place)) grant.run(ORG_ID, userId, projectId, HELD_ROLE)
  database.exec('COMMIT')
  const statements = new Map<string, StatementSync>()
  return {
    /** Each text is prepared once. */
    prepare: (sql: string): StatementSync => {
      const statement = statements.get(sql) ?? database.prepare(sql)
      statements.set(sql, statement)
      return statement
    },
    close: () => {
      database.close()
      remove()
    },
  }
}

/** A pool of connections to a PostgreSQL database with the tables. */
export const postgresTables = async (place: Place): Promise<pg.Pool> => {
  const pool = new pg.Pool({ connectionString: await newDatabase() })
  await pool.query(tablesWith('bigserial'))
  const projects = Array.from({ length: PROJECTS }, (_, index) => projectIdOf(index))
  await pool.query('INSERT INTO projects SELECT $1, unnest($2::text[])', [ORG_ID, projects])
  const rows = [...rowsOf(place)]
  await pool.query('INSERT INTO grants SELECT $1, unnest($2::text[]), unnest($3::text[]), $4', [
    ORG_ID,
    rows.map(([userId]) => userId),
    rows.map(([, projectId]) => projectId),
    HELD_ROLE,
  ])
  await pool.query('ANALYZE')
  return pool
}

/** One row of `grants`. */
export interface GrantKey {
  readonly userId: string
  readonly projectId: string
  readonly roleKey: string
}

/** The columns of an audit row. */
export const auditOf = (grant: GrantKey) => ({
  at: new Date().toISOString(),
  actor: 'u1',
  orgId: ORG_ID,
  action: 'grant.added',
  details: JSON.stringify(grant),
})
