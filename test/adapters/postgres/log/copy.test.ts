import { expect, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import { aesGcmCipher, copyEvents, createIam } from '../../../../src/index.js'
import { wholeLog } from '../../../../src/laws/event-store/harness.js'
import { PROJECT_DEFAULTS } from '../../../defaults.js'
import { temporaryFile } from '../../sqlite/temporary-file.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()

const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
const context = { caller: { userId: 'u1', orgId: 'acme' } }

test('A host moves from SQLite to PostgreSQL and back without a difference.', async () => {
  const { connectionString } = server
  await using sqlite = openSqlite(temporaryFile())
  await using postgres = await openPostgres({ connectionString, schema: newSchema() })
  const before = createIam({ ...sqlite, secrets, authorize: () => true })
  const idp = { name: 'Login', clientId: 'c', clientSecret: 'hush', issuer: 'https://a.example' }
  const { idpId } = (await before.identityProviders.addOidc(idp, context))._unsafeUnwrap()
  const roles = Array.from({ length: 1000 }, (_, n) => ({ roleKey: `😀${n}`, displayName: `${n}` }))
  const { projectId } = (await before.projects.add({ name: 'Portal' }, context))._unsafeUnwrap()
  const keyed = { ...context, idempotencyKey: 'once' }
  const added = (await before.projectRoles.addMany({ projectId, roles }, keyed))._unsafeUnwrap()
  const shown = (await before.projects.get({ id: projectId }, context))._unsafeUnwrap()

  const copied = await copyEvents(sqlite.store, postgres.store, { secrets })
  expect(copied._unsafeUnwrap()).toMatchObject({ copied: 1002, events: 1002 })
  expect(await wholeLog(postgres.store)).toEqual(await wholeLog(sqlite.store))

  const after = createIam({ ...postgres, secrets, authorize: () => true })
  expect((await after.projects.get({ id: projectId }, context))._unsafeUnwrap()).toEqual(shown)
  const again = (await after.projectRoles.addMany({ projectId, roles }, keyed))._unsafeUnwrap()
  expect(again.details).toEqual(added.details)
  const revealed = await after.identityProviders.revealClientSecret({ idpId }, context)
  expect(revealed._unsafeUnwrap()).toMatchObject({ clientSecret: 'hush' })
  const update = { ...PROJECT_DEFAULTS, id: projectId, name: 'Portal 2' }
  const expectedSequence = shown.details.sequence
  expect((await after.projects.update(update, { ...context, expectedSequence })).isOk()).toBe(true)

  const back = await copyEvents(postgres.store, sqlite.store, { secrets })
  expect(back._unsafeUnwrap()).toMatchObject({ copied: 1, events: 1003 })

  const third = { ...PROJECT_DEFAULTS, id: projectId, name: 'Portal 3' }
  expect((await before.projects.update(third, context)).isOk()).toBe(true)
  const forth = await copyEvents(sqlite.store, postgres.store, { secrets })
  expect(forth._unsafeUnwrap()).toMatchObject({ copied: 1, events: 1004 })
})
