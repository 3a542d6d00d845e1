import { beforeEach, describe, expect, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { CHECKPOINT } from '../../../../src/adapters/sql/read-model/tables.js'
import { addSamples, context, good, iamOn, refusal } from '../../../application/host.js'
import { startPgbouncer, withoutPgbouncer } from '../../../pgbouncer.js'
import { startPostgres } from '../../../postgres-server.js'
import { tcpProxy } from '../../../tcp-proxy.js'
import { countedPool } from '../counted-pool.js'
import { ask, replayed, standbyOf } from '../standby.js'

beforeEach(({ skip }) => skip(withoutPgbouncer !== undefined, withoutPgbouncer))

const ann = { userId: 'ann', projectId: 'portal' }
const editor = { roleKey: 'editor' }
const check = { ...ann, ...editor }

const isCheck = (text: string): boolean => /AS reached.*AS project_grant/s.test(text)

/** A process behind a pooler; `before` is done before each statement that checks access. */
const openProcess = async (connectionString: string, before: () => Promise<void>) => {
  const { pool } = countedPool(connectionString, async (text) => {
    if (isCheck(text)) await before()
  })
  const opened = await openPostgres({ pool })
  const iam = iamOn(opened.store, opened)
  await addSamples(iam)
  await good(iam.userGrants.add({ ...ann, roles: [editor] }, context))
  expect(await good(iam.access.check(check, context))).toMatchObject({ allowed: true })
  const end = async () => {
    await opened.close()
    await pool.end()
  }
  return { iam, end }
}

describe('Behind PgBouncer, a strong check of a role that was removed', () => {
  test.each([
    // What it wrote itself is applied before the check; what others wrote after a first look.
    ['by itself', 1],
    ['by another process', 2],
  ])(
    'does not allow it when it was removed %s, and the server crashes before the last statement',
    async (by, last) => {
      await using server = await startPostgres({ settings: ['wal_writer_delay=10s'] })
      await using pooler = await startPgbouncer(server.port, 1)
      let checks: number | undefined
      const { iam, end } = await openProcess(pooler.connectionString, async () => {
        if (checks === undefined || ++checks !== last) return
        await server.kill()
        await server.start()
      })
      await ask(server, 'CHECKPOINT')
      await using other = await openPostgres({ connectionString: pooler.connectionString })
      const remover = by === 'by itself' ? iam : iamOn(other.store, other)
      await good(remover.userGrants.remove(ann, context))
      checks = 0
      expect(await good(iam.access.check(check, context))).toMatchObject({ allowed: false })
      expect(checks).toBeGreaterThan(last)
      await end()
    },
  )

  test('is refused on a server that has become a standby', async () => {
    await using primary = await startPostgres({ settings: ['fsync=off'] })
    await using standby = await standbyOf(primary)
    await using proxy = await tcpProxy(primary.port)
    await using pooler = await startPgbouncer(proxy.port, 1)
    const { iam, end } = await openProcess(pooler.connectionString, async () => undefined)
    const isBehind = `SELECT (SELECT max(position) FROM claviger.events)
      > (SELECT max(position) FROM claviger.${CHECKPOINT.name})`
    await replayed(primary, standby)
    await expect.poll(() => ask(standby, isBehind)).toBe(false)
    await ask(standby, 'SELECT pg_wal_replay_pause()')
    await good(iam.userGrants.remove(ann, context))
    // Others are notified a moment later: a connection that is cut in use would be replaced.
    await ask(primary, 'SELECT pg_sleep(0.2)')
    proxy.leadTo(standby.port)
    proxy.cut()
    await expect
      .poll(() => ask({ ...primary, ...pooler }, 'SELECT pg_is_in_recovery()'), { timeout: 20_000 })
      .toBe(true)
    const answer = await refusal(iam.access.check(check, context))
    expect(answer).toMatchObject({ kind: 'Unavailable' })
    await end()
  })
})
