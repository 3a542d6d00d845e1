import { fieldOf } from '../../domain/values.js'
import {
  type Condition,
  type ListQuery,
  MAX_TOTAL_SIZE,
  type ReadModel,
  type SortKey,
  type SortValue,
  type Views,
  type ViewType,
} from '../../ports/read-model.js'
import { compareCodePoints } from '../../projections/row-order.js'
import { filterableFields, identityField } from '../../projections/rows.js'
import { allOf, demand, demandEqual, demandRejection, lawsOf } from '../law.js'
import { found } from './founding.js'
import { projectGrantAdded, userGrantAdded } from './grant-samples.js'
import { fedWith, feed, type Log, newLog, type ReadModelHome } from './harness.js'
import { projectAdded, type Row, roleAdded, roleRemoved } from './object-samples.js'
import {
  ALL_SAMPLES,
  allPages,
  byIdentity,
  DIRECTIONS,
  listOf,
  logBefore,
  manyLog,
  play,
  portalWith,
  ROLES,
  SAMPLES,
  SCENARIOS,
  sortFields,
  sortValue,
  TYPES,
} from './samples.js'

/** Laws of `list`: its conditions, what it finds, its order and its pages. */
export const listLaws = lawsOf<ReadModelHome>({
  'Conditions compare code point by code point, or ignore case on request.': async (home) => {
    const model = await namedObjects(home)
    for (const type of NAMED_TYPES) {
      for (const one of CASES) {
        const names = await namesThat(model, type, [conditionOf(one)])
        demandEqual(`${type}: ${nameOf(one)}`, names, one[2])
      }
    }
  },
  'Keys compare like names, including the role keys of a grant.': async (home) => {
    const model = await fedWith(home, keyedObjects())
    for (const one of CASES) {
      const expected = one[2].filter((name) => name !== '')
      const conditions = [{ ...conditionOf(one), field: 'roleKey' }]
      const roles = await model.list({ ...ROLES, conditions })
      const grants = await model.list({ ...listOf('project_grant'), conditions })
      const users = await model.list({ ...listOf('user_grant'), conditions })
      for (const [{ totalSize }, found] of [
        [roles, roles.items.map(({ roleKey }) => roleKey)],
        [grants, grants.items.flatMap(({ roleKeys }) => roleKeys)],
        [users, users.items.flatMap((row) => row.roles.map(({ roleKey }) => roleKey))],
      ] as const)
        demandEqual(nameOf(one), [found, totalSize], [expected, expected.length])
    }
  },
  'Names, ids, keys and the state can be filtered by their current values.': async (home) => {
    for (const scenario of SCENARIOS) {
      const { type } = scenario.ref
      const log = logBefore(scenario)
      const model = await fedWith(home, log)
      const query = listOf(type)
      const moments = play(log, scenario)
      for (const { event, row } of moments) {
        await model.apply(await model.checkpoint(), [event])
        if (row === undefined) continue
        const isFound = async (conditions: readonly Condition[]) => {
          const { items } = await model.list({ ...query, conditions })
          return items.some(({ details }) => details.sequence === event.position)
        }
        const all = Map.groupBy(conditionsOn(type, row), ({ field }) => field)
        for (const [field, conditions] of all) {
          demandEqual(`${event.type}: ${field}`, await isFound(conditions), true)
          // A model that leaves out a condition does so after any event.
          if (event === moments[0]?.event)
            for (const { value, ...condition } of conditions) {
              const other = { ...condition, value: `${value}!` }
              const what = `${event.type}: ${field} ${condition.operator} ${other.value}`
              demandEqual(what, await isFound([other]), false)
            }
        }
      }
    }
  },
  'All conditions must hold.': async (home) => {
    const model = await namedObjects(home)
    const conditions = ['edit', 'rs'].map((value) => ({
      operator: 'contains' as const,
      value,
      ignoreCase: true,
    }))
    for (const type of NAMED_TYPES) {
      demandEqual(`names of ${type}`, await namesThat(model, type, conditions), ['editors'])
    }
  },
  'A list rejects a condition or an order by a field that it does not have.': async (home) => {
    const model = await namedObjects(home)
    for (const field of ['details', 'scopes', 'constructor', 'role_key', "'", 'clientSecret']) {
      const condition = { field, operator: 'equals', value: '', ignoreCase: false } as const
      const byField = { ...ROLES, conditions: [condition] }
      await demandRejection(`condition on ${field}`, model.list(byField))
      const sort = [{ field, direction: 'asc' } as const, ...ROLES.sort]
      await demandRejection(`sort by ${field}`, model.list({ ...ROLES, sort }))
    }
  },
  'A page says whether rows follow, how many there are in all, and at which checkpoint.': async (
    home,
  ) => {
    const log = manyLog()
    const model = await fedWith(home, log)
    const conditions = [
      { field: 'displayName', operator: 'startsWith', value: 'b', ignoreCase: true },
    ] as const
    const query = { ...ROLES, limit: 2, conditions }
    const { items, ...first } = await model.list(query)
    const sequence = log.events.at(-1)?.position
    demandEqual('first page', first, { hasMore: true, totalSize: 3, sequence })
    const after = [items.at(-1)?.roleKey ?? '']
    const { items: rest, ...second } = await model.list({ ...query, after, limit: 1 })
    demandEqual('last page', second, { hasMore: false, totalSize: 3, sequence })
    demandEqual('rows', [items.length, rest.length], [2, 1])
    const end = await model.list({ ...query, after: [rest.at(-1)?.roleKey ?? ''] })
    const empty = { items: [], hasMore: false, totalSize: 3, sequence }
    demandEqual('page after the last row', end, empty)
    const none = await model.list({ ...query, projectId: 'none' })
    demandEqual('page of nothing', none, { ...empty, totalSize: 0 })
  },
  'A list counts up to 10,000 rows exactly, and says if there are more.': async (home) => {
    const keys = Array.from({ length: MAX_TOTAL_SIZE }, (_, index) => `role-${index}`)
    const log = portalWith(keys)
    const model = await fedWith(home, log)
    const totalOf = async (query: ListQuery<'project_role'>) => {
      const { totalSize, totalSizeCapped } = await model.list({ ...query, limit: 2 })
      return [totalSize, totalSizeCapped ?? false]
    }
    demandEqual('10,000 rows', await totalOf(ROLES), [10_000, false])
    for (const key of ['one-more', 'two-more']) log.record('acme', roleAdded('portal', key))
    await feed(model, log)
    demandEqual('10,002 rows', await totalOf(ROLES), [10_000, true])
    demandEqual('on the last page', await totalOf({ ...ROLES, after: ['two'] }), [10_000, true])
    const conditions = [
      { field: 'roleKey', operator: 'contains', value: 'more', ignoreCase: false },
    ] as const
    demandEqual('2 of 10,002 rows', await totalOf({ ...ROLES, conditions }), [2, false])
  },
  'Rows added or removed between two pages neither hide nor repeat the others.': async (home) => {
    for (const direction of DIRECTIONS) {
      const stay = ['b', 'd', 'f', 'h', 'j']
      const go = ['c', 'e', 'g', 'i']
      const log = portalWith([...stay, ...go])
      const model = await fedWith(home, log)
      let turn = 0
      const sort = [{ field: 'roleKey', direction }] as const
      const rows = await allPages(model, listOf('project_role', sort, 2), async () => {
        for (const key of ['a', stay[turn], 'z']) {
          log.record('acme', roleAdded('portal', `${key}-${turn}`))
        }
        const key = go[turn++]
        if (key !== undefined) log.record('acme', roleRemoved('portal', key))
        await feed(model, log)
      })
      const keys = rows.map(({ roleKey }) => roleKey)
      demandEqual('different keys', new Set(keys).size, keys.length)
      const stayed = keys.filter((key) => stay.includes(key))
      demandEqual('keys that stayed', stayed, direction === 'asc' ? stay : stay.toReversed())
    }
  },
  'A list contains nothing from another organization or project.': async (home) => {
    const log = manyLog()
    log.record('other', projectAdded('portal'))
    log.record('other', roleAdded('portal', 'stranger'))
    const model = await fedWith(home, log)
    for (const type of TYPES) {
      const query = listOf(type)
      const own = await model.list(query)
      for (const row of own.items) {
        demandEqual(`owner of a ${type}`, row.details.resourceOwner, 'acme')
        if (query.projectId !== undefined)
          demandEqual(`project of a ${type}`, fieldOf(row, 'projectId'), query.projectId)
      }
      demandEqual(`number of ${type}`, own.totalSize, own.items.length)
      for (const orgId of ['acm', 'acme3', 'ACME', '', 'acme+portal']) {
        const { items, totalSize } = await model.list({ ...query, orgId })
        demandEqual(`${type} of ${orgId}`, [items, totalSize], [[], 0])
      }
    }
  },
  'A list is of one moment, even while events are applied.': async (home) => {
    const log = portalWith([])
    const model = await fedWith(home, log)
    const handles = [model, await home.reopen(), model]
    for (let round = 0; round < 20; round++) {
      const checkpoint = await model.checkpoint()
      log.record('acme', roleAdded('portal', `role-${round}`))
      const feeding = feed(model, log)
      const listing = allOf(handles.map((handle) => handle.list(ROLES)))
      await allOf<unknown>([feeding, listing])
      for (const { items, totalSize, sequence } of await listing) {
        const roles = log.events.filter(({ position }) => position <= sequence).length - 1
        demandEqual(`roles as of ${sequence}`, [items.length, totalSize], [roles, roles])
        demand(sequence >= checkpoint, `a list as of ${checkpoint} or later, not ${sequence}`)
      }
    }
  },
  'Rows come in the requested order: by any fields, each in either direction.': async (home) => {
    const model = await fedWith(home, manyLog())
    for (const type of TYPES) {
      for (const sort of orders(type)) {
        const { items } = await model.list(listOf(type, sort))
        demandEqual(`rows of ${type}`, items.length, 10)
        demandEqual(`${type} by ${JSON.stringify(sort)}`, wrongPairs(type, sort, items), [])
      }
    }
  },
  'Pages follow each other without a gap or a repetition, in any order.': async (home) => {
    const model = await fedWith(home, manyLog())
    for (const type of TYPES) {
      for (const [index, sort] of orders(type).filter(isNoMirrorImage).entries()) {
        const { items } = await model.list(listOf(type, sort))
        // Each row ends a page of one; longer pages differ in nothing that the order changes.
        for (const limit of index === 0 ? [1, 3, items.length] : [1]) {
          const rows = await allPages(model, listOf(type, sort, limit))
          demandEqual(`${type} by ${JSON.stringify(sort)}, ${limit} a page`, rows, items)
        }
      }
    }
  },
})

