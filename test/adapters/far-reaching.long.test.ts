import { expect, test } from 'vitest'
import { memoryReadModel } from '../../src/adapters/memory/read-model.js'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import { MAX_GRANTED_ROLES } from '../../src/domain/values.js'
import {
  grantOf,
  NOW,
  OF_PORTAL,
  projectGrantDeactivated,
  userGrantAdded,
} from '../../src/laws/read-model/grant-samples.js'
import { logOf } from '../../src/laws/read-model/harness.js'
import {
  mappingAdded,
  mappingRemoved,
  mappingUpdated,
  reported,
} from '../../src/laws/read-model/mapping-samples.js'
import {
  idpAdded,
  projectAdded,
  projectDeactivated,
  projectReactivated,
  roleAdded,
} from '../../src/laws/read-model/object-samples.js'
import type { RecordedEvent } from '../../src/ports/event-store.js'
import { IN_PROCESS_BATCH } from '../../src/ports/projection.js'
import type { ReadModel } from '../../src/ports/read-model.js'
import { presentAccess } from '../../src/projections/present-access.js'
import { readEvents } from '../../src/projections/read-events.js'
import { busyLog, FAR_REACHING } from './busy-log.js'
import { temporaryFile } from './sqlite/temporary-file.js'

/** The longest turn of the event loop for one event, in milliseconds of processor time. */
const LONGEST_TURN_MS = 30

/**
 * That of a page, which takes 12 to 44 from minute to minute, even alone. What this is to find, a walk through all holders,
 * takes hundreds.
 */
const LONGEST_PAGE_MS = 60

/** The processor time of this thread, in milliseconds: other programs do not count. */
const processorTime = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

type Turn = readonly [name: string, work: () => unknown, most?: number]

/** Runs each of `turns`, and returns those that took too long, with their time. */
const tooLong = async (turns: readonly Turn[]): Promise<readonly string[]> => {
  const found: string[] = []
  for (const [name, work, most = LONGEST_TURN_MS] of turns) {
    const begin = processorTime()
    await work()
    const time = processorTime() - begin
    if (time > most) found.push(`${name}: ${time}`)
  }
  return found
}

