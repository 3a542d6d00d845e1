import { expect, it } from 'vitest'
import { openPostgres } from '../../../src/adapters/postgres/index.js'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { memoryEventStore } from '../../../src/index.js'
import { newSchema, serverForFile } from '../../adapters/postgres/test-schemas.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { context, good, iamOn, logOf, setupLink } from '../host.js'

const server = serverForFile()

/** Each opens handles of one store, as several processes do. */
const stores = {
  memory: async () => {
    const store = memoryEventStore()
    return async () => ({ store })
  },
  SQLite: async () => {
    const file = temporaryFile()
    return async () => openSqlite(file)
  },
  PostgreSQL: async () => {
    const schema = newSchema()
    const { connectionString } = server
    return () => openPostgres({ connectionString, schema, maxConnections: 2 })
  },
} as const

const ROUNDS = 8
const REDEEMERS = 4

it.each(Object.entries(stores))(
  'A link beside its revocation opens before it or not at all: %s',
  async (_, openStore) => {
    const open = await openStore()
    const handles = await Promise.all(Array.from({ length: REDEEMERS + 1 }, () => open()))
    const [first = await open(), ...others] = handles
    const [revoker, ...redeemers] = [first, ...others].map((handle) => {
      const { store } = handle
      return iamOn(store, 'readModel' in handle ? { readModel: handle.readModel } : {})
    })
    if (!revoker) throw new Error('There is a handle')
    for (let round = 0; round < ROUNDS; round++) {
      const { linkId, token } = await good(revoker.setupLinks.issue(setupLink, context))
      const [, ...redeemed] = await Promise.all([
        good(revoker.setupLinks.revoke({ linkId }, context)),
        ...redeemers.map(({ setupLinks }) => setupLinks.redeem({ token })),
      ])
      const types = (await logOf(first.store))
        .filter(({ stream }) => stream === `setup_link-acme+${linkId}`)
        .map(({ type }) => type)
      const isUsed = redeemed.some((each) => each.isOk())
      expect(types).toEqual([
        'setup_link.issued',
        ...(isUsed ? ['setup_link.used'] : []),
        'setup_link.revoked',
      ])
      for (const each of redeemed)
        if (each.isErr()) expect(each.error).toEqual({ kind: 'Unauthenticated' })
      for (const { setupLinks } of redeemers)
        expect((await setupLinks.redeem({ token })).isErr()).toBe(true)
    }
    // What was read through the read model of the store has a time again.
    const { items } = await good(revoker.setupLinks.list({}, context))
    expect(items.map(({ expiresAt, state }) => ({ expiresAt, state }))).toEqual(
      Array.from({ length: ROUNDS }, () => ({ expiresAt: setupLink.expiresAt, state: 'revoked' })),
    )
    for (const handle of handles) if ('close' in handle) await handle.close()
  },
)
