import { describe, expect, test } from 'vitest'
import { memoryEventStore } from '../../../src/adapters/memory/event-store.js'
import { memoryReadModel } from '../../../src/adapters/memory/read-model.js'
import type { ObjectRef } from '../../../src/domain/values.js'
import { readModelLaws } from '../../../src/laws/index.js'
import { BrokenLaw } from '../../../src/laws/law.js'
import { accessLaws } from '../../../src/laws/read-model/access-laws.js'
import { headLaws } from '../../../src/laws/read-model/checkpoint-laws.js'
import { endingLaws } from '../../../src/laws/read-model/ending-laws.js'
import { shownLaws } from '../../../src/laws/read-model/shown-laws.js'
import type { EventStore } from '../../../src/ports/event-store.js'
import type {
  Condition,
  FieldChange,
  FoundAtHead,
  HistoryQuery,
  Listing,
  ListQuery,
  ReadAtHead,
  ReadMethod,
  ReadMethods,
  ReadModel,
  ReadQuery,
  Views,
  ViewType,
} from '../../../src/ports/read-model.js'
import { type Fault, oneTurn, slowly, withConditions } from './fault.js'
import { blindTo, GRANT_FAULTS } from './grant-faults.js'
import { MAPPING_FAULTS } from './mapping-faults.js'
import { RESOURCE_FAULTS } from './resource-faults.js'
import { ROUTE_FAULTS } from './route-faults.js'
import { USER_FAULTS } from './user-faults.js'

/** The model with reads at the head that are sound but for a change of their answers. */
const atHead =
  (plant: (ports: Ports) => Change = () => (_, answer) => answer) =>
  (sound: ReadModel, store: EventStore): Partial<ReadModel> => {
    const ports = { store, readModel: sound }
    const change = plant(ports)
    const read = readsAtHead(ports)
    return {
      readAtHead: () => async (query) => (await change(query, await read(query))) as never,
    }
  }

type Ports = Parameters<NonNullable<ReadModel['readAtHead']>>[0]

type Answer = FoundAtHead<unknown>

type Change = (
  query: Pick<ReadQuery, 'method' | 'args'>,
  answer: Answer,
) => Answer | Promise<Answer>

/** In memory all three are asked at one moment. */
const readsAtHead =
  ({ store, readModel }: Ports): ReadAtHead =>
  async <Method extends ReadMethod, Type extends ViewType>(query: ReadQuery<Method, Type>) => {
    const reads: ReadMethods<Type> = readModel
    const finding = reads[query.method](...query.args)
    const asked = [finding, store.lastPosition(), readModel.checkpoint()] as const
    const [found, head, reached] = await Promise.all(asked)
    return { found, head, reached }
  }

/** A change of the answers of one method. */
const of =
  (method: ReadMethod, change: (answer: Answer) => Answer | Promise<Answer>): Change =>
  (query, answer) =>
    query.method === method ? change(answer) : answer

/** The model with what its lists hold, or how they are asked for, changed. */
const lists =
  (change: (listing: Listing<unknown>, query: ListQuery<ViewType>) => object) =>
  (sound: ReadModel): Partial<ReadModel> => ({
    list: async (query) => {
      const listing = await sound.list(query)
      return { ...listing, ...change(listing, query) }
    },
  })

