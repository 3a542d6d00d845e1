import { PGlite } from '@electric-sql/pglite'
import { expect, test } from 'vitest'
import { testPostgres } from '../../src/testing/index.js'
import { context, good, iamOn } from '../application/host.js'

test('Each test of a host has a schema of its own in one PGlite.', async () => {
  const db = new PGlite()
  for (const _ of [1, 2]) {
    await using opened = await testPostgres(db)
    const iam = iamOn(opened.store, opened)
    await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
    expect((await good(iam.projects.list({}, context))).items.length).toBe(1)
    expect(opened.engine.driver).toBe('PGlite')
  }
  await db.close()
})
