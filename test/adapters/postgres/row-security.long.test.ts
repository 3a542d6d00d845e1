import fc from 'fast-check'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { openPostgres } from '../../../src/adapters/postgres/index.js'
import { memoryEventStore, type RecordedEvent } from '../../../src/index.js'
import {
  anyStep,
  ORGS,
  PERMISSIONS,
  PROJECTS,
  RESOURCES,
  USERS,
} from '../../application/access/any-history.js'
import { histories, played } from '../../application/access/played.js'
import { context, good, type Iam, iamOn } from '../../application/host.js'
import { searched } from '../../nightly.js'
import { movedTo } from '../sql/views/shown.js'
import { newSchema, serverForFile } from './test-schemas.js'

const server = serverForFile()

/** How many pairs of a user and a row are compared. */
const PAIRS = searched({ short: 10_000, nightly: 100_000 })

/** What the rows of the host belong to. */
const ROWS = ORGS.flatMap((projectOrgId) =>
  PROJECTS.flatMap((projectId) =>
    [undefined, ...RESOURCES].map((resource, nth) => ({
      id: `${projectOrgId}/${projectId}/${nth}`,
      scope: { projectOrgId, projectId, ...(resource !== undefined && { resource }) },
    })),
  ),
)

/** Who asks for what. */
const QUESTIONS = ORGS.flatMap((orgId) =>
  USERS.flatMap((userId) => PERMISSIONS.map((permission) => ({ orgId, userId, permission }))),
)
type Question = (typeof QUESTIONS)[number]

const literal = (text: string | undefined) => (text === undefined ? 'NULL' : `'${text}'`)

/** Rows of the host with row level security, for a role that may read them and the views. */
const tableIn = (schema: string, role: string): string => {
  const rows = ROWS.map(
    ({ id, scope: { projectOrgId, projectId, resource } }) =>
      `(${[id, projectOrgId, projectId, resource].map(literal).join(', ')})`,
  )
  const columns = ['id', 'project_org_id', 'project_id', 'resource']
  const allowed = (scope: string, on: string) => `SELECT ${scope} FROM ${schema}.permission_holder
    WHERE org_id = current_setting('app.org_id') AND user_id = current_setting('app.user_id')
      AND permission = current_setting('app.permission') AND resource IS ${on}`
  const project = 'project_org_id, project_id'
  return `CREATE TABLE ${schema}.doc (${columns.map((column) => `${column} text COLLATE "C"`).join(', ')});
    INSERT INTO ${schema}.doc VALUES ${rows.join(', ')};
    ALTER TABLE ${schema}.doc ENABLE ROW LEVEL SECURITY;
    CREATE POLICY readers ON ${schema}.doc FOR SELECT USING (
      (${project}) IN (${allowed(project, 'NULL')})
      OR (${project}, resource) IN (${allowed(`${project}, resource`, 'NOT NULL')}));
    CREATE ROLE ${role} LOGIN;
    GRANT USAGE ON SCHEMA ${schema} TO ${role};
    GRANT SELECT ON ${schema}.doc, ${schema}.permission_holder TO ${role}`
}

/** Steps after the past, each with who takes it and whether the rows are looked at then. */
const following = fc.array(
  fc.record({ step: anyStep, hasViews: fc.nat(4).map((n) => n > 0), looks: fc.nat(4) }),
  { minLength: 10, maxLength: 40 },
)