/** Those that take too long twice: other work of the processor, or garbage, makes any turn long at times. */
const tooLongTwice = async (run: () => Promise<readonly string[]>): Promise<readonly string[]> => {
  const nameOf = (turn: string) => turn.replace(/:.*/, '')
  const first = new Set((await run()).map(nameOf))
  return first.size === 0 ? [] : (await run()).filter((turn) => first.has(nameOf(turn)))
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
    [
      'last members of a group',
      () => {
        const after = ['reader', 'acme', '', 'google', 'staff', 'user-99990'] as const
        return model.holders({ ...OF_PORTAL, limit: 100, after })
      },
    ],
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

/** Pages of the holders of all organizations, and of the users of one. */
const widePages = (model: ReadModel): readonly Turn[] => [
  ['holders of a project', () => model.holders({ ...OF_PORTAL, limit: 100 })],
  ['holders of all projects', () => model.holders({ orgId: 'acme', ...NOW, limit: 100 })],
  ...['acme', 'globex'].map(
    (orgId): Turn => [`users of ${orgId}`, () => model.users({ orgId, ...NOW, limit: 100 })],
  ),
]

/** The same, named by the event that was applied before. */
const after = ({ type }: RecordedEvent, turns: readonly Turn[]): readonly Turn[] =>
  turns.map(([name, ...read]): Turn => [`${name} after ${type}`, ...read])

const pages = (turns: readonly Turn[]): readonly Turn[] =>
  turns.map(([name, read]): Turn => [name, read, LONGEST_PAGE_MS])

const log = busyLog(100_000, 10_000)

const batchesOf = (events: readonly RecordedEvent[]): readonly (readonly RecordedEvent[])[] =>
  Array.from({ length: Math.ceil(events.length / IN_PROCESS_BATCH) }, (_, index) =>
    events.slice(index * IN_PROCESS_BATCH, (index + 1) * IN_PROCESS_BATCH),
  )

const applying = (model: ReadModel, events: readonly RecordedEvent[]) => async () => {
  expect(await model.apply(await model.checkpoint(), events)).toBe(true)
}

const founding = log.events.slice()
const ends = FAR_REACHING.map((event) => log.record('acme', event))

test.each([
  ['memory', () => memoryReadModel()],
  ['SQLite', () => openSqlite(temporaryFile()).readModel],
])(
  'In %s, an event takes no long turn with 100,000 holders and 10,000 organizations, nor do reads.',
  async (_, open) => {
    const run = async () => {
      const model = open()
      for (const batch of batchesOf(founding)) await applying(model, batch)()
      const turns = ends.flatMap((end): readonly Turn[] => [
        [end.type, applying(model, [end])],
        ...after(end, pages([...readsOf(model), ...widePages(model)])),
      ])
      // In memory, the first of these reads put users in order.
      turns.unshift(...pages([...readsOf(model), ...widePages(model)]))
      return tooLong(turns)
    }
    expect(await tooLongTwice(run)).toEqual([])
  },
  120_000,
)

test.each([
  ['memory', memoryReadModel()],
  ['SQLite', openSqlite(temporaryFile()).readModel],
])(
  'In %s, a page takes no long turn while none of 10,000 organizations has a holder that counts.',
  async (_, model) => {
    const { events, record } = busyLog(0, 10_000)
    const ofAll = (event: (orgId: string) => RecordedEvent) =>
      Array.from({ length: 10_000 }, (_, index) => event(`org-${index}`))
    const apply = async (added: readonly RecordedEvent[]) => {
      for (const batch of batchesOf(added)) await applying(model, batch)()
    }
    await apply(events.slice())
    await apply(
      ofAll((orgId) => record(orgId, userGrantAdded(grantOf('user-1'), ['reader', 'writer']))),
    )
    await apply([record('acme', projectDeactivated('portal'))])
    expect(await tooLongTwice(() => tooLong(pages(widePages(model))))).toEqual([])
    await apply([record('acme', projectReactivated('portal'))])
    await apply(ofAll((orgId) => record('acme', projectGrantDeactivated('portal', orgId))))
    expect(await tooLongTwice(() => tooLong(pages(widePages(model))))).toEqual([])
  },
  120_000,
)

/** Of a project with as many roles as a mapping may have, which a group of 100,000 users has; the mapping is added again. */
const manyRoles = () => {
  const roleKeys = Array.from({ length: MAX_GRANTED_ROLES }, (_, index) => `role-${index}`)
  const group = { idpId: 'google', group: 'staff', projectId: 'portal', projectOrgId: 'acme' }
  const { events, record } = logOf([
    ['acme', projectAdded('portal')],
    ...roleKeys.map((roleKey) => ['acme', roleAdded('portal', roleKey)] as const),
    ['acme', idpAdded('google')],
    ['acme', mappingAdded(group, roleKeys)],
  ])
  const report = (user: number) => record('acme', reported('google', `user-${user}`, ['staff']))
  for (let user = 0; user < 100_000; user++) report(user)
  return {
    founding: events.slice(),
    changes: [
      ['removed', [record('acme', mappingRemoved(group))]],
      ['added again', [record('acme', mappingAdded(group, roleKeys))]],
      ['reported once', [report(70_000)]],
      ['reported by few', Array.from({ length: 50 }, (_, index) => report(index * 1_999))],
      ['reported by more', Array.from({ length: 400 }, (_, index) => report(index * 211))],
      ['expiring', [record('acme', mappingUpdated(group, roleKeys, { validFor: 1 }))]],
    ] as const,
  }
}

/** More users with so many roles each would make a long answer. */
const fewUsers = (model: ReadModel): Turn => [
  'users',
  () => model.users({ orgId: 'acme', ...NOW, limit: 10 }),
]

test.each([
  [
    'memory',
    'a page',
    () => memoryReadModel(),
    (model: ReadModel) => [...widePages(model).slice(0, 2), fewUsers(model)],
  ],
  [
    'SQLite',
    'a page of users',
    () => openSqlite(temporaryFile()).readModel,
    (model: ReadModel) => [fewUsers(model)],
  ],
] as const)(
  'In %s, %s takes no long turn after a mapping of as many roles as one may have is added again.',
  async (_, __, open, pagesOf) => {
    const { founding, changes } = manyRoles()
    const run = async () => {
      const model = open()
      for (const batch of batchesOf(founding)) await applying(model, batch)()
      const found: string[] = []
      for (const [name, events] of changes) {
        for (const batch of batchesOf(events)) await applying(model, batch)()
        found.push(...(await tooLong(pages(pagesOf(model)))).map((turn) => `${name}, ${turn}`))
      }
      return found
    }
    expect(await tooLongTwice(run)).toEqual([])
  },
  120_000,
)

test('A rebuild on SQLite takes no long turn.', async () => {
  const { readModel } = openSqlite(temporaryFile())
  const batches = batchesOf(founding.slice(0, 60_000))
  const turns = batches.map((batch, nth): Turn => [`batch ${nth}`, applying(readModel, batch)])
  const rebuild = async () => {
    await readModel.reset()
    return tooLong(turns)
  }
  expect(await tooLongTwice(rebuild)).toEqual([])
}, 120_000)

test('For live checks, an event takes no long turn with 100,000 holders and 10,000 organizations.', async () => {
  const live = presentAccess()
  for (const event of readEvents(founding)) live.apply(event)
  const turns = readEvents(ends).map((end): Turn => [end.type, () => live.apply(end)])
  expect(await tooLong(turns)).toEqual([])
})
