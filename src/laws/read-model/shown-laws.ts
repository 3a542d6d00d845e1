import type { AnyEvent } from '../../domain/aggregates.js'
import type { ProjectRole } from '../../domain/project-role/aggregate.js'
import type { Condition, HistoryQuery, ListQuery, ReadModel } from '../../ports/read-model.js'
import { demandEqual, lawsOf } from '../law.js'
import { found } from './founding.js'
import {
  grantOf,
  projectGrantAdded,
  projectGrantRemoved,
  storyLog,
  userGrantAdded,
  userGrantUpdated,
} from './grant-samples.js'
import { afterEach, type Circumstances, fedWith, newLog, type ReadModelHome } from './harness.js'
import {
  projectAdded,
  projectRemoved,
  roleAdded,
  roleRemoved,
  roleUpdated,
} from './object-samples.js'
import { listOf, project, ROLES, role } from './samples.js'

const USER_GRANTS = { ...listOf('user_grant'), orgId: 'globex' }

const RECEIVED: ListQuery<'project_grant'> = {
  type: 'project_grant',
  orgId: 'globex',
  isReceived: true,
  conditions: [],
  sort: [
    { field: 'projectOrgId', direction: 'asc' },
    { field: 'projectId', direction: 'asc' },
  ],
  limit: 1000,
}

/** The keys of the roles in `bob`'s grant and in the project's grant. */
const shownIn = async (model: ReadModel): Promise<string> => {
  const user = await model.get<'user_grant'>('globex', { type: 'user_grant', ...grantOf('bob') })
  const granted = await model.get<'project_grant'>('acme', {
    type: 'project_grant',
    projectId: 'portal',
    grantedOrgId: 'globex',
  })
  const roles = [user?.roles.map(({ roleKey }) => roleKey), granted?.roleKeys]
  return roles.map((keys) => keys?.join(' ') ?? 'no grant').join(', ')
}

/** The results of {@link shownIn} after events of the story: the last of each type by an organization. */
const SHOWN: ReadonlyMap<number, string> = new Map([
  [11, 'reader writer, reader writer'],
  [19, 'reader writer, reader writer'],
  [20, 'writer, writer'],
  [21, 'writer, writer'],
  [23, ', reader'],
  [24, ', reader writer'],
  [26, 'reader, reader writer'],
  [27, ', no grant'],
  [28, ', reader writer'],
  [31, 'no grant, reader writer'],
  [32, 'writer, reader writer'],
  [34, 'no grant, no grant'],
])

/** Grants of three owners to `globex` and to others, each with the roles `reader` and `writer`. */
const granted = () => {
  const log = newLog()
  for (const [orgId, projectId, grantedOrgId] of [
    ['b', 'two', 'globex'],
    ['b', 'one', 'globex'],
    ['a', 'two', 'globex'],
    ['c', 'one', 'initech'],
    ['c', 'two', 'globex'],
  ] as const)
    found(log, orgId, projectGrantAdded(projectId, grantedOrgId, ['reader', 'writer']))
  return log
}

const placesOf = (
  items: readonly { readonly projectOrgId: string; readonly projectId: string }[],
) => items.map(({ projectOrgId, projectId }) => `${projectOrgId}/${projectId}`)

