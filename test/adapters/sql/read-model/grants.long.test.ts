import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { memoryReadModel } from '../../../../src/adapters/memory/read-model.js'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import type { HoldersQuery } from '../../../../src/ports/access-reads.js'
import type { RecordedEvent } from '../../../../src/ports/event-store.js'
import type { Condition, ListQuery, ReadModel, ViewType } from '../../../../src/ports/read-model.js'
import { searched } from '../../../nightly.js'
import { newSchema, serverForFile } from '../../postgres/test-schemas.js'
import { databaseHome } from '../../read-model-home.js'
import { temporaryFile } from '../../sqlite/temporary-file.js'
import { grantLogs, ORGANIZATIONS, PROJECTS, ROLES, TIMES, USERS } from './grant-events.js'

const server = serverForFile()
const opened: Postgres[] = []

afterAll(async () => {
  for (const { close } of opened) await close()
})

const onSqlite = databaseHome(temporaryFile, openSqlite)
const onPostgres = databaseHome(newSchema, async (schema) => {
  const postgres = await openPostgres({ connectionString: server.connectionString, schema })
  opened.push(postgres)
  return postgres
})

/** Feeds `model` with batches of those sizes, in turn. */
const feed = async (
  model: ReadModel,
  events: readonly RecordedEvent[],
  sizes: readonly number[],
) => {
  await model.reset()
  let rest = events
  for (let turn = 0; rest.length > 0; turn++) {
    const batch = rest.slice(0, sizes[turn % sizes.length])
    expect(await model.apply(await model.checkpoint(), batch)).toBe(true)
    rest = rest.slice(batch.length)
  }
}

const allOf = async <Item>(
  readings: readonly (() => Promise<Item>)[],
): Promise<readonly Item[]> => {
  const items = []
  for (const read of readings) items.push(await read())
  return items
}

const NOW = new Date(1_750_000_000_000)
const SPLIT = { field: 'key', direction: 'asc' } as const

const byRole = (value: string, rest: Partial<Condition>): Condition => ({
  field: 'roleKey',
  operator: 'equals',
  value,
  ignoreCase: false,
  ...rest,
})

const CONDITIONS: readonly (readonly Condition[])[] = [
  [],
  [byRole('a', {})],
  [byRole('a', { ignoreCase: true })],
  [byRole('SS', { ignoreCase: true, operator: 'startsWith' })],
  [byRole('', { operator: 'contains' })],
  [byRole('a', { operator: 'startsWith' }), byRole('A', {})],
]

const listsOf = (orgId: string): readonly ListQuery<ViewType>[] =>
  CONDITIONS.flatMap((conditions) => {
    const query = { orgId, conditions, limit: 5 }
    const received = [
      { field: 'projectOrgId', direction: 'asc' },
      { field: 'projectId', direction: 'desc' },
    ] as const
    return [
      { ...query, type: 'user_grant', sort: [SPLIT] },
      { ...query, type: 'project_grant', isReceived: true, sort: received },
      ...PROJECTS.map((projectId) => ({
        ...query,
        type: 'project_grant' as const,
        projectId,
        sort: [{ field: 'grantedOrgId', direction: 'asc' } as const],
      })),
    ] as const
  })

/**
 * The history of an organization. These logs give roles that do not exist, which no log of the library does: what
 * history says of them is left out.
 */
const historyOf = async (model: ReadModel, orgId: string) => {
  const entries = await model.history({ orgId, after: 0n, limit: 1000 })
  return entries.map(({ changes, ...entry }) => ({
    ...entry,
    changes: changes.filter(({ field }) => !field.startsWith('roles.')),
  }))
}

/** All that can be read of grants. */
const everything = (model: ReadModel, positions: readonly bigint[]) => {
  const readings: (() => Promise<unknown>)[] = []
  for (const orgId of ORGANIZATIONS) {
    readings.push(() => historyOf(model, orgId))
    for (const query of listsOf(orgId)) readings.push(() => model.list(query))
    for (const projectId of PROJECTS)
      readings.push(() =>
        model.get<'project_grant'>('acme', {
          type: 'project_grant',
          projectId,
          grantedOrgId: orgId,
        }),
      )
    for (const userId of USERS) {
      for (const projectId of PROJECTS) {
        const named = { userId, projectId, projectOrgId: 'acme' }
        readings.push(
          () => model.get<'user_grant'>(orgId, { type: 'user_grant', ...named }),
          () => model.access({ orgId, ...named }),
        )
      }
      const held = { orgId, userId, limit: 3 }
      for (const now of TIMES) readings.push(() => model.heldRoles({ ...held, now }))
      readings.push(
        () => model.heldRoles({ ...held, now: NOW, projectId: 'a' }),
        () => model.heldRoles({ ...held, now: NOW, after: ['acme', 'a', '', 'a', '', ''] }),
      )
    }
  }
  for (const projectId of PROJECTS) {
    const query: HoldersQuery = { orgId: 'acme', projectId, now: NOW, limit: 4 }
    const after = ['a', 'acme2', '', '', '', 'u'] as const
    for (const now of TIMES) readings.push(() => model.holders({ ...query, now }))
    for (const at of positions) readings.push(() => model.holders({ ...query, at, limit: 100 }))
    readings.push(
      () => model.holders({ ...query, after }),
      ...ROLES.map((roleKey) => () => model.holders({ ...query, roleKey })),
      () => model.holders({ ...query, roleKey: 'a', after }),
      () => model.holders({ ...query, roleKey: 'b', after }),
    )
  }
  return allOf(readings)
}

const sizesOfBatches = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 })

test.each([
  ['SQLite', onSqlite, searched({ short: 50, nightly: 150 })],
  ['PostgreSQL', onPostgres, searched({ short: 10, nightly: 20 })],
] as const)(
  'Grants are read from %s as from memory.',
  async (_, home, numRuns) => {
    await fc.assert(
      fc.asyncProperty(grantLogs, sizesOfBatches, async ({ events }, sizes) => {
        const memory = memoryReadModel()
        const model = await home.open()
        await feed(memory, events, [Math.max(events.length, 1)])
        await feed(model, events, sizes)
        const positions = events
          .filter((_, index) => index % 7 === 3)
          .map(({ position }) => position)
        expect(await everything(model, positions)).toStrictEqual(
          await everything(memory, positions),
        )
      }),
      { numRuns },
    )
  },
  120_000,
)