const holderText = (holder: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(holder, (_, value) => (value === undefined ? null : value))

/** What the view shows, and what whoHas returns, as texts. */
const viewOf = async (client: Client, schema: string) => {
  const { rows } = await client.query(`SELECT project_org_id, project_id, org_id, user_id,
    permission, resource, via_idp_id, via_group, expires_at FROM ${schema}.permission_holder`)
  return rows.map(holderText).toSorted()
}
const holdersOf = async (iam: Iam) => {
  const texts: string[] = []
  for (const projectOrgId of ORGS)
    for (const projectId of PROJECTS)
      for (const permission of PERMISSIONS) {
        const within = { ...context, orgId: projectOrgId }
        const { items } = await good(iam.access.whoHas({ projectId, permission }, within))
        for (const { orgId, userId, resource, via, expiresAt } of items)
          texts.push(
            holderText({
              project_org_id: projectOrgId,
              project_id: projectId,
              org_id: orgId,
              user_id: userId,
              permission,
              resource,
              via_idp_id: via === 'grant' ? null : via.idpId,
              via_group: via === 'grant' ? null : via.group,
              expires_at: expiresAt,
            }),
          )
      }
  return texts.toSorted()
}

test('Row level security shows the rows that access.check allows, and none when it is behind.', async () => {
  const owner = new Client({ connectionString: server.connectionString })
  await owner.connect()
  let pairs = 0
  let allowedPairs = 0
  let behind = 0

  const compare = async (past: readonly RecordedEvent[], steps: Following): Promise<void> => {
    const schema = newSchema()
    const { connectionString } = server
    await using withViews = await openPostgres({ connectionString, schema, views: true })
    await using without = await openPostgres({ connectionString, schema })
    await owner.query(tableIn(schema, `app_${schema}`))
    const url = new URL(connectionString)
    url.username = `app_${schema}`
    const app = new Client({ connectionString: url.href })
    await app.connect()
    try {
      const rowsOf = async ({ orgId, userId, permission }: Question) => {
        // Two results: the settings, and the rows.
        const results: unknown =
          await app.query(`SELECT set_config('app.org_id', '${orgId}', false),
          set_config('app.user_id', '${userId}', false), set_config('app.permission', '${permission}', false);
          SELECT id FROM ${schema}.doc ORDER BY id`)
        return (results as { rows: { id: string }[] }[])[1]?.rows.map(({ id }) => id)
      }
      await withViews.store.restore(past)
      const iam = iamOn(withViews.store, { ...withViews, authorize: () => true })
      const other = iamOn(without.store, { ...without, authorize: () => true })
      const look = async () => {
        expect(await viewOf(owner, schema)).toEqual(await holdersOf(iam))
        for (const question of QUESTIONS) {
          const { orgId, ...asked } = question
          const allowed = await Promise.all(
            ROWS.map(async ({ id, scope }) => {
              const check = iam.access.check({ ...asked, ...scope }, { ...context, orgId })
              return (await good(check)).allowed ? [id] : []
            }),
          )
          expect(await rowsOf(question), JSON.stringify(question)).toEqual(
            allowed.flat().toSorted(),
          )
          pairs += ROWS.length
          allowedPairs += allowed.flat().length
        }
      }
      expect(await viewOf(owner, schema)).toEqual([])
      await iam.catchUp(withViews.readModel)
      await look()
      for (const { step, hasViews, looks } of steps) {
        const before = await withViews.store.lastPosition()
        await step(hasViews ? iam : other)
        const isBehind = !hasViews && (await withViews.store.lastPosition()) > before
        if (looks > 0) continue
        if (isBehind && (await withViews.readModel.checkpoint()) <= before) {
          behind++
          expect(await viewOf(owner, schema)).toEqual([])
          for (const question of QUESTIONS) expect(await rowsOf(question)).toEqual([])
        }
        await iam.catchUp(withViews.readModel)
        await look()
      }
    } finally {
      await app.end()
    }
    await owner.query(`DROP SCHEMA ${schema} CASCADE`)
  }

  try {
    while (pairs < PAIRS)
      await fc.assert(
        fc.asyncProperty(histories, following, async (steps, next) => {
          const { log, now } = await played(steps, (now) => ({ store: memoryEventStore({ now }) }))
          await compare(movedTo(log, now, new Date(Date.now() - 60_000)), next)
        }),
        { numRuns: 1 },
      )
  } finally {
    await owner.end()
  }
  expect(behind).toBeGreaterThan(0)
  expect(allowedPairs).toBeGreaterThan(pairs / 20)
  expect(allowedPairs).toBeLessThan(pairs / 1.5)
}, 1_200_000)

type Following = typeof following extends fc.Arbitrary<infer Steps> ? Steps : never
