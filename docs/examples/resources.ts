// Roles on single workspaces of one application, and the list "my workspaces" in SQL and in the process.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { aesGcmCipher, type Context, createIam, orThrow } from 'claviger'
import { openSqlite } from 'claviger/sqlite'

const database = new DatabaseSync(':memory:')
const { close, ...opened } = openSqlite(database, { views: true })
database.exec('CREATE TABLE workspace (id INTEGER PRIMARY KEY, name TEXT NOT NULL)')
database.exec(`INSERT INTO workspace VALUES (42, 'Design'), (43, 'Sales'), (44, 'Board')`)

const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } })
const iam = createIam({ ...opened, secrets, authorize: () => true })
const acme: Context = { caller: { userId: 'u-ada', orgId: 'acme' } }

// 1. One project with the roles. Workspaces are rows of yours: claviger knows only their ids.
await orThrow(iam.projects.add({ id: 'app', name: 'The application' }, acme))
const roles = [
  { roleKey: 'editor', displayName: 'Editor', permissions: ['page.read', 'page.edit'] },
  { roleKey: 'guest', displayName: 'Guest', permissions: ['page.read'] },
]
await orThrow(iam.projectRoles.addMany({ projectId: 'app', roles }, acme))

// 2. Bo is editor of workspace 42 and guest of workspace 43. Cy is editor of everything.
const inApp = { orgId: 'acme', projectId: 'app' }
const give = (userId: string, roleKey: string, resource?: string) =>
  orThrow(iam.userGrants.give({ userId, projectId: 'app', resource, roles: [{ roleKey }] }, acme))
await give('u-bo', 'editor', 'workspace:42')
await give('u-bo', 'guest', 'workspace:43')
await give('u-cy', 'editor')

// 3. Guard a route of one workspace.
const mayEdit = (userId: string, id: number) =>
  iam.access.of({ ...inApp, userId, resource: `workspace:${id}` }).can('page.edit')
assert.equal(await mayEdit('u-bo', 42), true)
assert.equal(await mayEdit('u-bo', 43), false)
assert.equal(await mayEdit('u-cy', 43), true)
assert.equal(await iam.access.of({ ...inApp, userId: 'u-bo' }).can('page.edit'), false)

// 4. "My workspaces", in SQL.
const workspacesOf = (userId: string) =>
  database
    .prepare(
      `SELECT name FROM workspace WHERE EXISTS (
         SELECT 1 FROM claviger_permission_holder
         WHERE org_id = 'acme' AND user_id = ? AND permission = 'page.read'
           AND project_org_id = 'acme' AND project_id = 'app'
           AND (resource IS NULL OR resource = 'workspace:' || workspace.id))
       ORDER BY id`,
    )
    .all(userId)
    .map(({ name }) => name)
assert.deepEqual(workspacesOf('u-bo'), ['Design', 'Sales'])
assert.deepEqual(workspacesOf('u-cy'), ['Design', 'Sales', 'Board'])

// 5. The same in the process, page by page. A scope without a resource is the whole project.
const asked = { userId: 'u-bo', projectId: 'app', permission: 'page.read' }
const scopes = await orThrow(iam.access.scopesOf(asked, acme))
assert.deepEqual(
  scopes.items.map(({ resource }) => resource),
  ['workspace:42', 'workspace:43'],
)

// 6. Who has roles there? Those of the whole project are included.
const members = await orThrow(
  iam.access.whoHas({ projectId: 'app', resource: 'workspace:42' }, acme),
)
assert.deepEqual(
  members.items.map(({ userId, resource }) => [userId, resource]),
  [
    ['u-cy', undefined],
    ['u-bo', 'workspace:42'],
  ],
)

// 7. The workspace is deleted.
database.exec('DELETE FROM workspace WHERE id = 42')
await orThrow(
  iam.userGrants.removeAllOfResource({ projectId: 'app', resource: 'workspace:42' }, acme),
)
assert.deepEqual(workspacesOf('u-bo'), ['Sales'])
console.log('Bo is left with', workspacesOf('u-bo'))
await close()
