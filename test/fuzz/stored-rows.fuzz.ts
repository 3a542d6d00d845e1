import { copyFileSync, rmSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import { aesGcmCipher, createIam, type Iam, isIamError, verify } from '../../src/index.js'
import { temporaryFile } from '../adapters/sqlite/temporary-file.js'
import { PROJECT_DEFAULTS } from '../defaults.js'
import { awkwardText, numRuns } from './inputs.js'

const SECRET = 'the secret of secrets'
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
const caller = { userId: 'u1', orgId: 'acme' }
const project = { type: 'project', id: 'portal' } as const

/** A file with an event of each aggregate, and with the read model that comes of them. */
const whole = temporaryFile()
{
  await using opened = openSqlite(whole)
  const iam = createIam({ ...opened, secrets, authorize: () => true })
  const role = { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' }
  const oidc = { clientId: 'c', clientSecret: SECRET, issuer: 'https://i.example.com' }
  await iam.projects.add({ id: 'portal', name: 'Portal' }, { caller })
  await iam.projectRoles.add(role, { caller })
  await iam.identityProviders.addOidc({ ...oidc, idpId: 'google', name: 'Google' }, { caller })
  await iam.history.list({}, { caller })
}

/** Every column of every table. */
const columns = (() => {
  using database = new DatabaseSync(whole)
  return database
    .prepare(
      `SELECT t.name AS name, c.name AS field FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' ORDER BY 1, 2`,
    )
    .all()
    .map(({ name, field }) => ({ table: String(name), column: String(field) }))
})()

const json = fc.oneof(
  fc.json(),
  fc.constantFrom('{', '[]', 'null', '{"id":1}', '{"__proto__":{}}', '{"actor":null}'),
)
const values: fc.Arbitrary<SQLInputValue> = fc.oneof(
  fc.constantFrom(null, 0, -1, 2 ** 53 - 1, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)),
  awkwardText.map((text) => text.toWellFormed()),
  json,
  fc.uint8Array({ maxLength: 9 }),
)

/** One column replaced in one row, or in all that have it. */
const damage = fc.record({
  at: fc.constantFrom(...columns),
  value: values,
  isOne: fc.boolean(),
})

type Damage = typeof damage extends fc.Arbitrary<infer Value> ? Value : never

/** A copy of the file with the damage done; undefined when the table itself refuses the value. */
const damaged = ({ at: { table, column }, value, isOne }: Damage): string | undefined => {
  const file = temporaryFile()
  copyFileSync(whole, file)
  using database = new DatabaseSync(file)
  const where = isOne ? `WHERE rowid = (SELECT max(rowid) FROM ${table})` : ''
  try {
    database.prepare(`UPDATE ${table} SET ${column} = ? ${where}`).run(value)
    return file
  } catch {
    rmSync(file)
    return undefined
  }
}

const answersOf = (iam: Iam) => [
  iam.projects.get({ id: 'portal' }, { caller }),
  iam.projectRoles.list({ projectId: 'portal' }, { caller }),
  iam.identityProviders.list({ filter: { name: { contains: 'G' } } }, { caller }),
  iam.history.list({ object: project }, { caller }),
  iam.history.stateAt({ object: project, sequence: 2n ** 52n }, { caller }),
  iam.projects.update(
    { ...PROJECT_DEFAULTS, id: 'portal', name: 'New' },
    { caller, idempotencyKey: 'k' },
  ),
  iam.projectRoles.add({ projectId: 'portal', roleKey: 'b', displayName: 'B' }, { caller }),
]

describe('Any row of SQLite', () => {
  it.each([
    ['of the events', columns.filter(({ table }) => table === 'events')],
    ['of the read model', columns.filter(({ table }) => table !== 'events')],
  ])('is answered as an outcome or an error: %s', async (_, found) => {
    const property = fc.asyncProperty(damage, fc.constantFrom(...found), async (done, at) => {
      const file = damaged({ ...done, at })
      if (file === undefined) return
      await using opened = openSqlite(file)
      const iam = createIam({ ...opened, secrets, authorize: () => true })
      for (const answer of answersOf(iam)) {
        const result = await answer
        if (result.isOk()) continue
        expect(isIamError(result.error)).toBe(true)
        expect(JSON.stringify(result.error, keepBigInts)).not.toContain(SECRET)
      }
      await verify(opened.store, { secrets })
    })
    await fc.assert(property, { numRuns: Math.ceil(numRuns / 10) })
  })
})

const keepBigInts = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value
