import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import { verify } from '../../../../src/index.js'
import { context, instanceOn } from '../../../application/desired-state/organization.js'
import { temporaryFile } from '../temporary-file.js'

it.each([
  ['data', 'data'],
  ['metadata', 'metadata.actor.userId'],
])('A row whose %s is no JSON stops its reader at its place', async (column, field) => {
  const file = temporaryFile()
  await using opened = openSqlite(file)
  const iam = instanceOn(opened.store)
  await iam.projects.add({ id: 'portal', name: 'Portal' }, context)
  {
    using database = new DatabaseSync(file)
    database.prepare(`UPDATE events SET ${column} = '{'`).run()
  }
  const position = await opened.store.lastPosition()
  const fault = { kind: 'CorruptEvent', stream: 'project-acme+portal', position, field }
  expect((await verify(opened.store))._unsafeUnwrapErr()).toMatchObject(fault)
})
