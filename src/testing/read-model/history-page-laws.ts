import type { HistoryQuery, ReadModel } from '../../ports/read-model.js'
import { demandEqual } from '../law.js'
import { found, idp, project, role } from './history-laws.js'
import { fedWith, type ReadModelLaw } from './law.js'
import {
  idpAdded,
  projectAdded,
  projectRemoved,
  roleAdded,
  roleRemoved,
  roleUpdated,
} from './object-samples.js'
import { type Log, newLog } from './sample.js'

/** A project and its roles: `editor` and `writer` are there when it is removed, `reader` is not. */
const endedLog = (): Log => {
  const log = newLog()
  const by = (userId: string) => ({ actor: { userId, orgId: 'acme' } })
  log.record('acme', idpAdded('portal'))
  log.record('acme', projectAdded('portal'))
  log.record('acme', roleAdded('portal', 'editor'), by('u2'))
  log.record('acme', roleAdded('portal', 'reader'))
  log.record('acme', roleRemoved('portal', 'reader'), by('u2'))
  log.record('acme', roleAdded('portal', 'writer'))
  log.record('acme', roleRemoved('portal', 'writer'))
  log.record('acme', roleAdded('portal', 'writer'))
  log.record('acme', roleUpdated('portal', 'editor', { group: 'content' }))
  log.record('acme', projectAdded('shop'))
  log.record('acme', roleAdded('shop', 'editor'))
  log.record('other', projectAdded('portal'))
  log.record('other', roleAdded('portal', 'editor'))
  log.record('acme', projectRemoved('portal'), by('u3'))
  // No decider lets that happen; a read model takes events as facts.
  log.record('acme', roleAdded('portal', 'late'))
  return log
}

const editor = role('portal', 'editor')
const reader = role('portal', 'reader')
const writer = role('portal', 'writer')
const portal = project('portal')
const withRoles = { object: portal, including: 'roles' } as const
const isRemoved = ['project.removed']

/** What is found in {@link endedLog} without roles beside their project, oldest first. */
const ENDED: readonly (readonly [Partial<HistoryQuery>, readonly number[]])[] = [
  [{}, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14]],
  [{ actor: 'u2' }, [2, 4]],
  [{ object: idp('portal') }, [0]],
  [{ object: portal }, [1, 13]],
  [{ object: editor }, [2, 8, 13]],
  [{ object: reader }, [3, 4]],
  [{ object: writer }, [5, 6, 7, 13]],
  [{ object: role('portal', 'nobody') }, []],
  [{ object: role('portal', 'late') }, [14]],
  [{ object: role('shop', 'editor') }, [10]],
  [{ object: editor, orgId: 'other' }, [12]],
  [{ object: editor, actor: 'u3' }, [13]],
  [{ object: editor, actor: 'u2' }, [2]],
  [{ object: reader, actor: 'u3' }, []],
  [{ object: editor, types: isRemoved }, [13]],
  [{ object: reader, types: isRemoved }, []],
  [{ object: writer, types: ['project_role.added', ...isRemoved] }, [5, 7, 13]],
]

/** What is found of projects and their roles. */
const WITH_ROLES: typeof ENDED = [
  [withRoles, [1, 2, 3, 4, 5, 6, 7, 8, 13, 14]],
  [{ ...withRoles, object: project('shop') }, [9, 10]],
  [{ ...withRoles, object: project('nothing') }, []],
  [{ ...withRoles, orgId: 'other' }, [11, 12]],
  [{ ...withRoles, actor: 'u2' }, [2, 4]],
  [{ ...withRoles, types: ['project_role.removed', ...isRemoved] }, [4, 6, 13]],
]

const nameOf = (query: Partial<HistoryQuery>): string =>
  JSON.stringify(query, (_, value) => (typeof value === 'bigint' ? String(value) : value))

/** Pages of `limit` entries, each begun where the one before ended; no more than `log` has, should they never end. */
const paged = async (
  model: ReadModel,
  log: Log,
  query: Partial<HistoryQuery> & Pick<HistoryQuery, 'limit'>,
): Promise<readonly number[]> => {
  const all: number[] = []
  let bounds: Partial<HistoryQuery> = {}
  while (all.length <= log.events.length) {
    const page = await found(model, log, { ...query, ...bounds })
    all.push(...page)
    const last = log.events[page.at(-1) ?? -1]?.position
    if (last === undefined || page.length < query.limit) break
    bounds = query.order === 'desc' ? { before: last } : { after: last }
  }
  return all
}