/** The model with some of its history left out, or taken from elsewhere. */
const plainBigints = (_: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : value

const histories =
  (change: (query: HistoryQuery, ask: ReadModel['history']) => ReturnType<ReadModel['history']>) =>
  (sound: ReadModel): Partial<ReadModel> => ({ history: (query) => change(query, sound.history) })

/** The model with what is asked of the lists of `types` changed. */
const askedOf =
  (
    types: readonly ViewType[],
    change: (conditions: readonly Condition[]) => readonly Condition[],
  ) =>
  (sound: ReadModel): Partial<ReadModel> => ({
    list: (query) =>
      sound.list(
        types.includes(query.type) ? { ...query, conditions: change(query.conditions) } : query,
      ),
  })

/** The model with the changes that its history tells of told otherwise. */
const changing =
  (change: (told: FieldChange & { from: unknown; to: unknown }) => FieldChange) =>
  (sound: ReadModel): Partial<ReadModel> => ({
    history: async (query) =>
      (await sound.history(query)).map((entry) => ({
        ...entry,
        changes: entry.changes.map((told) => ('changed' in told ? told : change(told))),
      })),
  })

const BUT_ROLES = ['identity_provider', 'project'] as const

const lowered = (text: string | undefined) => text?.toLowerCase()

const FAULTS: readonly Fault[] = [
  {
    fault: 'starts at another checkpoint',
    law: 'Before the first event the checkpoint is 0 and reads',
    plant: (sound) => ({ checkpoint: async () => (await sound.checkpoint()) || 1n }),
  },
  {
    fault: 'finds one entry that is none in an empty history',
    law: 'Before the first event the checkpoint is 0 and reads',
    plant: histories(async (query, ask) => {
      const entries = await ask(query)
      return entries.length === 0 ? [undefined as never] : entries
    }),
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
    law: 'Events that do not follow',
    plant: (sound) => ({
      apply: async (_, events) => sound.apply(await sound.checkpoint(), events),
    }),
  },
  {
    fault: 'says that it applied what it did not',
    law: 'Events that do not follow',
    plant: (sound) => ({
      apply: async (from, events) => (await sound.apply(from, events)) || true,
    }),
  },
  {
    fault: 'applies events one by one',
    law: 'Many events are applied',
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
    law: 'Many events are applied',
    plant: (sound) => ({
      apply: (from, events) => sound.apply(from, events).catch(() => true),
    }),
  },
  {
    fault: 'applies 500 events at a time',
    law: 'Many events are applied',
    plant: (sound) => ({
      apply: async (from, events) => {
        if (!(await sound.apply(from, events.slice(0, 500)))) return false
        for (let start = 500; start < events.length; start += 500) {
          const checkpoint = await sound.checkpoint()
          await sound.apply(checkpoint, events.slice(start, start + 500))
        }
        return true
      },
    }),
  },
  {
    fault: 'lists a hundred rows at most',
    law: 'Many events are applied',
    plant: lists(({ items }) => ({ items: items.slice(0, 100) })),
  },
  {
    fault: 'tells a hundred entries of history at most',
    law: 'Many events are applied',
    plant: histories(async (query, ask) => (await ask(query)).slice(0, 100)),
  },
  {
    fault: 'applies the first event of a batch alone',
    law: 'An object has all fields',
    plant: (sound) => ({ apply: (from, events) => sound.apply(from, events.slice(0, 1)) }),
  },
  {
    fault: 'does not reset',
    law: 'Every handle sees the',
    plant: () => ({ reset: async () => {} }),
  },
  {
    fault: 'shows a secret',
    law: 'An object has all fields',
    plant: (sound) => ({
      get: async (orgId, ref) => {
        const row = await sound.get<typeof ref.type>(orgId, ref)
        return row && (Object.assign(row, { clientSecret: 'sealed' }) as never)
      },
    }),
  },
  {
    fault: 'tells the time of the last event as that of the first',
    law: 'An object has all fields',
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
    law: 'An object has all fields',
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
    law: 'A role is found and listed until',
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
    fault: 'changes one row alone of those that a batch changes',
    law: 'Objects changed by',
    plant: (sound) => ({
      get: async (orgId, ref) => {
        const found = await sound.get(orgId, ref)
        return found && 'roleKey' in found && found.roleKey === 'viewer'
          ? { ...found, displayName: found.roleKey }
          : found
      },
    }),
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
    law: 'Changing a returned value',
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
    fault: 'hands out the rows that it lists',
    law: 'Changing a returned value',
    plant: (sound) => {
      const held = new Map<string, Listing<Views[ViewType]>>()
      return {
        list: async (query) => {
          const found = await sound.list(query)
          const question = JSON.stringify([query, found.sequence], (_, value) =>
            typeof value === 'bigint' ? `${value}n` : value,
          )
          const listing = held.get(question) ?? structuredClone(found)
          held.set(question, listing)
          return listing as never
        },
      }
    },
  },
  {
    fault: 'ignores case always in lists of projects',
    law: 'Conditions compare code point by code point, or',
    plant: askedOf(['project'], (conditions) =>
      conditions.map((condition) => ({ ...condition, ignoreCase: true })),
    ),
  },
  ...BUT_ROLES.map((type) => ({
    fault: `takes any operator for contains in lists of type ${type}`,
    law: 'Conditions compare code point by code point, or',
    plant: askedOf([type], (conditions) =>
      conditions.map((condition) => ({ ...condition, operator: 'contains' })),
    ),
  })),
  ...BUT_ROLES.map((type) => ({
    fault: `looks at one condition alone in lists of type ${type}`,
    law: 'All conditions must hold',
    plant: askedOf([type], (conditions) => conditions.slice(0, 1)),
  })),
  {
    fault: 'ignores case always',
    law: 'Conditions compare code point by code point, or',
    plant: withConditions((condition) => ({ ...condition, ignoreCase: true })),
  },
  {
    fault: 'finds anything where % is sought',
    law: 'Conditions compare code point by code point, or',
    plant: withConditions(({ value, ...rest }) => ({
      ...rest,
      value: value.replaceAll('%', ''),
    })),
  },
  {
    fault: 'minds the case of keys always',
    law: 'Keys compare like',
    plant: withConditions((condition) =>
      condition.field === 'roleKey' ? { ...condition, ignoreCase: false } : condition,
    ),
  },
  {
    fault: 'knows nothing of groups',
    law: 'Names, ids, keys',
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
    law: 'A list rejects a condition',
    plant: (sound) => ({
      list: (query) =>
        sound.list(query).catch(() => sound.list({ ...query, conditions: [], sort: [] })),
    }),
  },
  {
    fault: 'orders by UTF-16 units',
    law: 'Rows come in the requested order',
    plant: lists(({ items }, query) =>
      'sort' in query && JSON.stringify(query.sort).startsWith('[{"field":"name","direction":"asc"')
        ? { items: items.toSorted(byName) }
        : {},
    ),
  },
  {
    fault: 'orders one way alone',
    law: 'Rows come in the requested order',
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
    law: 'Rows come in the requested order',
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
    fault: 'does not say as of when there are no rows',
    law: 'A page says whether rows follow',
    plant: lists(({ items }) => (items.length === 0 ? { sequence: 0n } : {})),
  },
  {
    fault: 'does not count the rows before an empty page',
    law: 'A page says whether rows follow',
    plant: lists(({ items }) => (items.length === 0 ? { totalSize: 0 } : {})),
  },
  {
    fault: 'does not say as of when',
    law: 'A page says whether rows follow',
    plant: lists(() => ({ sequence: 0n })),
  },
  {
    fault: 'counts more rows than 10,000',
    law: 'A list counts up',
    plant: lists(({ totalSizeCapped }) =>
      totalSizeCapped ? { totalSize: 10_002, totalSizeCapped: undefined } : {},
    ),
  },
  {
    fault: 'does not say that there are more than 10,000',
    law: 'A list counts up',
    plant: lists(() => ({ totalSizeCapped: undefined })),
  },
  {
    fault: 'says of 10,000 rows that there are more',
    law: 'A list counts up',
    plant: lists(({ totalSize }) => (totalSize === 10_000 ? { totalSizeCapped: true } : {})),
  },
  {
    fault: 'says of a page by a filter that there are more',
    law: 'A list counts up',
    plant: lists(({ totalSize }, { conditions }) =>
      conditions.length > 0 && totalSize < 3 ? { totalSize: 10_000, totalSizeCapped: true } : {},
    ),
  },
  {
    fault: 'counts only the rows that follow',
    law: 'A list counts up',
    plant: lists((_, { after }) => (after ? { totalSize: 2, totalSizeCapped: undefined } : {})),
  },
  {
    fault: 'begins every page with the first row',
    law: 'Pages follow each other',
    plant: (sound) => ({ list: ({ after: _, ...query }) => sound.list(query) }),
  },
  {
    fault: 'counts off pages by their numbers of rows',
    law: 'Rows added or removed',
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
    law: 'A list contains nothing from another',
    plant: (sound) => ({ list: (query) => sound.list({ ...query, orgId: 'acme' }) }),
  },
  {
    fault: 'lists the roles of a removed project',
    law: 'A role is found and listed until',
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
    law: 'An entry says who did what',
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
    law: 'An entry says what changed',
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
    law: 'The history of an organization has',
    plant: (sound) => ({
      history: async (query) => (await sound.history(query)).toReversed(),
    }),
  },
  ...(['object', 'actor', 'types'] as const).map((filter) => ({
    fault: `does not filter history by ${filter}`,
    law: 'History is found by object, actor and types, which',
    plant: (sound: ReadModel): Partial<ReadModel> => ({
      history: ({ [filter]: _, ...query }) => sound.history(query),
    }),
  })),
  ...BUT_ROLES.map((type) => ({
    fault: `has no history of type ${type}`,
    law: 'Objects with similar names',
    plant: histories(async (query, ask) => (query.object?.type === type ? [] : ask(query))),
  })),
  {
    fault: 'tells the history of roles with that of their project',
    law: 'Objects with similar names',
    plant: histories(async ({ object, ...query }, ask) => {
      if (object?.type !== 'project') return ask({ ...query, ...(object && { object }) })
      return (await ask(query)).filter(
        ({ object: found }) =>
          ('id' in found && found.id === object.id) ||
          ('projectId' in found && found.projectId === object.id),
      )
    }),
  },
  {
    fault: 'takes a project and a provider of one id for the same',
    law: 'Objects with similar names',
    plant: histories(async ({ object, ...query }, ask) => {
      if (object?.type !== 'project') return ask({ ...query, ...(object && { object }) })
      return (await ask(query)).filter(
        ({ object: found }) =>
          ('id' in found && found.id === object.id) ||
          ('idpId' in found && `${found.idpId}` === object.id),
      )
    }),
  },
  {
    fault: 'takes the roles of all projects for the same',
    law: 'Objects with similar names',
    plant: histories(async ({ object, ...query }, ask) => {
      if (object?.type !== 'project_role') return ask({ ...query, ...(object && { object }) })
      return (await ask(query)).filter(
        ({ object: found }) => 'roleKey' in found && found.roleKey === object.roleKey,
      )
    }),
  },
  {
    fault: 'folds the case of keys in the history of a role',
    law: 'Objects with similar names',
    plant: histories(async ({ object, ...query }, ask) => {
      if (object?.type !== 'project_role') return ask({ ...query, ...(object && { object }) })
      return (await ask(query)).filter(
        ({ object: found }) =>
          'roleKey' in found &&
          found.projectId === object.projectId &&
          lowered(found.roleKey) === lowered(object.roleKey),
      )
    }),
  },
  {
    fault: 'finds actors by the beginning of their ids',
    law: 'Objects with similar names',
    plant: histories(async ({ actor = '', ...query }, ask) =>
      (await ask({ ...query, limit: 1000 }))
        .filter((entry) => entry.actor.userId.startsWith(actor))
        .slice(0, query.limit),
    ),
  },
  {
    fault: 'folds the case of the ids of actors',
    law: 'Objects with similar names',
    plant: histories(async ({ actor, ...query }, ask) =>
      (await ask({ ...query, limit: 1000 }))
        .filter((entry) => actor === undefined || lowered(entry.actor.userId) === lowered(actor))
        .slice(0, query.limit),
    ),
  },
  {
    fault: 'finds types by their beginnings',
    law: 'Objects with similar names',
    plant: histories(async ({ types, ...query }, ask) =>
      (await ask(query)).filter(
        ({ type }) => types === undefined || types.some((sought) => type.startsWith(sought)),
      ),
    ),
  },
  {
    fault: 'forgets the history of a removed provider',
    law: 'Objects with similar names',
    plant: histories(async (query, ask) => {
      const entries = await ask(query)
      const isGone = entries.some(({ type }) => type === 'identity_provider.removed')
      return isGone && query.object !== undefined ? [] : entries
    }),
  },
  {
    fault: 'begins a page of history with the position that it is after',
    law: 'A page of history',
    plant: (sound) => ({
      history: ({ after, ...query }) => sound.history({ ...query, after: after - 1n }),
    }),
  },
  {
    fault: 'drops U+FEFF where a key begins, as a decoder does',
    law: 'A key that begins with U+FEFF',
    plant: (sound) => ({
      list: async (query) =>
        JSON.parse(
          JSON.stringify(await sound.list(query), plainBigints).replaceAll('"\ufeff', '"'),
        ),
    }),
  },
  {
    fault: 'does not end roles with their project',
    law: 'The removal of a project ends',
    plant: histories(async (query, ask) =>
      (await ask(query)).filter(
        ({ object }) => query.object?.type !== 'project_role' || object.type === 'project_role',
      ),
    ),
  },
  {
    fault: 'ends roles that were removed before their project',
    law: 'The removal of a project ends',
    plant: histories(async (query, ask) => {
      const entries = await ask(query)
      if (entries.at(-1)?.type !== 'project_role.removed' || !('projectId' in (query.object ?? {})))
        return entries
      const object = { type: 'project', id: 'portal' } as const
      return [...entries, ...(await ask({ ...query, object, types: ['project.removed'] }))]
    }),
  },
  {
    fault: 'ends a role without a look at who removed its project',
    law: 'The removal of a project ends',
    plant: histories(async ({ actor, ...query }, ask) =>
      (await ask(query)).filter(
        (entry) =>
          actor === undefined ||
          entry.actor.userId === actor ||
          (query.object?.type === 'project_role' && entry.type === 'project.removed'),
      ),
    ),
  },
  {
    fault: 'tells the end of a role as an event of its own',
    law: 'The entry that ends a role',
    plant: histories(async (query, ask) =>
      (await ask(query)).map((entry) =>
        query.object?.type === 'project_role' ? { ...entry, object: query.object } : entry,
      ),
    ),
  },
  {
    fault: 'leaves the roles out of the history of a project that is to include them',
    law: 'The history of a project can',
    plant: histories(({ including: _, ...query }, ask) => ask(query)),
  },
  {
    fault: 'includes in the history of a project the roles that there are',
    law: 'The history of a project can',
    plant: histories(async (query, ask) => {
      const entries = await ask(query)
      const isGone = ({ object }: { readonly object: ObjectRef }) =>
        entries.some(
          ({ type, object: gone }) =>
            type === 'project_role.removed' &&
            'roleKey' in gone &&
            'roleKey' in object &&
            gone.roleKey === object.roleKey,
        )
      return query.including ? entries.filter((entry) => !isGone(entry)) : entries
    }),
  },
  {
    fault: 'tells history oldest first, whatever is asked for',
    law: 'History comes oldest first, or newest',
    plant: histories(({ order: _, ...query }, ask) => ask(query)),
  },
  {
    fault: 'turns pages of history round once they are cut',
    law: 'Pages of history follow each other in both orders, and only',
    plant: histories(async ({ order, ...query }, ask) => {
      const entries = await ask(query)
      return order === 'desc' ? entries.toReversed() : entries
    }),
  },
  {
    fault: 'ends a role when its page is cut',
    law: 'Pages of history follow each other in both orders, and only',
    plant: histories(async (query, ask) => {
      const { object, limit } = query
      if (object?.type !== 'project_role') return ask(query)
      const entries = await ask({ ...query, limit: 1000 })
      const own = entries.filter((entry) => entry.object.type === 'project_role').slice(0, limit)
      return [...own, ...entries.filter((entry) => entry.object.type === 'project')]
    }),
  },
  {
    fault: 'begins every page of history with the newest entry',
    law: 'Pages of history follow each other in both orders, and only',
    plant: histories(({ before, order, ...query }, ask) =>
      ask(order === 'desc' ? { ...query, order } : { ...query, ...(before && { before }) }),
    ),
  },
  {
    fault: 'ends no page of history before a position',
    law: 'History lies above',
    plant: histories(({ before: _, ...query }, ask) => ask(query)),
  },
  {
    fault: 'takes the position before which history ends for its last',
    law: 'History lies above',
    plant: histories(({ before, ...query }, ask) =>
      ask({ ...query, ...(before !== undefined && { before: before + 1n }) }),
    ),
  },
  {
    fault: 'applies its first events from any checkpoint',
    law: 'Events that do not follow',
    plant: (sound) => ({
      apply: async (from, events) =>
        sound.apply((await sound.checkpoint()) === 0n ? 0n : from, events),
    }),
  },
  {
    fault: 'takes away the roles of a project that was changed',
    law: 'A role is found and listed until',
    plant: (sound) => {
      const changed = new Set<unknown>()
      return {
        apply: (from, events) => {
          for (const { type, data } of events) {
            if (type === 'project.updated' && 'id' in data) changed.add(data.id)
          }
          return sound.apply(from, events)
        },
        get: async (orgId, ref) =>
          orgId === 'acme' && 'projectId' in ref && changed.has(ref.projectId)
            ? undefined
            : sound.get(orgId, ref),
      }
    },
  },
  {
    fault: 'takes away the roles of projects whose ids begin like that of a removed one',
    law: 'A role is found and listed until',
    plant: (sound) => {
      let isRemoved = false
      const isGone = (projectId: unknown) => isRemoved && projectId === 'portal2'
      return {
        apply: (from, events) => {
          isRemoved ||= events.some(({ type }) => type === 'project.removed')
          return sound.apply(from, events)
        },
        get: async (orgId, ref) =>
          'projectId' in ref && isGone(ref.projectId) ? undefined : sound.get(orgId, ref),
        list: (query) =>
          sound.list(isGone(query.projectId) ? { ...query, projectId: 'none' } : query),
      }
    },
  },
  {
    fault: 'tells the last event of a role as that of its project',
    law: 'A role is found and listed until',
    plant: (sound) => ({
      get: async (orgId, ref) => {
        const row = await sound.get<typeof ref.type>(orgId, ref)
        const details = row && { ...row.details, sequence: await sound.checkpoint() }
        return row && ((ref.type === 'project' ? { ...row, details } : row) as never)
      },
    }),
  },
  {
    fault: 'takes the organization of who acted for that of the object',
    law: 'An object has all fields',
    plant: (sound) => {
      let resourceOwner = ''
      return {
        apply: (from, events) => {
          resourceOwner = events.at(-1)?.metadata.actor.orgId ?? ''
          return sound.apply(from, events)
        },
        get: async (orgId, ref) => {
          const row = await sound.get<typeof ref.type>(orgId, ref)
          return row && ({ ...row, details: { ...row.details, resourceOwner } } as never)
        },
      }
    },
  },
  {
    fault: 'lists providers without their scopes',
    law: 'An object has all fields',
    plant: lists(({ items }) => ({
      items: items.map((row) => Object.assign(row as object, { scopes: [] })),
    })),
  },
  {
    fault: 'lists providers with their secrets',
    law: 'An object has all fields',
    plant: lists(({ items }) => ({
      items: items.map((row) => Object.assign(row as object, { clientSecret: 'sealed' })),
    })),
  },
  {
    fault: 'changes the neighbours of an object with it',
    law: 'An object has all fields',
    plant: (sound) => ({
      list: async (query) => {
        const listing = await sound.list(query)
        const sequence = await sound.checkpoint()
        const items = listing.items.map((row) => ({
          ...row,
          details: { ...row.details, sequence },
        }))
        return { ...listing, items } as never
      },
    }),
  },
  {
    fault: 'filters by the states that objects came to be with',
    law: 'Names, ids, keys',
    plant: askedOf(BUT_ROLES, (conditions) =>
      conditions.map((condition) =>
        condition.field === 'state' && condition.value === 'inactive'
          ? { ...condition, value: 'active' }
          : condition,
      ),
    ),
  },
  {
    fault: 'does not filter by issuers',
    law: 'Names, ids, keys',
    plant: askedOf(BUT_ROLES, (conditions) => conditions.filter(({ field }) => field !== 'issuer')),
  },
  {
    fault: 'folds case by capitals alone',
    law: 'Conditions compare code point by code point, or',
    plant: askedOf(BUT_ROLES, (conditions) =>
      // Already one: it stays as it is.
      conditions.map(({ value, ...rest }) => ({ ...rest, value: value.replaceAll('\u1e9e', '!') })),
    ),
  },
  {
    fault: 'keeps roles in a plain object',
    law: 'Keys are compared code point by code point',
    plant: (sound) => ({
      get: async (orgId, ref) =>
        'roleKey' in ref && ref.roleKey === '__proto__' ? undefined : sound.get(orgId, ref),
    }),
  },
  {
    fault: 'orders sequences as texts',
    law: 'Rows come in the requested order',
    plant: (sound) => ({
      list: async (query) => {
        const listing = await sound.list(query)
        const [{ field, direction } = { field: '' }] = query.sort
        if (field !== 'sequence' || direction !== 'asc') return listing
        const textOf = ({ details }: { details: { sequence: bigint } }) => `${details.sequence}`
        const items = listing.items.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1))
        return { ...listing, items }
      },
    }),
  },
  {
    fault: 'counts the objects of all organizations',
    law: 'A list contains nothing from another',
    plant: (sound) => ({
      list: async (query) => {
        const listing = await sound.list(query)
        if (query.orgId !== 'acme') return listing
        const others = await sound.list({ ...query, orgId: 'acme2' })
        return { ...listing, totalSize: listing.totalSize + others.totalSize }
      },
    }),
  },
  {
    fault: 'counts the rows at one moment and lists them at another',
    law: 'A list is of one',
    plant: (sound) => ({
      apply: slowly(sound.apply),
      list: async (query) => {
        const { totalSize } = await sound.list(query)
        for (let turn = 0; turn < 3; turn++) await oneTurn()
        return { ...(await sound.list(query)), totalSize }
      },
    }),
  },
  {
    fault: 'says as of when before it lists',
    law: 'A list is of one',
    plant: (sound) => ({
      apply: slowly(sound.apply),
      list: async (query) => {
        const sequence = await sound.checkpoint()
        for (let turn = 0; turn < 3; turn++) await oneTurn()
        return { ...(await sound.list(query)), sequence }
      },
    }),
  },
  {
    fault: 'lists as of the checkpoint before',
    law: 'A list is of one',
    plant: (sound) => {
      let before: ReturnType<ReadModel['list']> | undefined
      return {
        list: async (query) => {
          const listing = before ?? sound.list(query)
          before = sound.list(query)
          return (await listing) as never
        },
      }
    },
  },
  {
    fault: 'does not know what a field held before',
    law: 'An entry says what changed',
    plant: changing(({ from: _, ...change }) => ({ ...change, from: undefined })),
  },
  ...['project.updated', 'identity_provider.updated', 'project.removed'].map((type) => ({
    fault: `does not know what ${type} changed`,
    law: 'An entry says what changed',
    plant: histories(async (query, ask) =>
      (await ask(query)).map((entry) => (entry.type === type ? { ...entry, changes: [] } : entry)),
    ),
  })),
  {
    fault: 'tells null for a correlation id that there is not',
    law: 'An entry says who did what',
    plant: histories(async (query, ask) =>
      (await ask(query)).map((entry) => ({ correlationId: null as never, ...entry })),
    ),
  },
  {
    fault: 'forgets what protects objects',
    law: 'An object shows',
    plant: lists(({ items }) => ({
      items: items.map((item) => ({ ...Object(item), protectedBy: undefined })),
    })),
  },
  {
    fault: 'protects objects for ever',
    law: 'An object shows',
    plant: (sound) => {
      let protectedBy: string | undefined
      return {
        get: async (orgId, ref) => {
          const found = await sound.get(orgId, ref)
          if (found && 'protectedBy' in found) protectedBy = found.protectedBy
          return found && protectedBy !== undefined ? { ...found, protectedBy } : found
        },
      }
    },
  },
  {
    fault: 'forgets reasons',
    law: 'An entry says who did what',
    plant: histories(async (query, ask) =>
      (await ask(query)).map(({ reason: _, ...entry }) => entry),
    ),
  },
  {
    fault: 'knows no position below 0',
    law: 'A page of history',
    plant: histories(async (query, ask) => (query.after < 0n ? [] : ask(query))),
  },
]

