import { describe, expect, test } from 'vitest'
import { memoryReadModel } from '../../src/adapters/memory/read-model.js'
import type { ReadModel } from '../../src/ports/read-model.js'
import { BrokenLaw } from '../../src/testing/law.js'
import { readModelLaws } from '../../src/testing/read-model-laws.js'

/** A read model with one fault, and the beginning of the law that must find it. */
interface Fault {
  readonly fault: string
  readonly law: string
  readonly plant: (sound: ReadModel) => Partial<ReadModel>
}

/** The model with what its lists hold, or how they are asked for, changed. */
const lists =
  (change: (listing: object & { items: readonly unknown[] }, query: object) => object) =>
  (sound: ReadModel): Partial<ReadModel> => ({
    list: async (query) => {
      const listing = await sound.list(query)
      return { ...listing, ...change(listing, query) }
    },
  })

const FAULTS: readonly Fault[] = [
  {
    fault: 'starts at another checkpoint',
    law: 'Before the first event',
    plant: (sound) => ({ checkpoint: async () => (await sound.checkpoint()) || 1n }),
  },
  {
    fault: 'moves its checkpoint to the first event of a batch',
    law: 'Applying events moves the checkpoint',
    plant: (sound) => {
      let checkpoint = 0n
      return {
        checkpoint: async () => checkpoint,
        apply: async (from, events) => {
          checkpoint = events[0]?.position ?? from
          return sound.apply(from, events)
        },
      }
    },
  },
  {
    fault: 'applies from any checkpoint',
    law: 'From another checkpoint than its own',
    plant: (sound) => ({
      apply: async (_, events) => sound.apply(await sound.checkpoint(), events),
    }),
  },
  {
    fault: 'says that it applied what it did not',
    law: 'From another checkpoint than its own',
    plant: (sound) => ({
      apply: async (from, events) => (await sound.apply(from, events)) || true,
    }),
  },
  {
    fault: 'applies events one by one',
    law: 'Of events that cannot all be applied',
    plant: (sound) => ({
      apply: async (from, events) => {
        let position = from
        for (const event of events) {
          if (!(await sound.apply(position, [event]))) return false
          position = event.position
        }
        return sound.apply(position, [])
      },
    }),
  },
  {
    fault: 'skips what it cannot read',
    law: 'Of events that cannot all be applied',
    plant: (sound) => ({
      apply: (from, events) => sound.apply(from, events).catch(() => true),
    }),
  },
  {
    fault: 'applies the first event of a batch alone',
    law: 'Events applied one by one',
    plant: (sound) => ({ apply: (from, events) => sound.apply(from, events.slice(0, 1)) }),
  },
  {
    fault: 'does not reset',
    law: 'Reset forgets everything',
    plant: () => ({ reset: async () => {} }),
  },
  {
    fault: 'shows a secret',
    law: 'An identity provider is read',
    plant: (sound) => ({
      get: async (orgId, ref) => {
        const row = await sound.get<typeof ref.type>(orgId, ref)
        return row && (Object.assign(row, { clientSecret: 'sealed' }) as never)
      },
    }),
  },
  {
    fault: 'tells the time of the last event as that of the first',
    law: 'A project is read',
    plant: (sound) => ({
      get: async (orgId, ref) => {
        const row = await sound.get<typeof ref.type>(orgId, ref)
        const details = row && { ...row.details, creationDate: row.details.changeDate }
        return row && (Object.assign(row, { details }) as never)
      },
    }),
  },
  {
    fault: 'takes a role that was added again for the old one',
    law: 'A role that is added again',
    plant: (sound) => {
      let first: Date | undefined
      return {
        get: async (orgId, ref) => {
          const row = await sound.get<typeof ref.type>(orgId, ref)
          first ??= row?.details.creationDate
          const details = row && { ...row.details, creationDate: first }
          return row && (Object.assign(row, { details }) as never)
        },
      }
    },
  },
  {
    fault: 'keeps the roles of a removed project',
    law: 'A role is not found once its project is removed',
    plant: (sound) => {
      const seen = new Map<string, unknown>()
      return {
        apply: async (from, events) => {
          const isApplied = await sound.apply(from, events)
          for (const { data } of events) {
            if (!('roleKey' in data) || !('projectId' in data)) continue
            const ref = { type: 'project_role', ...data } as never
            seen.set(`${data.roleKey}`, await sound.get('acme', ref))
          }
          return isApplied
        },
        get: async (orgId, ref) =>
          (await sound.get(orgId, ref)) ??
          ('roleKey' in ref ? (seen.get(`${ref.roleKey}`) as never) : undefined),
      }
    },
  },
  {
    fault: 'folds the case of keys',
    law: 'Keys are compared code point by code point',
    plant: (sound) => ({
      get: async (orgId, ref) =>
        (await sound.get(orgId, ref)) ??
        ('roleKey' in ref
          ? ((await sound.get(orgId, {
              ...(ref as object),
              roleKey: 'editor',
            } as never)) as never)
          : undefined),
    }),
  },
  {
    fault: 'finds what belongs to another organization',
    law: 'An object of another organization',
    plant: (sound) => ({ get: (_, ref) => sound.get('acme', ref) }),
  },
  {
    fault: 'hands out what it holds',
    law: 'Whoever alters an answer',
    plant: (sound) => {
      let held: unknown
      return {
        get: async (orgId, ref) => {
          held ??= await sound.get(orgId, ref)
          return held as never
        },
      }
    },
  },
  {
    fault: 'ignores case always',
    law: 'Conditions compare',
    plant: (sound) => ({
      list: ({ conditions, ...query }) =>
        sound.list({
          ...query,
          conditions: conditions.map((condition) => ({ ...condition, ignoreCase: true })),
        }),
    }),
  },
  {
    fault: 'finds anything where % is sought',
    law: 'Conditions compare',
    plant: (sound) => ({
      list: ({ conditions, ...query }) =>
        sound.list({
          ...query,
          conditions: conditions.map(({ value, ...rest }) => ({
            ...rest,
            value: value.replaceAll('%', ''),
          })),
        }),
    }),
  },
  {
    fault: 'minds the case of keys always',
    law: 'Keys compare',
    plant: (sound) => ({
      list: ({ conditions, ...query }) =>
        sound.list({
          ...query,
          conditions: conditions.map((condition) =>
            condition.field === 'roleKey' ? { ...condition, ignoreCase: false } : condition,
          ),
        }),
    }),
  },
  {
    fault: 'knows nothing of groups',
    law: 'Every name, id and key',
    plant: (sound) => ({
      list: (query) =>
        query.conditions.some(({ field }) => field === 'group')
          ? Promise.reject(new Error('unknown field'))
          : sound.list(query),
    }),
  },
  {
    fault: 'looks at one condition alone',
    law: 'All conditions must hold',
    plant: (sound) => ({
      list: (query) => sound.list({ ...query, conditions: query.conditions.slice(0, 1) }),
    }),
  },
  {
    fault: 'does not mind fields that do not exist',
    law: 'What is no field',
    plant: (sound) => ({
      list: (query) =>
        sound.list(query).catch(() => sound.list({ ...query, conditions: [], sort: [] })),
    }),
  },
  {
    fault: 'orders by UTF-16 units',
    law: 'Rows come in the order asked for',
    plant: lists(({ items }, query) =>
      'sort' in query && JSON.stringify(query.sort).startsWith('[{"field":"name","direction":"asc"')
        ? { items: items.toSorted(byName) }
        : {},
    ),
  },
  {
    fault: 'orders one way alone',
    law: 'Rows come in the order asked for',
    plant: (sound) => ({
      list: (query) =>
        sound.list({ ...query, sort: query.sort.map((key) => ({ ...key, direction: 'asc' })) }),
    }),
  },
  {
    fault: 'begins a page with the row that ended the one before',
    law: 'Pages follow each other',
    plant: (sound) => {
      let last: readonly unknown[] = []
      return {
        list: async (query) => {
          const listing = await sound.list(query)
          const items = query.after === undefined ? listing.items : [...last, ...listing.items]
          last = listing.items.slice(-1)
          return { ...listing, items } as never
        },
      }
    },
  },
  {
    fault: 'decides by the first and the last field',
    law: 'Several fields decide',
    plant: (sound) => ({
      list: (query) =>
        sound.list({
          ...query,
          sort: query.sort.filter((_, index, all) => index === 0 || index === all.length - 1),
        }),
    }),
  },
  {
    fault: 'counts the rows of the page',
    law: 'A page says whether rows follow',
    plant: lists(({ items }) => ({ totalSize: items.length })),
  },
  {
    fault: 'does not say that rows follow',
    law: 'A page says whether rows follow',
    plant: lists(() => ({ hasMore: false })),
  },
  {
    fault: 'does not say as of when',
    law: 'A page says whether rows follow',
    plant: lists(() => ({ sequence: 0n })),
  },
  {
    fault: 'counts off pages by their numbers of rows',
    law: 'Rows that come and go',
    plant: (sound) => {
      let offset = 0
      return {
        list: async ({ after, limit, ...query }) => {
          offset = after === undefined ? 0 : offset + limit
          const { items, ...rest } = await sound.list({ ...query, limit: 1000 })
          const page = items.slice(offset, offset + limit)
          return { ...rest, items: page, hasMore: items.length > offset + limit }
        },
      }
    },
  },
  {
    fault: 'lists what belongs to another organization',
    law: 'A list holds nothing of another',
    plant: (sound) => ({ list: (query) => sound.list({ ...query, orgId: 'acme' }) }),
  },
  {
    fault: 'lists the roles of a removed project',
    law: 'The roles of a removed project',
    plant: (sound) => ({
      apply: async (from, events) =>
        sound.apply(
          from,
          events.filter(({ type }) => type !== 'project.removed'),
        ),
    }),
  },
  {
    fault: 'forgets who acted',
    law: 'An entry says who changed what',
    plant: (sound) => ({
      history: async (query) =>
        (await sound.history(query)).map((entry) => ({
          ...entry,
          actor: { userId: '', orgId: '' },
        })),
    }),
  },
  {
    fault: 'shows the seal of a secret',
    law: 'A secret shows only as changed',
    plant: (sound) => ({
      history: async (query) =>
        (await sound.history(query)).map(({ changes, ...entry }) => ({
          ...entry,
          changes: changes.map((change) =>
            'changed' in change ? { field: change.field, from: undefined, to: 'sealed' } : change,
          ),
        })),
    }),
  },
  {
    fault: 'tells history backwards',
    law: 'The history of an organization',
    plant: (sound) => ({
      history: async (query) => (await sound.history(query)).toReversed(),
    }),
  },
  ...(['object', 'actor', 'types'] as const).map((filter) => ({
    fault: `does not filter history by ${filter}`,
    law: 'History is found by object',
    plant: (sound: ReadModel): Partial<ReadModel> => ({
      history: ({ [filter]: _, ...query }) => sound.history(query),
    }),
  })),
  {
    fault: 'begins a page of history with the position that it is after',
    law: 'A page of history',
    plant: (sound) => ({
      history: ({ after, ...query }) => sound.history({ ...query, after: after - 1n }),
    }),
  },
]

