import type { HoldersQuery } from '../../ports/access-reads.js'
import { timeOf } from '../../ports/event-store.js'
import type { FieldChange, HistoryQuery, ReadModel } from '../../ports/read-model.js'
import { demandEqual, lawsOf } from '../law.js'
import {
  expectedAt,
  grantOf,
  NOW,
  nameOf,
  namesOf,
  projectGrantAdded,
  type Roles,
  storyLog,
  userGrantAdded,
  userGrantDeactivated,
  userGrantRemoved,
  userGrantUpdated,
} from './grant-samples.js'
import { fedWith, type Log, newLog, type ReadModelHome } from './harness.js'
import { mappingAdded } from './mapping-samples.js'
import {
  idpAdded,
  idpRemoved,
  projectAdded,
  projectRemoved,
  roleAdded,
  roleRemoved,
  roleUpdated,
} from './object-samples.js'
import { idp, logBefore, play, project, role, SCENARIOS } from './samples.js'

/** Laws of `history`, and of queries about one user or all projects of an organization. */
export const historyLaws = lawsOf<ReadModelHome>({
  'An entry says who did what to which object, when, and why.': async (home) => {
    const log = newLog()
    const actor = { userId: 'u2', orgId: 'partner' }
    log.record('acme', projectAdded('portal'))
    const recorded = [
      log.record('acme', roleAdded('portal', 'editor'), { actor }),
      log.record('acme', roleRemoved('portal', 'editor'), { correlationId: 'c1' }),
      log.record('acme', roleAdded('portal', 'editor'), { reason: 'ticket 4711' }),
    ]
    const object = role('portal', 'editor')
    const entries = await (await fedWith(home, log)).history({ ...ALL, object })
    demandEqual(
      'entries',
      entries.map(({ changes: _, ...entry }) => entry),
      recorded.map(({ position, type, metadata: { actor, correlationId, reason } }) => {
        const when = { sequence: position, time: timeOf(position) }
        return { ...when, actor, type, object, correlationId, reason }
      }),
    )
  },
  'An entry says what changed, from what to what; of a secret, only that it did.': async (home) => {
    for (const scenario of SCENARIOS) {
      const log = logBefore(scenario)
      const moments = play(log, scenario)
      const object = scenario.ref
      const entries = await (await fedWith(home, log)).history({ ...ALL, object })
      demandEqual(
        `history of a ${object.type}`,
        entries.map(({ type, changes }) => [type, byField(changes)]),
        moments.map(({ event, changes }) => [event.type, byField(changes)]),
      )
    }
  },
  'The history of an organization has only its own entries, oldest first, including removed objects.':
    (home) =>
      demandFound(home, busyLog(), [
        [{}, [0, 2, 3, 4, 5, 7]],
        [{ orgId: 'other' }, [1, 6]],
        [{ orgId: 'acm' }, []],
      ]),
  'History is found by object, actor and types, which must all match.': (home) => {
    const object = role('portal', 'editor')
    const types = ['project_role.added', 'project.removed']
    return demandFound(home, busyLog(), [
      [{ object }, [2, 4, 5, 7]],
      [{ object, orgId: 'other' }, [6]],
      [{ actor: 'u2' }, [2, 5]],
      [{ types }, [2, 3, 5, 7]],
      [{ types: [] }, []],
      [{ actor: 'u1', types }, [3, 7]],
      [{ object, actor: 'u1', types }, [7]],
    ])
  },
  'Objects with similar names have separate histories.': (home) =>
    demandFound(home, alikeLog(), ALIKE),
  'A page of history begins after a position, exclusive, and ends at its limit.': (home) => {
    const log = busyLog()
    const after = log.events[2]?.position ?? 0n
    return demandFound(home, log, [
      [{ after }, [3, 4, 5, 7]],
      [{ after: after - 1n }, [2, 3, 4, 5, 7]],
      [{ after, limit: 2 }, [3, 4]],
      [{ after, limit: 1, actor: 'u2' }, [5]],
      // More than 64 bits hold: callers choose it.
      [{ after: 2n ** 64n }, []],
      [{ after: -(2n ** 64n), limit: 1 }, [0]],
    ])
  },
  'The removal of a project ends the history of each role that exists.': (home) =>
    demandFound(home, endedLog(), ENDED),
  'The entry that ends a role with its project names the project.': async (home) => {
    const model = await fedWith(home, endedLog())
    const entries = await model.history({ orgId: 'acme', object: editor, after: 0n, limit: 10 })
    const end = entries.at(-1)
    demandEqual('object', end?.object, portal)
    demandEqual('type', end?.type, 'project.removed')
    demandEqual('actor', end?.actor, { userId: 'u3', orgId: 'acme' })
    demandEqual('changes', end?.changes, [{ field: 'state', from: 'active', to: 'removed' }])
  },
  'The history of a project can include the history of all its roles, each entry once.': (home) =>
    demandFound(home, endedLog(), WITH_ROLES),
  'History comes oldest first, or newest first on request.': (home) =>
    demandFound(home, endedLog(), inBothOrders([...ENDED, ...WITH_ROLES])),
  'Pages of history follow each other in both orders, and only the last may be short.': async (
    home,
  ) => {
    const log = endedLog()
    const model = await fedWith(home, log)
    for (const [query, places] of inBothOrders([...ENDED, ...WITH_ROLES]))
      for (const limit of [1, 2, 3])
        demandEqual(
          `${textOf(query)} by ${limit}`,
          await paged(model, log, { ...query, limit }),
          places,
        )
  },
  'History lies above `after` and below `before`, both exclusive, in both orders.': (home) => {
    const log = endedLog()
    const at = (place: number) => log.events[place]?.position ?? 0n
    const bounds: Cases = [
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
    const last = { before: at(9), order: 'desc', limit: 2 } as const
    return demandFound(home, log, [...bounds, ...inBothOrders(bounds), [last, [8, 7]]])
  },
  'The roles of a user at a position are the roles right after its event.': async (home) => {
    const log = storyLog()
    const model = await fedWith(home, log)
    for (const [index, { position }] of log.events.entries())
      for (const [orgId, userId] of [
        ['acme', 'ann'],
        ['globex', 'bob'],
        ['globex', 'cid'],
      ] as const)
        for (const at of [position, position + 1n]) {
          const { items } = await model.heldRoles({ ...NOW, orgId, userId, at })
          const own = items.filter(({ projectOrgId }) => projectOrgId === 'acme')
          demandEqual(
            `roles of ${userId} at event ${index}`,
            own.map(({ roleKey }) => `${roleKey} ${orgId}/${userId}`),
            expectedAt(index).filter((name) => name.endsWith(` ${orgId}/${userId}`)),
          )
        }
  },
  'Holders are found by user, in all organizations.': async (home) => {
    const log = newLog()
    log.record('acme', projectAdded('portal'))
    log.record('acme', roleAdded('portal', 'reader'))
    log.record('acme', projectGrantAdded('portal', 'globex', ['reader']))
    for (const [orgId, userId] of [
      ['acme', 'ann'],
      ['globex', 'ann'],
      ['globex', 'bob'],
      ['globex', 'Ann'],
    ] as const)
      log.record(orgId, userGrantAdded(grantOf(userId), ['reader']))
    const model = await fedWith(home, log)
    const at = log.events.at(-1)?.position ?? 0n
    for (const moment of [{}, { at }]) {
      const found = await namesOf(model, { ...moment, userId: 'ann' })
      demandEqual('holders called ann', found, ['reader acme/ann', 'reader globex/ann'])
      demandEqual('holders called an', await namesOf(model, { ...moment, userId: 'an' }), [])
    }
  },
  'Holders in all projects are listed for the projects of one organization, by project, page by page.':
    async (home) => {
      const { log, all } = projectsLog()
      const model = await fedWith(home, log)
      const find = async (query: Partial<HoldersQuery>) => {
        const { items } = await model.holders({ ...NOW, orgId: 'acme', ...query })
        return items.map((holder) => `${holder.projectId} ${nameOf(holder)}`)
      }
      const present = [
        'portal reader acme/ann',
        'portal reader acme/bob',
        'portal writer acme/ann',
        'shop reader acme/ann',
      ]
      demandEqual('holders', await find({}), present)
      demandEqual('at a position', await find({ at: all }), [...present, 'shop writer acme/ann'])
      demandEqual('of one user', await find({ userId: 'bob' }), ['portal reader acme/bob'])
      demandEqual('of one role', await find({ roleKey: 'writer' }), ['portal writer acme/ann'])
      for (const [index, name] of present.entries()) {
        const [projectId = '', roleKey = '', holder = ''] = name.split(' ')
        const [orgId = '', userId = ''] = holder.split('/')
        const after = [projectId, roleKey, orgId, '', '', '', userId] as const
        const next = present.slice(index + 1, index + 2)
        demandEqual(`after ${name}`, await find({ after, limit: 1 }), next)
      }
    },
  'The history of a user is the history of the grants of the user in one organization, including removed ones.':
    async (home) => {
      const log = usersLog()
      const model = await fedWith(home, log)
      const ofAnn = [4, 6, 9, 10, 12, 13]
      demandEqual('history of ann', await found(model, log, { user: 'ann' }), ofAnn)
      demandEqual('of b+ann', await found(model, log, { user: 'b+ann' }), [5])
      demandEqual('of Ann', await found(model, log, { user: 'Ann' }), [7])
      demandEqual('of an', await found(model, log, { user: 'an' }), [])
      demandEqual('elsewhere', await found(model, log, { user: 'ann', orgId: 'other' }), [8])
      const newest = { user: 'ann', order: 'desc', limit: 2 } as const
      demandEqual('the newest', await found(model, log, newest), [13, 12])
      const types = ['user_grant.added']
      demandEqual('by type', await found(model, log, { user: 'ann', types }), [4, 6, 13])
      const after = log.events[6]?.position ?? 0n
      demandEqual('by place', await found(model, log, { user: 'ann', after }), ofAnn.slice(2))
    },
  'The history of a project has its roles, its grants and the mappings to its roles, and no other changes.':
    async (home) => {
      const log = portalLog()
      const model = await fedWith(home, log)
      const portal = { projectOrgId: 'acme', projectId: 'portal' }
      const ofPortal = [0, 1, 2, 3, 4, 6, 7, 8]
      demandEqual('all', await found(model, log, { project: portal }), ofPortal)
      const newest = { project: portal, order: 'desc', limit: 2 } as const
      demandEqual('the newest', await found(model, log, newest), [8, 7])
      const types = ['user_grant.added']
      demandEqual('by type', await found(model, log, { project: portal, types }), [3, 4])
      demandEqual('of ann', await found(model, log, { project: portal, user: 'ann' }), [3, 7])
      demandEqual('of bob', await found(model, log, { project: portal, user: 'bob' }), [4])
      const received = { ...portal, projectOrgId: 'other' }
      demandEqual('received', await found(model, log, { project: received }), [13, 14])
      demandEqual('its own', await found(model, log, { project: received, orgId: 'other' }), [15])
      const none = { ...portal, projectId: 'port' }
      demandEqual('no project', await found(model, log, { project: none }), [])
    },
})

/** All that happened in the organization `acme`. */
export const ALL = { orgId: 'acme', after: 0n, limit: 1000 } as const

/** The places in `log` of the entries found, in the order in which they are found. */
const found = async (
  model: ReadModel,
  log: Log,
  query: Partial<HistoryQuery>,
): Promise<readonly number[]> => {
  const entries = await model.history({ ...ALL, ...query })
  return entries.map(({ sequence }) =>
    log.events.findIndex(({ position }) => position === sequence),
  )
}

/** A project, others whose names begin with its own, and one with its id of another organization. */
const portalLog = (): Log => {
  const log = newLog()
  const bob = { ...grantOf('bob'), resource: 'a/b' }
  const staff = { idpId: 'idp', group: 'staff', projectId: 'portal', projectOrgId: 'acme' }
  const likeIt = { ...staff, group: 'x+acme+portal+y', projectId: 'portal2' }
  const received = { projectId: 'portal', projectOrgId: 'other' }
  log.record('acme', projectAdded('portal'))
  log.record('acme', roleAdded('portal', 'reader'))
  log.record('acme', projectGrantAdded('portal', 'partner', ['reader']))
  log.record('acme', userGrantAdded(grantOf('ann'), ['reader']))
  log.record('acme', userGrantAdded(bob, ['reader']))
  log.record('acme', idpAdded('idp'))
  log.record('acme', mappingAdded(staff, ['reader']))
  log.record('acme', userGrantRemoved(grantOf('ann')))
  log.record('acme', roleRemoved('portal', 'reader'))
  log.record('acme', projectAdded('portal2'))
  log.record('acme', roleAdded('portal2', 'reader'))
  log.record('acme', userGrantAdded({ ...bob, projectId: 'portal2' }, ['reader']))
  log.record('acme', mappingAdded(likeIt, ['reader']))
  log.record('acme', userGrantAdded({ ...received, userId: 'ann' }, ['reader']))
  log.record('acme', mappingAdded({ ...staff, ...received }, ['reader']))
  log.record('other', projectAdded('portal'))
  return log
}

/** The order of changes has no meaning. */
const byField = (changes: readonly FieldChange[]) =>
  changes.toSorted((one, other) => (one.field < other.field ? -1 : 1))

/** Two organizations; in one of them two users change a project and two roles. */
const busyLog = (): Log => {
  const log = newLog()
  const byAnother = { actor: { userId: 'u2', orgId: 'partner' }, correlationId: 'c1' }
  log.record('acme', projectAdded('portal'))
  log.record('other', projectAdded('portal'), byAnother)
  log.record('acme', roleAdded('portal', 'editor'), byAnother)
  log.record('acme', roleAdded('portal', 'reader'))
  log.record('acme', roleRemoved('portal', 'editor'))
  log.record('acme', roleAdded('portal', 'editor'), byAnother)
  log.record('other', roleAdded('portal', 'editor'))
  log.record('acme', projectRemoved('portal'))
  return log
}

/** Objects and users that differ in their type, one of their names or its case alone. */
const alikeLog = (): Log => {
  const log = newLog()
  const by = (userId: string) => ({ actor: { userId, orgId: 'acme' } })
  log.record('acme', idpAdded('portal'), by('u2'))
  log.record('acme', projectAdded('portal'), by('U2'))
  log.record('acme', roleAdded('portal', 'editor'), by('u22'))
  log.record('acme', roleAdded('portal', 'Editor'))
  log.record('acme', projectAdded('portal2'))
  log.record('acme', roleAdded('portal2', 'editor'))
  log.record('acme', idpAdded('Portal'))
  log.record('acme', projectAdded('Portal'))
  log.record('acme', idpRemoved('portal'), by('u2'))
  log.record('acme', projectRemoved('portal'))
  return log
}

/** Queries, and the places of what they find, oldest first. */
type Cases = readonly (readonly [Partial<HistoryQuery>, readonly number[]])[]

/** Demands that a model with `log` finds what the cases say. */
const demandFound = async (home: ReadModelHome, log: Log, cases: Cases): Promise<void> => {
  const model = await fedWith(home, log)
  for (const [query, places] of cases)
    demandEqual(textOf(query), await found(model, log, query), places)
}

const textOf = (query: Partial<HistoryQuery>): string =>
  JSON.stringify(query, (_, value) => (typeof value === 'bigint' ? String(value) : value))

const inBothOrders = (cases: Cases): Cases =>
  cases.flatMap(([query, places]) => [
    [{ ...query, order: 'asc' }, places],
    [{ ...query, order: 'desc' }, places.toReversed()],
  ])

/** Expected results in {@link alikeLog}. */
const ALIKE: Cases = [
  [{ object: idp('portal') }, [0, 8]],
  [{ object: idp('Portal') }, [6]],
  [{ object: idp('portal2') }, []],
  [{ object: project('portal') }, [1, 9]],
  [{ object: project('portal2') }, [4]],
  [{ object: project('Portal') }, [7]],
  [{ object: project('portal'), including: 'roles' }, [1, 2, 3, 9]],
  [{ object: project('portal2'), including: 'roles' }, [4, 5]],
  [{ object: project('Portal'), including: 'roles' }, [7]],
  // Both end with their project.
  [{ object: role('portal', 'editor') }, [2, 9]],
  [{ object: role('portal', 'Editor') }, [3, 9]],
  [{ object: role('portal2', 'editor') }, [5]],
  [{ actor: 'u2' }, [0, 8]],
  [{ actor: 'U2' }, [1]],
  [{ actor: 'u22' }, [2]],
  [{ actor: 'u' }, []],
  [{ types: ['project.added'] }, [1, 4, 7]],
  [{ types: ['project', 'Project.added', 'ed'] }, []],
]

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

/** Expected results in {@link endedLog} without the roles of projects, oldest first. */
const ENDED: Cases = [
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

/** Expected results for projects and their roles. */
const WITH_ROLES: Cases = [
  [withRoles, [1, 2, 3, 4, 5, 6, 7, 8, 13, 14]],
  [{ ...withRoles, object: project('shop') }, [9, 10]],
  [{ ...withRoles, object: project('nothing') }, []],
  [{ ...withRoles, orgId: 'other' }, [11, 12]],
  [{ ...withRoles, actor: 'u2' }, [2, 4]],
  [{ ...withRoles, types: ['project_role.removed', ...isRemoved] }, [4, 6, 13]],
]

/** Pages of `limit` entries, each from the end of the one before; at most as many as `log` has events. */
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

/** Two projects of `acme`, and two projects that other organizations grant to it. */
const projectsLog = (): { readonly log: Log; readonly all: bigint } => {
  const log = newLog()
  const give = (orgId: string, projectId: string, userId: string, roles: Roles) =>
    log.record('acme', userGrantAdded({ userId, projectId, projectOrgId: orgId }, roles)).position
  for (const [orgId, projectId] of [
    ['acme', 'shop'],
    ['acme', 'portal'],
    ['acme2', 'portal'],
    ['other', 'portal'],
  ] as const) {
    log.record(orgId, projectAdded(projectId))
    log.record(orgId, roleAdded(projectId, 'reader'))
    log.record(orgId, roleAdded(projectId, 'writer'))
    if (orgId !== 'acme')
      log.record(orgId, projectGrantAdded(projectId, 'acme', ['reader', 'writer']))
    give(orgId, projectId, 'ann', ['reader', 'writer'])
  }
  const all = give('acme', 'portal', 'bob', ['reader'])
  log.record('acme', roleRemoved('shop', 'writer'))
  return { log, all }
}

/** Grants of users whose names are parts of each other, in two organizations, and their changes. */
const usersLog = (): Log => {
  const log = newLog()
  const shop = { projectId: 'shop', projectOrgId: 'acme' }
  for (const projectId of ['portal', 'shop']) {
    log.record('acme', projectAdded(projectId))
    log.record('acme', roleAdded(projectId, 'reader'))
  }
  log.record('acme', userGrantAdded(grantOf('ann'), ['reader']))
  log.record('acme', userGrantAdded(grantOf('b+ann'), ['reader']))
  log.record('acme', userGrantAdded({ ...shop, userId: 'ann' }, ['reader']))
  log.record('acme', userGrantAdded({ ...shop, userId: 'Ann' }, ['reader']))
  log.record('other', userGrantAdded(grantOf('ann'), ['reader']))
  log.record('acme', userGrantUpdated(grantOf('ann'), [['reader', '2031-01-01T00:00:00.000Z']]))
  log.record('acme', userGrantDeactivated({ ...shop, userId: 'ann' }))
  log.record('acme', projectRemoved('shop'))
  log.record('acme', userGrantRemoved(grantOf('ann')))
  log.record('acme', userGrantAdded(grantOf('ann'), ['reader']))
  log.record('acme', projectAdded('ann'))
  return log
}