const HEAD_FAULTS: readonly Fault[] = [
  {
    fault: 'reads at the head of copies',
    law: 'Reads at the head need the original',
    plant: atHead(),
  },
  {
    fault: 'tells the checkpoint for the end of the log',
    law: 'A read at the head returns',
    plant: atHead(() => of('list', (answer) => ({ ...answer, head: answer.reached }))),
  },
  ...(['get', 'access', 'heldRoles', 'holders', 'route', 'history'] as const).map((method) => ({
    fault: `tells the end of the log for the checkpoint of ${method}`,
    law: 'A read at the head returns',
    plant: atHead(() => of(method, (answer) => ({ ...answer, reached: answer.head }))),
  })),
  ...(['get', 'history'] as const).map((method) => ({
    fault: `finds nothing that is not up to date by ${method}`,
    law: 'A read at the head returns',
    plant: atHead(() =>
      of(method, (answer) =>
        answer.reached === answer.head ? answer : { ...answer, found: undefined },
      ),
    ),
  })),
  {
    fault: 'remembers where the log ended',
    law: 'A read at the head immediately',
    plant: atHead(({ store }) => {
      let head: ReturnType<EventStore['lastPosition']> | undefined
      return of('get', async (answer) => {
        head ??= store.lastPosition()
        return { ...answer, head: await head }
      })
    }),
  },
  {
    fault: 'remembers what it found',
    law: 'A read at the head immediately',
    plant: atHead(() => {
      let found: unknown
      return of('list', (answer) => {
        found ??= answer.found
        return { ...answer, found }
      })
    }),
  },
  ...(['get', 'list'] as const).map((method) => ({
    fault: `tells the checkpoint as of later than its ${method}`,
    law: 'A read at the head is of',
    plant: atHead(({ readModel }) =>
      of(method, async (answer) => {
        for (let turn = 0; turn < 3; turn++) await oneTurn()
        return { ...answer, reached: await readModel.checkpoint() }
      }),
    ),
  })),
]