const byFields = (type: ViewType): readonly (readonly SortKey[])[] =>
  sortFields(type).flatMap((field) =>
    DIRECTIONS.flatMap((direction) => {
      const first = { field, direction }
      if (field === identityField[type]) return [[first]]
      return DIRECTIONS.map((last) => [first, { ...byIdentity(type), direction: last }])
    }),
  )

const BY_SEVERAL: readonly SortKey[] = [
  { field: 'state', direction: 'desc' },
  { field: 'projectRoleCheck', direction: 'desc' },
  { field: 'name', direction: 'asc' },
  { field: 'id', direction: 'desc' },
]

const orders = (type: ViewType) => [...byFields(type), ...(type === 'project' ? [BY_SEVERAL] : [])]

/** Of two fields, the second ascends: the first ascends or descends with it, which are all ways that they compare. */
const isNoMirrorImage = ([_, second, ...others]: readonly SortKey[]): boolean =>
  others.length > 0 || second?.direction !== 'desc'

const isInOrder = <Type extends ViewType>(
  type: Type,
  sort: readonly SortKey[],
  [one, other]: readonly [Views[Type], Views[Type]],
): boolean => {
  for (const { field, direction } of sort) {
    const of = (row: Views[Type]) => sortValue(type, field, row)
    const [first, second] = direction === 'asc' ? [of(one), of(other)] : [of(other), of(one)]
    if (first === second) continue
    return typeof first === 'string' && typeof second === 'string'
      ? compareCodePoints(first, second) < 0
      : first < second
  }
  return false
}

