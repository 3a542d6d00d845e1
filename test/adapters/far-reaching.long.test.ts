import { expect, test } from 'vitest'
import { memoryReadModel } from '../../src/adapters/memory/read-model.js'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import { grantOf, NOW, OF_PORTAL } from '../../src/laws/read-model/grant-samples.js'
import type { RecordedEvent } from '../../src/ports/event-store.js'
import { IN_PROCESS_BATCH } from '../../src/ports/projection.js'
import type { ReadModel } from '../../src/ports/read-model.js'
import { presentAccess } from '../../src/projections/present-access.js'
import { readEvents } from '../../src/projections/read-events.js'
import { busyLog, FAR_REACHING } from './busy-log.js'
import { temporaryFile } from './sqlite/temporary-file.js'

/** The longest turn of the event loop, in milliseconds of processor time. */
const LONGEST_TURN_MS = 30

/** The processor time of this thread, in milliseconds: other programs do not count. */
const processorTime = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

type Turn = readonly [name: string, work: () => unknown]

/** Runs each of `turns`, and returns those that took too long, with their time. */
const tooLong = async (turns: readonly Turn[]): Promise<readonly string[]> => {
  const found: string[] = []
  for (const [name, work] of turns) {
    const begin = processorTime()
    await work()
    const time = processorTime() - begin
    if (time > LONGEST_TURN_MS) found.push(`${name}: ${time}`)
  }
  return found
}

/** Reads of one user, and pages of the holders of one organization. */
const readsOf = (model: ReadModel) =>
  [
    ...['reader', 'writer'].map(
      (roleKey): Turn => [
        `holders of ${roleKey}`,
        () => model.holders({ ...OF_PORTAL, userOrgId: 'globex', roleKey, limit: 100 }),
      ],
    ),
    ['heldRoles', () => model.heldRoles({ orgId: 'globex', userId: 'user-1', ...NOW })],
    ['access', () => model.access({ orgId: 'globex', ...grantOf('user-1') })],
    [
      'list',
      () =>
        model.list({
          type: 'user_grant',
          orgId: 'globex',
          conditions: [],
          sort: [{ field: 'key', direction: 'asc' }],
          limit: 100,
        }),
    ],
  ] as const

/** A page of all holders. A mapping that was added again asks each member for a report since. */
const readsAfter = (model: ReadModel, { type }: RecordedEvent): readonly Turn[] =>
  type === 'role_mapping.added'
    ? []
    : [['holders of all organizations', () => model.holders({ ...OF_PORTAL, limit: 100 })]]

const log = busyLog(100_000, 10_000)

const batchesOf = (events: readonly RecordedEvent[]): readonly (readonly RecordedEvent[])[] =>
  Array.from({ length: Math.ceil(events.length / IN_PROCESS_BATCH) }, (_, index) =>
    events.slice(index * IN_PROCESS_BATCH, (index + 1) * IN_PROCESS_BATCH),
  )

const applying = (model: ReadModel, events: readonly RecordedEvent[]) => async () => {
  expect(await model.apply(await model.checkpoint(), events)).toBe(true)
}

const sqlite = openSqlite(temporaryFile())
const founding = log.events.slice()
const ends = FAR_REACHING.map((event) => log.record('acme', event))

test.each([
  ['memory', memoryReadModel()],
  ['SQLite', sqlite.readModel],
])(
  'In %s, an event takes no long turn with 100,000 holders and 10,000 organizations, nor do reads.',
  async (_, model) => {
    for (const batch of batchesOf(founding)) await applying(model, batch)()
    const turns = ends.flatMap((end): readonly Turn[] => [
      [end.type, applying(model, [end])],
      ...[...readsOf(model), ...readsAfter(model, end)].map(
        ([name, read]): Turn => [`${name} after ${end.type}`, read],
      ),
    ])
    // In memory, the first of these reads put users in order.
    turns.unshift(...readsOf(model))
    expect(await tooLong(turns)).toEqual([])
  },
  120_000,
)

test('A rebuild on SQLite takes no long turn.', async () => {
  const { readModel } = sqlite
  const batches = batchesOf(founding.slice(0, 60_000))
  const turns = batches.map((batch, nth): Turn => [`batch ${nth}`, applying(readModel, batch)])
  const rebuild = async () => {
    await readModel.reset()
    return (await tooLong(turns)).map((turn) => turn.replace(/:.*/, ''))
  }
  // Garbage of this test is collected at any time: what takes long does so twice.
  const first = new Set(await rebuild())
  expect((await rebuild()).filter((turn) => first.has(turn))).toEqual([])
}, 120_000)

test('For live checks, an event takes no long turn with 100,000 holders and 10,000 organizations.', async () => {
  const live = presentAccess()
  for (const event of readEvents(founding)) live.apply(event)
  const turns = readEvents(ends).map((end): Turn => [end.type, () => live.apply(end)])
  expect(await tooLong(turns)).toEqual([])
})