const nameOf = (row: unknown): string =>
  typeof row === 'object' && row !== null && 'name' in row ? `${row.name}` : ''

const byName = (one: unknown, other: unknown): number => {
  if (nameOf(one) === nameOf(other)) return 0
  return nameOf(one) < nameOf(other) ? -1 : 1
}

const homeOf = (make: () => ReadModel) => {
  let opened = make()
  return {
    open: () => {
      opened = make()
      return opened
    },
    reopen: () => opened,
  }
}

const lawNamed = (beginning: string) => {
  const found = readModelLaws.filter(({ name }) => name.startsWith(beginning))
  expect(found).toHaveLength(1)
  return found
}

describe('The laws of read models find one that', () => {
  test.each(FAULTS)('$fault', async ({ law, plant }) => {
    const faulty = (): ReadModel => {
      const sound = memoryReadModel()
      return { ...sound, ...plant(sound) }
    }
    for (const { check } of lawNamed(law)) {
      await expect(check(homeOf(faulty))).rejects.toBeInstanceOf(Error)
    }
  })

  test('does not share what it keeps with other handles.', async () => {
    for (const { check } of lawNamed('What was applied, and what was reset')) {
      const home = { open: memoryReadModel, reopen: memoryReadModel }
      await expect(check(home)).rejects.toBeInstanceOf(BrokenLaw)
    }
  })

  test('lets two handles apply the same events.', async () => {
    const check = lawNamed('Of several handles')[0]?.check
    const home = { open: memoryReadModel, reopen: memoryReadModel }
    await expect(check?.(home)).rejects.toBeInstanceOf(BrokenLaw)
  })

  test('breaks any of them: no law goes without a fault.', () => {
    const found = ['What was applied, and what was reset', 'Of several handles']
    const beginnings = [...FAULTS.map(({ law }) => law), ...found]
    const idle = readModelLaws.filter(
      ({ name }) => !beginnings.some((beginning) => name.startsWith(beginning)),
    )
    expect(idle.map(({ name }) => name)).toEqual([])
  })
})