/** Neighbours in the wrong order. */
const wrongPairs = <Type extends ViewType>(
  type: Type,
  sort: readonly SortKey[],
  rows: readonly Views[Type][],
) =>
  rows
    .slice(1)
    .map((row, index) => [rows[index] ?? row, row] as const)
    .filter((pair) => !isInOrder(type, sort, pair))

/** Roles of the project `portal` whose keys are {@link NAMES}, and grants of each of them, in the same order. */
const keyedObjects = (): Log => {
  const keys = NAMES.filter((name) => name !== '')
  const log = portalWith(keys)
  for (const [index, key] of keys.entries()) {
    const ids = { projectOrgId: 'acme', projectId: 'portal', userId: key }
    log.record('acme', projectGrantAdded('portal', `org-${100 + index}`, [key]))
    log.record('acme', userGrantAdded(ids, [key]))
  }
  return log
}

const NAMED_TYPES = TYPES.filter((type) => SAMPLES[type].name !== undefined)

/** Objects of each type that have each of {@link NAMES}; the roles lie in the first project, `portal`. */
const namedObjects = async (home: ReadModelHome): Promise<ReadModel> => {
  const log = newLog()
  for (const [index, name] of NAMES.entries()) {
    const id = `portal${index || ''}`
    for (const { added } of ALL_SAMPLES) found(log, 'acme', added(id, name))
  }
  return fedWith(home, log)
}