const nameOf = (row: unknown): string =>
  typeof row === 'object' && row !== null && 'name' in row ? `${row.name}` : ''

const byName = (one: unknown, other: unknown): number => {
  if (nameOf(one) === nameOf(other)) return 0
  return nameOf(one) < nameOf(other) ? -1 : 1
}

const homeOf = (plant: Fault['plant']) => {
  const make = () => {
    const store = memoryEventStore()
    const sound = memoryReadModel()
    return { store, model: { ...sound, ...plant(sound, store) } }
  }
  let opened = make()
  return {
    open: () => {
      opened = make()
      return opened.model
    },
    reopen: () => opened.model,
    store: () => opened.store,
  }
}

const lawNamed = (beginning: string) => {
  const found = readModelLaws.filter(({ name }) => name.startsWith(beginning))
  expect(found).toHaveLength(1)
  return found
}

test('Reads at the head without a fault keep their laws.', async () => {
  for (const { check } of headLaws.slice(1)) await check(homeOf(atHead()))
})

test('A read model that answers from a copy which sees all events keeps the laws.', async () => {
  const reads = ['get', 'list', 'access', 'heldRoles', 'holders'] as const
  for (const { check } of [...shownLaws, ...accessLaws, ...endingLaws])
    await check(homeOf(blindTo([], reads)))
})

