import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import { context, good, iamOn } from '../application/host.js'
import { texts } from '../documents.js'

const guide = texts.get('docs/guides/lists-and-sql.md') ?? ''

test('The list of the guide shows no row of another tenant whose project has the same id.', async () => {
  const [, section = ''] = guide.split('\n## SQLite\n')
  const [create = ''] = /CREATE TABLE invoice [^']+/.exec(section) ?? []
  const [select = ''] = /SELECT id FROM invoice [^`]+/.exec(section) ?? []
  const database = new DatabaseSync(':memory:')
  const { store, readModel } = openSqlite(database, { views: true })
  const iam = iamOn(store, { readModel, authorize: () => true })
  const reader = { projectId: 'berlin', roleKey: 'reader', displayName: 'Reader' }
  for (const orgId of ['acme', 'globex']) {
    const there = { ...context, orgId }
    const roles = [{ roleKey: 'reader' }]
    await good(iam.projects.add({ id: 'berlin', name: 'Berlin' }, there))
    await good(iam.projectRoles.add({ ...reader, permissions: ['invoice.read'] }, there))
    await good(iam.userGrants.add({ userId: orgId, projectId: 'berlin', roles }, there))
  }
  database.exec(create)
  const insert = database.prepare('INSERT INTO invoice (id, org_id, project_id) VALUES (?, ?, ?)')
  insert.run(1, 'acme', 'berlin')
  insert.run(2, 'globex', 'berlin')
  const listed = database.prepare(select).all('globex', 'globex', 'invoice.read')
  expect(listed.map(({ id }) => id)).toEqual([2])
})

const statements = [...texts].flatMap(([page, text]) =>
  [...text.matchAll(/^```ts\n.*?^```$/gms)]
    .filter(([code]) => /permission_holder|role_holder/.test(code))
    .map(([code]) => [page, code] as const),
)

test.each(statements)('A statement on the views names the owner of the project: %s', (_, code) => {
  expect(code).toMatch(/project_org_id/)
})
