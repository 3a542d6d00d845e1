import { IdpId, ProjectId } from '../../domain/values.js'
import type { ListQuery, ReadModel, SortKey, Views, ViewType } from '../../ports/read-model.js'
import { compareCodePoints } from '../../projections/code-point-order.js'
import { fieldNamed, identityField, viewFields } from '../../projections/view-fields.js'
import { demandEqual } from '../law.js'
import { fedWith, feed, type ReadModelLaw } from './law.js'
import {
  idpAdded,
  type Log,
  newLog,
  projectAdded,
  projectRemoved,
  roleAdded,
  roleRemoved,
} from './log.js'

const TYPES = ['identity_provider', 'project', 'project_role'] as const
const DIRECTIONS = ['asc', 'desc'] as const
const NAMES = ['b', 'B', 'a', '\ue000', '😀', 'b', 'aa', '']

const listOf = <Type extends ViewType>(
  type: Type,
  sort: readonly SortKey[],
  limit = 1000,
): ListQuery<Type> => ({
  type,
  orgId: 'acme',
  ...(type === 'project_role' ? { projectId: 'portal' } : {}),
  conditions: [],
  sort,
  limit,
})

const byIdentity = (type: ViewType): SortKey => ({ field: identityField[type], direction: 'asc' })

const orders = (type: ViewType): readonly (readonly SortKey[])[] =>
  Object.keys(viewFields[type]).flatMap((field) =>
    DIRECTIONS.flatMap((direction) =>
      DIRECTIONS.map((last) => [
        { field, direction },
        ...(field === identityField[type] ? [] : [{ ...byIdentity(type), direction: last }]),
      ]),
    ),
  )

/** Some of everything, with values that many have in common, in two organizations. */
const manyLog = (): Log => {
  const log = newLog()
  log.record('acme', projectAdded('portal'))
  for (const orgId of ['acme', 'acme2']) {
    for (const [index, name] of NAMES.entries()) {
      const id = `id-${(index * 5) % NAMES.length}`
      log.record(orgId, idpAdded(id, name))
      log.record(orgId, projectAdded(id, name, index % 2 === 0))
      const shown = { displayName: name, group: [...name][0] ?? '' }
      log.record('acme', roleAdded(orgId === 'acme' ? 'portal' : 'id-0', `${name}-${id}`, shown))
    }
  }
  for (const id of ['id-2', 'id-4']) {
    log.record('acme', { type: 'project.deactivated', data: { id: ProjectId.parse(id) } })
    const idpId = IdpId.parse(id)
    log.record('acme', { type: 'identity_provider.deactivated', data: { idpId } })
  }
  return log
}

const isInOrder = <Type extends ViewType>(
  type: Type,
  sort: readonly SortKey[],
  [one, other]: readonly [Views[Type], Views[Type]],
): boolean => {
  for (const { field, direction } of sort) {
    const { of } = fieldNamed<Views[Type]>(viewFields[type], field)
    const [first, second] = direction === 'asc' ? [of(one), of(other)] : [of(other), of(one)]
    if (first === second) continue
    return typeof first === 'string' && typeof second === 'string'
      ? compareCodePoints(first, second) < 0
      : first < second
  }
  return false
}

/** Reads all pages one after the other, with `between` before each but the first. */
const allPages = async <Type extends ViewType>(
  model: ReadModel,
  query: ListQuery<Type>,
  between: () => Promise<void> = async () => {},
): Promise<readonly Views[Type][]> => {
  const fields = query.sort.map(({ field }) =>
    fieldNamed<Views[Type]>(viewFields[query.type], field),
  )
  const rows: Views[Type][] = []
  for (let page = await model.list(query); ; ) {
    rows.push(...page.items)
    const last = page.items.at(-1)
    if (!page.hasMore || last === undefined) return rows
    await between()
    page = await model.list({ ...query, after: fields.map(({ of }) => of(last)) })
  }
}