/** Laws of the roles that grants show. */
export const shownLaws = lawsOf<ReadModelHome>({
  'A grant shows its recorded roles that have not ended; a role that ended never comes back.': (
    home,
  ) =>
    afterEach(home, storyLog(), async (model, index) => {
      const shown = SHOWN.get(index)
      if (shown !== undefined)
        demandEqual(`shown after event ${index}`, await shownIn(model), shown)
    }),
  'Grants of a project, and of its roles to users of any organization, are removed with it.':
    async (home) => {
      const log = newLog()
      for (const orgId of ['acme', 'other']) {
        log.record(orgId, projectAdded('portal'))
        log.record(orgId, roleAdded('portal', 'reader'))
        log.record(orgId, projectGrantAdded('portal', 'globex', ['reader']))
      }
      log.record('other', projectGrantAdded('portal', 'acme', ['reader']))
      for (const projectOrgId of ['acme', 'other'])
        for (const orgId of ['acme', 'globex'])
          log.record(orgId, userGrantAdded({ ...grantOf('bob'), projectOrgId }, ['reader']))
      found(log, 'globex', userGrantAdded({ ...grantOf('bob'), projectId: 'portal2' }, ['reader']))
      log.record('acme', projectRemoved('portal'))
      const model = await fedWith(home, log)
      for (const [orgId, left] of [
        ['acme', ['other/portal']],
        ['globex', ['acme/portal2', 'other/portal']],
      ] as const) {
        const { items, totalSize } = await model.list({ ...USER_GRANTS, orgId })
        demandEqual(
          `grants to users of ${orgId}`,
          [placesOf(items), totalSize],
          [left, left.length],
        )
      }
      demandEqual('received', placesOf((await model.list(RECEIVED)).items), [
        'acme/portal2',
        'other/portal',
      ])
    },
  'Received grants are listed across all owners, page by page, in any order.': async (home) => {
    const model = await fedWith(home, granted())
    const all = ['a/two', 'b/one', 'b/two', 'c/two']
    const { items, totalSize } = await model.list(RECEIVED)
    demandEqual('received', [placesOf(items), totalSize], [all, 4])
    const [first] = items
    demandEqual(
      'the first',
      { ...first, details: first?.details.resourceOwner },
      {
        projectId: 'two',
        projectOrgId: 'a',
        grantedOrgId: 'globex',
        roleKeys: ['reader', 'writer'],
        state: 'active',
        details: 'a',
      },
    )
    const pages: string[] = []
    for (const { projectOrgId, projectId } of items) {
      const after = [projectOrgId, projectId]
      const page = await model.list({ ...RECEIVED, after, limit: 1 })
      pages.push(...placesOf(page.items))
    }
    demandEqual('page by page', pages, all.slice(1))
    const sort = [{ field: 'sequence', direction: 'desc' } as const, ...RECEIVED.sort]
    const newest = await model.list({ ...RECEIVED, sort })
    demandEqual('newest first', placesOf(newest.items), ['c/two', 'a/two', 'b/one', 'b/two'])
    const one: Condition = {
      field: 'roleKey',
      operator: 'equals',
      value: 'reader',
      ignoreCase: false,
    }
    const byRole = await model.list({ ...RECEIVED, conditions: [one] })
    demandEqual('by role', byRole.totalSize, 4)
    const none = await model.list({ ...RECEIVED, orgId: 'nobody' })
    demandEqual('of nobody', [none.items, none.totalSize], [[], 0])
  },
  'Grants are found by the key of any of the roles that they show.': async (home) => {
    const log = newLog()
    for (const [userId, roles] of [
      ['u1', ['Reader', 'writer']],
      ['u2', ['reader_2']],
      ['u3', ['straße']],
      ['u4', ['gone']],
    ] as const)
      found(log, 'globex', userGrantAdded(grantOf(userId), roles))
    log.record('acme', roleRemoved('portal', 'gone'))
    found(log, 'globex', userGrantUpdated(grantOf('u3'), ['straße', 'READER']))
    const model = await fedWith(home, log)
    const cases: readonly (readonly [Condition['operator'], string, boolean, readonly string[]])[] =
      [
        ['equals', 'Reader', false, ['u1']],
        ['equals', 'READER', true, ['u1', 'u3']],
        ['equals', 'writer', false, ['u1']],
        ['equals', 'gone', false, []],
        ['startsWith', 'reader', false, ['u2']],
        ['startsWith', 'reader', true, ['u1', 'u2', 'u3']],
        ['contains', '_', false, ['u2']],
        ['contains', 'STRASSE', true, ['u3']],
        ['contains', '', false, ['u1', 'u2', 'u3']],
      ]
    for (const [operator, value, ignoreCase, expected] of cases) {
      const conditions = [{ field: 'roleKey', operator, value, ignoreCase }]
      const { items, totalSize } = await model.list({ ...USER_GRANTS, conditions })
      const found = items.map(({ userId }) => userId)
      demandEqual(`${operator} ${value}`, [found, totalSize], [expected, expected.length])
    }
  },
  'The history of a project with its roles leaves out its grants, whose history ends with the project.':
    async (home) => {
      const log = newLog()
      log.record('acme', projectAdded('portal'))
      log.record('acme', roleAdded('portal', 'reader'))
      log.record('acme', projectGrantAdded('portal', 'globex', ['reader']))
      log.record('acme', projectRemoved('portal'))
      const model = await fedWith(home, log)
      const typesOf = async (query: Pick<HistoryQuery, 'object' | 'including'>) => {
        const entries = await model.history({ orgId: 'acme', after: 0n, limit: 1000, ...query })
        return entries.map(({ type }) => type)
      }
      demandEqual('with roles', await typesOf({ object: project('portal'), including: 'roles' }), [
        'project.added',
        'project_role.added',
        'project.removed',
      ])
      const grant = { type: 'project_grant', projectId: 'portal', grantedOrgId: 'globex' } as const
      demandEqual('of the grant', await typesOf({ object: grant }), [
        'project_grant.added',
        'project.removed',
      ])
    },
  'A removed grant of a project is listed on neither side.': async (home) => {
    const log = granted()
    log.record('b', projectGrantRemoved('one', 'globex'))
    const model = await fedWith(home, log)
    demandEqual('received', placesOf((await model.list(RECEIVED)).items), [
      'a/two',
      'b/two',
      'c/two',
    ])
    const query = { ...listOf('project_grant'), orgId: 'b', projectId: 'one' }
    const { items } = await model.list(query)
    demandEqual('given', items, [])
  },
  'An object shows the desired state that protects it, until that one ends the protection or the object is removed.':
    async (home) => {
      const log = newLog()
      log.record('acme', projectAdded('portal'))
      for (const [, event, circumstances] of PROTECTED) log.record('acme', event, circumstances)
      const model = await home.open()
      await model.apply(0n, log.events.slice(0, 1))
      for (const [index, [protectedBy]] of PROTECTED.entries()) {
        await model.apply(await model.checkpoint(), log.events.slice(index + 1, index + 2))
        const editor = await model.get<'project_role'>('acme', EDITOR)
        demandEqual(`protector ${index}`, protectorOf(editor), protectedBy)
        const { items } = await model.list(ROLES)
        const listed = protectedBy === 'removed' ? [] : [protectedBy]
        demandEqual(`listed protector ${index}`, items.map(protectorOf), listed)
      }
      const history = await model.history({ orgId: 'acme', object: EDITOR, after: 0n, limit: 100 })
      const changes = history.flatMap((entry) =>
        entry.changes.filter(({ field }) => field === 'protectedBy'),
      )
      demandEqual('history', changes, [
        { field: 'protectedBy', from: undefined, to: 'ops' },
        { field: 'protectedBy', from: 'ops', to: undefined },
        { field: 'protectedBy', from: undefined, to: 'ops' },
      ])
    },
})

const EDITOR = role('portal', 'editor')

/** The name of what protects a role; `none` without the field. */
const protectorOf = (role: ProjectRole | undefined): string | undefined => {
  if (role === undefined) return 'removed'
  return Object.hasOwn(role, 'protectedBy') ? role.protectedBy : 'none'
}

const added = roleAdded('portal', 'editor')
const updated = (displayName: string) => roleUpdated('portal', 'editor', { displayName })
const protecting = { managedBy: 'ops', protect: true } as const

/** The protection of a role after each of these events. */
const PROTECTED: readonly (readonly [string, AnyEvent, Circumstances?])[] = [
  ['none', added],
  ['none', updated('a'), { managedBy: 'ops' }],
  ['ops', updated('a'), protecting],
  ['ops', updated('b')],
  ['ops', updated('c'), { managedBy: 'others' }],
  ['ops', updated('d'), { ...protecting, managedBy: 'others' }],
  ['ops', updated('e'), protecting],
  ['none', updated('e'), { managedBy: 'ops' }],
  ['ops', updated('e'), protecting],
  ['removed', roleRemoved('portal', 'editor'), protecting],
  ['none', added],
]