/** Laws of the order of `history`, its bounds and its pages, and of where a role and a project end. */
export const historyPageLaws: readonly ReadModelLaw[] = [
  {
    name: 'The removal of a project is the end of each role that is there, in its history too.',
    check: async (home) => {
      const log = endedLog()
      const model = await fedWith(home, log)
      for (const [query, places] of ENDED) {
        demandEqual(nameOf(query), await found(model, log, query), places)
      }
    },
  },
  {
    name: 'The entry that ends a role with its project is that of the project.',
    check: async (home) => {
      const model = await fedWith(home, endedLog())
      const entries = await model.history({ orgId: 'acme', object: editor, after: 0n, limit: 10 })
      const end = entries.at(-1)
      demandEqual('object', end?.object, portal)
      demandEqual('type', end?.type, 'project.removed')
      demandEqual('actor', end?.actor, { userId: 'u3', orgId: 'acme' })
      demandEqual('changes', end?.changes, [{ field: 'state', from: 'active', to: 'removed' }])
    },
  },
  {
    name: 'The history of a project may include that of all its roles, each entry once.',
    check: async (home) => {
      const log = endedLog()
      const model = await fedWith(home, log)
      for (const [query, places] of WITH_ROLES) {
        demandEqual(nameOf(query), await found(model, log, query), places)
      }
    },
  },
  {
    name: 'History comes oldest first, or newest first where that is asked for.',
    check: async (home) => {
      const log = endedLog()
      const model = await fedWith(home, log)
      for (const [query, places] of [...ENDED, ...WITH_ROLES]) {
        const name = nameOf(query)
        demandEqual(`${name}, asc`, await found(model, log, { ...query, order: 'asc' }), places)
        const newestFirst = await found(model, log, { ...query, order: 'desc' })
        demandEqual(`${name}, desc`, newestFirst, places.toReversed())
      }
    },
  },
  {
    name: 'Pages of history follow each other in both orders and are full but for the last.',
    check: async (home) => {
      const log = endedLog()
      const model = await fedWith(home, log)
      for (const [query, places] of [...ENDED, ...WITH_ROLES]) {
        for (const limit of [1, 2, 3]) {
          const name = `${nameOf(query)} by ${limit}`
          demandEqual(name, await paged(model, log, { ...query, limit }), places)
          const newestFirst = await paged(model, log, { ...query, order: 'desc', limit })
          demandEqual(`${name}, desc`, newestFirst, places.toReversed())
        }
      }
    },
  },
  {
    name: 'History lies above `after` and below `before`, both exclusive, in both orders.',
    check: async (home) => {
      const log = endedLog()
      const model = await fedWith(home, log)
      const at = (place: number) => log.events[place]?.position ?? 0n
      const bounds: readonly (readonly [Partial<HistoryQuery>, readonly number[]])[] = [
        [{ before: at(2) }, [0, 1]],
        [{ before: at(2) + 1n }, [0, 1, 2]],
        [{ after: at(2), before: at(5) }, [3, 4]],
        [{ after: at(2), before: at(3) }, []],
        [{ after: at(5), before: at(2) }, []],
        [{ object: editor, before: at(13) }, [2, 8]],
        [{ object: editor, before: at(13) + 1n, after: at(8) }, [13]],
        [{ object: editor, after: at(13) }, []],
        [{ ...withRoles, after: at(4), before: at(8) }, [5, 6, 7]],
        // More than 64 bits hold: callers choose it.
        [{ object: portal, before: 2n ** 64n }, [1, 13]],
        [{ object: portal, before: -(2n ** 64n) }, []],
        [{ object: portal, after: -(2n ** 64n), before: 2n ** 64n }, [1, 13]],
      ]
      for (const [query, places] of bounds) {
        demandEqual(nameOf(query), await found(model, log, query), places)
        const newestFirst = await found(model, log, { ...query, order: 'desc' })
        demandEqual(`${nameOf(query)}, desc`, newestFirst, places.toReversed())
      }
      const last = { before: at(9), order: 'desc', limit: 2 } as const
      demandEqual('the last below', await found(model, log, last), [8, 7])
    },
  },
]