/** Laws of the order and the pages of `list`. */
export const listLaws: readonly ReadModelLaw[] = [
  {
    name: 'Rows come in the order asked for, by any field in either direction.',
    check: async (home) => {
      const model = await fedWith(home, manyLog())
      for (const type of TYPES) {
        for (const sort of orders(type)) {
          const { items } = await model.list(listOf(type, sort))
          const pairs = items.slice(1).map((row, index) => [items[index] ?? row, row] as const)
          const wrong = pairs.filter((pair) => !isInOrder(type, sort, pair))
          demandEqual(`rows of ${type}`, items.length, type === 'project' ? 9 : 8)
          demandEqual(`${type} by ${JSON.stringify(sort)}`, wrong, [])
        }
      }
    },
  },
  {
    name: 'Pages follow each other without a gap or a repetition, in any order.',
    check: async (home) => {
      const model = await fedWith(home, manyLog())
      for (const type of TYPES) {
        for (const sort of orders(type)) {
          const { items } = await model.list(listOf(type, sort))
          for (const limit of [1, 3, items.length]) {
            const rows = await allPages(model, listOf(type, sort, limit))
            demandEqual(`${type} by ${JSON.stringify(sort)}, ${limit} a page`, rows, items)
          }
        }
      }
    },
  },
  {
    name: 'Several fields decide one after the other.',
    check: async (home) => {
      const model = await fedWith(home, manyLog())
      const sort: readonly SortKey[] = [
        { field: 'state', direction: 'desc' },
        { field: 'projectRoleCheck', direction: 'desc' },
        { field: 'name', direction: 'asc' },
        { field: 'id', direction: 'desc' },
      ]
      const { items } = await model.list(listOf('project', sort))
      const pairs = items.slice(1).map((row, index) => [items[index] ?? row, row] as const)
      const wrong = pairs.filter((pair) => !isInOrder('project', sort, pair))
      demandEqual('rows', [items.length, wrong], [9, []])
      demandEqual('pages', await allPages(model, listOf('project', sort, 2)), items)
    },
  },
  {
    name: 'A page says whether rows follow, how many there are in all, and as of when.',
    check: async (home) => {
      const log = manyLog()
      const model = await fedWith(home, log)
      const conditions = [
        { field: 'displayName', operator: 'startsWith', value: 'b', ignoreCase: true },
      ] as const
      const query = { ...listOf('project_role', [byIdentity('project_role')], 2), conditions }
      const { items, ...first } = await model.list(query)
      const sequence = log.events.at(-1)?.position
      demandEqual('first page', first, { hasMore: true, totalSize: 3, sequence })
      const after = [items.at(-1)?.roleKey ?? '']
      const { items: rest, ...second } = await model.list({ ...query, after, limit: 1 })
      demandEqual('last page', second, { hasMore: false, totalSize: 3, sequence })
      demandEqual('rows', [items.length, rest.length], [2, 1])
    },
  },
  {
    name: 'Rows that come and go between two pages neither hide nor repeat those that stay.',
    check: async (home) => {
      for (const direction of DIRECTIONS) {
        const log = newLog()
        log.record('acme', projectAdded('portal'))
        const stay = ['b', 'd', 'f', 'h', 'j']
        const go = ['c', 'e', 'g', 'i']
        for (const key of [...stay, ...go]) log.record('acme', roleAdded('portal', key))
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
  },
  {
    name: 'A list holds nothing of another organization or project.',
    check: async (home) => {
      const log = manyLog()
      log.record('other', projectAdded('portal'))
      log.record('other', roleAdded('portal', 'stranger'))
      const model = await fedWith(home, log)
      for (const type of TYPES) {
        const query = listOf(type, [byIdentity(type)])
        for (const row of (await model.list(query)).items) {
          demandEqual(`owner of a ${type}`, row.details.resourceOwner, 'acme')
          if ('roleKey' in row) demandEqual('project of a role', row.projectId, 'portal')
        }
        for (const orgId of ['acm', 'acme3', 'ACME', '', 'acme+portal']) {
          const { items, totalSize } = await model.list({ ...query, orgId })
          demandEqual(`${type} of ${orgId}`, [items, totalSize], [[], 0])
        }
      }
    },
  },
  {
    name: 'The roles of a removed project are not listed.',
    check: async (home) => {
      const log = manyLog()
      const model = await fedWith(home, log)
      log.record('acme', projectRemoved('portal'))
      await feed(model, log)
      const roles = listOf('project_role', [byIdentity('project_role')])
      const { items, totalSize } = await model.list(roles)
      demandEqual('its roles', [items, totalSize], [[], 0])
      const others = await model.list({ ...roles, projectId: 'id-0' })
      demandEqual('roles of another project', others.totalSize, 8)
    },
  },
]