describe('The laws of read models find one that', () => {
  test.each([...FAULTS, ...HEAD_FAULTS])('$fault', async ({ law, plant }) => {
    for (const { check } of lawNamed(law)) {
      await expect(check(homeOf(plant))).rejects.toBeInstanceOf(Error)
    }
  })

  test.each([
    ...GRANT_FAULTS,
    ...MAPPING_FAULTS,
    ...ROUTE_FAULTS,
    ...USER_FAULTS,
    ...RESOURCE_FAULTS,
  ])('$fault', async ({ law, plant }) => {
    for (const { check } of lawNamed(law))
      await expect(check(homeOf(plant))).rejects.toBeInstanceOf(BrokenLaw)
  })

  test('reads at the head of a store that its home does not show.', async () => {
    const { store: _, ...home } = homeOf(atHead())
    for (const { check } of lawNamed('A read at the head returns')) {
      await expect(check(home)).rejects.toThrow('a home with `store`')
    }
  })

  test('does not share what it keeps with other handles.', async () => {
    for (const { check } of lawNamed('Every handle sees the')) {
      const home = { open: memoryReadModel, reopen: memoryReadModel }
      await expect(check(home)).rejects.toBeInstanceOf(BrokenLaw)
    }
  })

  test('remembers in a handle what another one has changed since.', async () => {
    const sound = memoryReadModel()
    const remembering = (): ReadModel => {
      let history: ReturnType<ReadModel['history']> | undefined
      return {
        ...sound,
        history: (query) => {
          history ??= sound.history(query)
          return history
        },
      }
    }
    for (const { check } of lawNamed('Every handle sees the')) {
      const home = { open: () => sound, reopen: remembering }
      await expect(check(home)).rejects.toBeInstanceOf(BrokenLaw)
    }
  })

  test('lets two handles apply the same events.', async () => {
    const check = lawNamed('When several handles')[0]?.check
    const home = { open: memoryReadModel, reopen: memoryReadModel }
    await expect(check?.(home)).rejects.toBeInstanceOf(BrokenLaw)
  })

  test('breaks any of them: no law goes without a fault.', () => {
    const found = ['Every handle sees the', 'When several handles']
    const beginnings = [
      ...[
        ...FAULTS,
        ...GRANT_FAULTS,
        ...RESOURCE_FAULTS,
        ...MAPPING_FAULTS,
        ...ROUTE_FAULTS,
        ...USER_FAULTS,
        ...HEAD_FAULTS,
      ].map(({ law }) => law),
      ...found,
    ]
    const idle = readModelLaws.filter(
      ({ name }) => !beginnings.some((beginning) => name.startsWith(beginning)),
    )
    expect(idle.map(({ name }) => name)).toEqual([])
  })
})
