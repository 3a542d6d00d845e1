import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  openPostgres,
  type Postgres,
  type PostgresCursors,
  postgresCursors,
} from '../../../../src/adapters/postgres/index.js'
import {
  eventRestoreLaws,
  eventStoreLaws,
  readModelLaws,
  webhookCursorLaws,
} from '../../../../src/laws/index.js'
import { context, good, iamOn } from '../../../application/host.js'
import { databaseHome } from '../../read-model-home.js'
import { newSchema, schemas, serverForFile } from '../test-schemas.js'

const server = serverForFile()

/**
 * Overloads of what our statements call, for each combination of types, in a schema that every role
 * searches and may write to. PostgreSQL hides those that are in `pg_catalog` as well, and prefers the others
 * to a function there that needs a cast. Nobody may execute them.
 */
const TRAPS = `
  GRANT CREATE ON SCHEMA public TO PUBLIC;
  SET search_path = public;
  SET check_function_bodies = off;
  ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
  DO $$ DECLARE
    types text[] := '{text,name,varchar,"\\"char\\"",bool,int2,int4,int8,numeric,oid,regclass,regnamespace,
      json,timestamptz,interval,float8,text[],bool[],int4[],int8[]}';
    called text;
    one text;
    other text;
  BEGIN
    FOREACH one IN ARRAY types LOOP
      FOREACH called IN ARRAY '{unnest,array_agg,lag,min,max,count,row_number,current_setting,now,
        pg_advisory_xact_lock,json_array_elements_text,trap}'::text[] LOOP
        EXECUTE format('CREATE FUNCTION %s(%s) RETURNS bool LANGUAGE sql AS ''''', called, one);
      END LOOP;
      EXECUTE format('CREATE OPERATOR - (RIGHTARG = %s, FUNCTION = trap)', one);
      FOREACH other IN ARRAY types LOOP
        FOREACH called IN ARRAY '{current_setting,hashtextextended,strpos,string_to_array,array_append,
          array_prepend,array_cat,trap}'::text[] LOOP
          EXECUTE format('CREATE FUNCTION %s(%s, %s) RETURNS bool LANGUAGE sql AS ''''', called, one, other);
        END LOOP;
        FOREACH called IN ARRAY '{=,<>,<,>,<=,>=,+,-,*,/,%,||,|,<<,->,->>}'::text[] LOOP
          EXECUTE format('CREATE OPERATOR %s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = trap)',
            called, one, other);
        END LOOP;
      END LOOP;
    END LOOP;
  END $$;
  CREATE ROLE owner LOGIN;
  GRANT CREATE ON DATABASE postgres TO owner;
`

let connectionString = ''

beforeAll(async () => {
  const client = new pg.Client({ connectionString: server.connectionString })
  await client.connect()
  await client.query(TRAPS)
  await client.end()
  connectionString = server.connectionString.replace('postgres@', 'owner@')
}, 60_000)

test('A function of another user on the search path is called where types are not exact.', async () => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  for (const call of [
    '1::numeric * 1',
    `hashtextextended('a', 1)`,
    `1::bigint || '{1}'::bigint[]`,
  ]) {
    await expect(client.query(`SELECT ${call}`)).rejects.toThrow('permission denied for function')
  }
  await client.end()
})

describe('With the objects of others on the search path', () => {
  test.each([...eventStoreLaws, ...eventRestoreLaws])('the store: $name', async ({ check }) => {
    await using harness = schemas((schema) => ({ connectionString, schema }))
    await check(harness)
  })

  test('views are created, written and read.', async () => {
    const schema = newSchema()
    const { close, store, readModel } = await openPostgres({
      connectionString,
      schema,
      views: true,
    })
    const iam = iamOn(store, { readModel, authorize: () => true })
    const role = { projectId: 'p', roleKey: 'r', displayName: 'R', permissions: ['x'] }
    const expiresAt = new Date('2999-12-31T23:59:59.987Z')
    const roles = [{ roleKey: 'r', expiresAt }]
    await good(iam.projects.add({ id: 'p', name: 'P' }, context))
    await good(iam.projectRoles.add(role, context))
    await good(iam.userGrants.add({ userId: 'u', projectId: 'p', roles }, context))
    await close()
    const client = new pg.Client({ connectionString })
    await client.connect()
    const { rows } = await client.query(`SELECT * FROM ${schema}.permission_holder`)
    await client.end()
    expect(rows).toMatchObject([{ user_id: 'u', permission: 'x', expires_at: expiresAt }])
  })

  test.each(webhookCursorLaws)('the cursors of webhooks: $name', async ({ check }) => {
    let schema = ''
    const opened: PostgresCursors[] = []
    const reopen = () => {
      const cursors = postgresCursors({ connectionString, schema, maxConnections: 2 })
      opened.push(cursors)
      return cursors
    }
    const open = () => {
      schema = newSchema()
      return reopen()
    }
    await check({ open, reopen })
    for (const { close } of opened) await close()
  })

  // `npm test` has the same read model on SQLite.
  const opened: Postgres[] = []
  const home = databaseHome(newSchema, async (schema) => {
    const postgres = await openPostgres({ connectionString, schema, maxConnections: 2 })
    opened.push(postgres)
    return postgres
  })
  afterAll(async () => {
    for (const { close } of opened) await close()
  })
  test.each(readModelLaws)('the read model: $name', ({ check }) => check(home))
})