const namesThat = async <Type extends ViewType>(
  model: ReadModel,
  type: Type,
  conditions: readonly Omit<Condition, 'field'>[],
): Promise<readonly SortValue[]> => {
  const field: string = SAMPLES[type].name ?? ''
  const { items, totalSize } = await model.list({
    ...listOf(type, [{ field, direction: 'asc' }, byIdentity(type)]),
    conditions: conditions.map((condition) => ({ ...condition, field })),
  })
  demandEqual('totalSize', totalSize, items.length)
  return items.map((row) => sortValue(type, field, row))
}

const OPERATORS = ['equals', 'startsWith', 'contains'] as const

/** Conditions that a row alone meets, on every field that rows can be filtered by. */
const conditionsOn = (type: ViewType, row: Row): readonly Condition[] =>
  filterableFields(type).flatMap((field) =>
    OPERATORS.flatMap((operator) =>
      [true, false].map((ignoreCase) => ({
        field,
        operator,
        value: `${row[field] ?? ''}`,
        ignoreCase,
      })),
    ),
  )

/** Kept as names and as keys of roles, in the order of their code points. */
const NAMES = [
  '',
  '%',
  "'",
  '100%',
  '100x',
  'A_B',
  'AxB',
  'Editor',
  '\\',
  '\\%',
  'editor',
  'editors',
  'straße',
  'É',
  'é',
  'ΟΔΟΣ',
  'οδος',
  'οδός',
  '\ud7ff!',
  '\ue000',
  '\uffff!',
  '😀',
  '😀😁',
  '\u{10ffff}',
  '\u{10ffff}\u{10ffff}x',
]

type Sought = readonly [value: string, ignoreCase?: true | undefined]

/** The condition of a case, without a field. */
const conditionOf = ([operator, [value, ignoreCase]]: Case) => ({
  operator,
  value,
  ignoreCase: ignoreCase === true,
})

/** A case in words. */
const nameOf = ([operator, [value, ignoreCase]]: Case): string =>
  `${operator} ${value}${ignoreCase ? ', any case' : ''}`

/** A condition, and the {@link NAMES} that meet it. */
type Case = readonly [Condition['operator'], Sought, readonly string[]]

/** Expected results among {@link NAMES}. */
const CASES: readonly Case[] = [
  ['equals', ['Editor'], ['Editor']],
  ['equals', ['EDITOR'], []],
  ['equals', ['EDITOR', true], ['Editor', 'editor']],
  ['equals', [''], ['']],
  ['equals', ['', true], ['']],
  ['equals', ['STRASSE', true], ['straße']],
  ['equals', ['STRA\u1e9eE', true], ['straße']],
  ['equals', ['e\u0301'], []],
  ['equals', ['É', true], ['É', 'é']],
  ['equals', ['ΟΔΟΣ', true], ['ΟΔΟΣ', 'οδος']],
  ['startsWith', ['edit'], ['editor', 'editors']],
  ['startsWith', ['EDIT', true], ['Editor', 'editor', 'editors']],
  ['startsWith', ['editors', true], ['editors']],
  ['startsWith', [''], NAMES],
  ['startsWith', ['οδος', true], ['ΟΔΟΣ', 'οδος']],
  ['startsWith', ['\ud7ff'], ['\ud7ff!']],
  ['startsWith', ['\uffff'], ['\uffff!']],
  ['startsWith', ['😀'], ['😀', '😀😁']],
  ['startsWith', ['\u{10ffff}'], ['\u{10ffff}', '\u{10ffff}\u{10ffff}x']],
  ['startsWith', ['\u{10ffff}\u{10ffff}', true], ['\u{10ffff}\u{10ffff}x']],
  ['startsWith', ['\ud83d'], []],
  ['contains', ['dit'], ['Editor', 'editor', 'editors']],
  ['contains', ['DITORS', true], ['editors']],
  ['contains', ['DITORS'], []],
  ['contains', [''], NAMES],
  ['contains', ['SS', true], ['straße']],
  ['contains', ['😁'], ['😀😁']],
  ['contains', ['\ude00'], []],
  ['contains', ['%'], ['%', '100%', '\\%']],
  ['startsWith', ['%'], ['%']],
  ['contains', ['_'], ['A_B']],
  ['startsWith', ['a_', true], ['A_B']],
  ['equals', ['100%'], ['100%']],
  ['contains', ['\\'], ['\\', '\\%']],
  ['contains', ["'"], ["'"]],
]
