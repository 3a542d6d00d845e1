import { setTimeout } from 'node:timers/promises'
import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import type { Append, StreamId } from '../../../../src/index.js'
import { context, good, type Iam, iamOn } from '../../../application/host.js'
import { countedPool } from '../counted-pool.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()

/** The library with views on one connection, what it sends, and other processes beside it. */
const open = async (before: (text: string) => Promise<void> = async () => undefined) => {
  const schema = newSchema()
  const { connectionString } = server
  const { pool, sent } = countedPool(connectionString, before)
  const reader = new Pool({ connectionString })
  const openIam = async (given: Pool) => {
    const opened = await openPostgres({ pool: given, schema, views: true })
    onTestFinished(() => opened.close())
    const { store, readModel } = opened
    return { ...iamOn(store, { readModel, authorize: () => true }), store }
  }
  onTestFinished(async () => {
    await pool.end()
    await reader.end()
  })
  const iam = await openIam(pool)
  const role = { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' }
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  await good(iam.projectRoles.add({ ...role, permissions: ['invoice.read'] }, context))
  return {
    iam,
    /** What the next call sends besides its reads of the log. */
    writesOf: async (call: () => Promise<unknown>): Promise<readonly string[]> => {
      sent.length = 0
      await call()
      return sent.flatMap((text) => {
        if (text.includes('append_at')) return ['write']
        return text.includes('idempotency_key = k.key') ? ['look'] : []
      })
    },
    openOther: () => openIam(reader),
    holders: async (): Promise<readonly string[]> => {
      const text = `SELECT user_id FROM ${schema}.role_holder ORDER BY 1`
      return (await reader.query(text)).rows.map(({ user_id }) => user_id)
    },
  }
}

const give = (iam: Iam, userId: string, idempotencyKey?: string) =>
  iam.userGrants.add(
    { userId, projectId: 'portal', roles: [{ roleKey: 'editor' }] },
    { ...context, ...(idempotencyKey && { idempotencyKey }) },
  )

test('A process with views that writes alone sends one message for an event and its rows.', async () => {
  const { iam, writesOf, holders } = await open()
  for (const userId of ['ann', 'bob']) await good(give(iam, userId))
  expect(await writesOf(() => good(give(iam, 'cid')))).toEqual(['write'])
  const removal = { userId: 'cid', projectId: 'portal' }
  expect(await writesOf(() => good(iam.userGrants.remove(removal, context)))).toEqual(['write'])
  expect(
    await writesOf(() => Promise.all(['dan', 'eve'].map((id) => good(give(iam, id))))),
  ).toEqual(['write'])
  expect(await holders()).toEqual(['ann', 'bob', 'dan', 'eve'])
})

test('Once another process has written, a process with views looks before it writes, until it is alone again.', async () => {
  const { iam, writesOf, openOther, holders } = await open()
  const other = await openOther()
  for (const userId of ['ann', 'bob']) await good(give(iam, userId))
  // Its share of the role, and the place, have other numbers than the first process knows.
  const role = { projectId: 'portal', roleKey: 'editor' }
  await good(other.projectRoles.remove(role, context))
  await good(other.projectRoles.add({ ...role, displayName: 'E', permissions: [] }, context))
  const calls = ['write', 'look', 'look', 'write']
  // What the first look finds is decided anew.
  expect(await writesOf(() => good(give(iam, 'cid')))).toEqual(calls)
  expect(await writesOf(() => good(give(iam, 'dan')))).toEqual(['look', 'write'])
  expect(await writesOf(() => good(give(iam, 'eve')))).toEqual(['write'])
  expect(await holders()).toEqual(['cid', 'dan', 'eve'])
})

test('A process that reads nothing before it writes refuses versions and keys as any other.', async () => {
  const { iam, writesOf, holders } = await open()
  const { store } = iam
  const ann = { userId: 'ann', projectId: 'portal' }
  await good(give(iam, 'ann', 'used'))
  await good(iam.userGrants.remove(ann, context))
  const [removed] = (await store.readAll(0n, 1_000)).slice(-1)
  if (!removed) throw new Error('Nothing was recorded')
  await good(give(iam, 'ann'))
  const { stream, type, schemaVersion, data, metadata } = removed
  const { idempotencyKey: _, ...rest } = metadata
  const removal = (expectedVersion: number, idempotencyKey?: string): Append => ({
    id: crypto.randomUUID(),
    writes: [{ stream, expectedVersion, events: [{ type, schemaVersion, data }] }],
    metadata: idempotencyKey === undefined ? rest : { ...rest, idempotencyKey },
  })
  const outdated = { stream: 'project-acme+portal' as StreamId, expectedVersion: 7, events: [] }
  const valid = removal(3)
  const conflict = { kind: 'VersionConflict', stream }
  const refused = [
    [removal(2), conflict],
    [removal(4), conflict],
    [
      { ...valid, writes: [...valid.writes, outdated] },
      { ...conflict, stream: outdated.stream },
    ],
    [removal(3, 'acme+used'), { kind: 'IdempotencyKeyUsed' }],
  ] as const
  for (const [nth, [append, error]] of refused.entries()) {
    await good(give(iam, `u${nth}`))
    const answer = async () =>
      expect((await store.append(append))._unsafeUnwrapErr()).toEqual(error)
    expect(await writesOf(answer)).toEqual(['write', 'look'])
  }
  expect(await holders()).toEqual(['ann', 'u0', 'u1', 'u2', 'u3'])
  await good(give(iam, 'u4'))
  expect(await writesOf(() => store.append(valid))).toEqual(['write'])
  expect(await holders()).toEqual(['u0', 'u1', 'u2', 'u3', 'u4'])
})

test('A message that arrives late is not recorded at the time that it was made.', async () => {
  let isLate = false
  let arrival = 0
  const { iam, writesOf, holders } = await open(async (text) => {
    if (!isLate || !text.includes('append_at')) return
    isLate = false
    await setTimeout(1_100)
    arrival = Date.now()
  })
  for (const userId of ['ann', 'bob']) await good(give(iam, userId))
  isLate = true
  expect(await writesOf(() => good(give(iam, 'cid')))).toEqual(['write', 'look', 'write'])
  const [event] = (await iam.store.readAll(0n, 1_000)).slice(-1)
  expect(Number(event?.position) / 1_000).toBeGreaterThan(arrival)
  expect(await holders()).toEqual(['ann', 'bob', 'cid'])
})
