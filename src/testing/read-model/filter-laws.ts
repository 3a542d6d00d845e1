import type { Condition, ReadModel, SortValue, ViewType } from '../../ports/read-model.js'
import { demandEqual, demandRejection, lawsOf } from '../law.js'
import { projectGrantAdded, userGrantAdded } from './grant-samples.js'
import { fedWith, type Log, newLog, type ReadModelHome } from './harness.js'
import type { Row } from './object-samples.js'
import {
  ALL_SAMPLES,
  byIdentity,
  listOf,
  logBefore,
  play,
  portalWith,
  ROLES,
  SAMPLES,
  SCENARIOS,
  sortValue,
  TYPES,
} from './samples.js'

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

/** The types of objects that have names. */
const NAMED_TYPES = TYPES.filter((type) => SAMPLES[type].name !== undefined)

/** Objects of each type that have each of {@link NAMES}; the roles lie in the first project, `portal`. */
const namedObjects = async (home: ReadModelHome): Promise<ReadModel> => {
  const log = newLog()
  for (const [index, name] of NAMES.entries()) {
    const id = `portal${index || ''}`
    for (const { added } of ALL_SAMPLES) log.record('acme', added(id, name))
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
  SAMPLES[type].filterFields.flatMap((field) =>
    OPERATORS.flatMap((operator) =>
      [true, false].map((ignoreCase) => ({
        field,
        operator,
        value: `${row[field] ?? ''}`,
        ignoreCase,
      })),
    ),
  )

/** Laws of the conditions of `list`. */
export const filterLaws = lawsOf<ReadModelHome>({
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
})

/** Kept as names and as keys of roles, in the order of their code points. */
export const NAMES = [
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
export const conditionOf = ([operator, [value, ignoreCase]]: Case) => ({
  operator,
  value,
  ignoreCase: ignoreCase === true,
})

/** A case in words. */
export const nameOf = ([operator, [value, ignoreCase]]: Case): string =>
  `${operator} ${value}${ignoreCase ? ', any case' : ''}`

/** A condition, and the {@link NAMES} that meet it. */
export type Case = readonly [Condition['operator'], Sought, readonly string[]]

/** Expected results among {@link NAMES}. */
export const CASES: readonly Case[] = [
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
