import type { AnyEvent } from '../../domain/aggregates.js'
import type { AffectedInProject } from '../../ports/access-reads.js'
import { timeOf } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import { allOf, demand, demandEqual, lawsOf } from '../law.js'
import {
  AT_END,
  affectedNames,
  BEFORE_END,
  COMPLETE,
  END,
  exactly,
  expectedAt,
  grantOf,
  holdersOf,
  NOW,
  OF_PORTAL,
  projectGrantAdded,
  projectGrantDeactivated,
  projectGrantReactivated,
  projectGrantRemoved,
  projectGrantUpdated,
  STORY,
  storyLog,
  userGrantAdded,
  userGrantDeactivated,
  userGrantReactivated,
  userGrantRemoved,
  userGrantUpdated,
} from './grant-samples.js'
import {
  fedTwice,
  fedWith,
  feed,
  type Log,
  logOf,
  type ReadModelHome,
  type Recorded,
} from './harness.js'
import {
  projectAdded,
  projectDeactivated,
  projectReactivated,
  projectRemoved,
  roleAdded,
  roleRemoved,
} from './object-samples.js'

/** Laws of the end of roles: whom it affects, what it changes and what it leaves as it is. */
export const endingLaws = lawsOf<ReadModelHome>({
  'The roles that a change affects are those that count right after the event at a position.':
    async (home) => {
      const log = storyLog()
      const model = await fedWith(home, log)
      demandEqual('before all events', await found(model, { at: 0n }), exactly([]))
      for (const [index, { position }] of log.events.entries())
        for (const at of [position, position + 1n])
          demandEqual(
            `after event ${index}`,
            await found(model, { at }),
            exactly(expectedAt(index)),
          )
    },
  'The number of roles that a change affects is exact, even if only a few are named.': async (
    home,
  ) => {
    const model = await fedWith(home, storyLog())
    const { index, at } = stepOf('project.reactivated')
    const names = expectedAt(index)
    for (const limit of [1, 2, 3])
      demandEqual(`first ${limit}`, await found(model, { at, limit }), {
        count: names.length,
        names: names.slice(0, limit),
      })
  },
  'The roles that a change affects are found by their keys and by the organization of the users.':
    async (home) => {
      const model = await fedWith(home, storyLog())
      const { index, at } = stepOf('project.reactivated')
      const names = expectedAt(index)
      for (const roleKeys of [['reader'], ['writer', 'read'], ['reader', 'writer'], []])
        for (const userOrgId of [undefined, 'acme', 'globex', 'other'])
          demandEqual(
            `${roleKeys} of ${userOrgId ?? 'all'}`,
            await found(model, { at, roleKeys, ...(userOrgId !== undefined && { userOrgId }) }),
            exactly(
              names.filter(
                (name) =>
                  roleKeys.some((roleKey) => name.startsWith(`${roleKey} `)) &&
                  name.includes(` ${userOrgId ?? ''}`),
              ),
            ),
          )
      demandEqual('of no project', await found(model, { at, projectId: 'shop' }), exactly([]))
    },
  'Roles are found as if only their project, or its grant, were active.': async (home) => {
    const model = await fedWith(home, storyLog())
    const project = stepOf('project.deactivated')
    const active = expectedAt(project.index - 1)
    const asIfActive = true
    const ofGlobex = { userOrgId: 'globex', asIfActive } as const
    for (const [name, query, names] of [
      ['an inactive project', { at: project.at }, []],
      ['as if it were active', { at: project.at, asIfActive }, active],
      ['as if the grant of it were', { at: project.at, ...ofGlobex }, []],
    ] as const)
      demandEqual(name, await found(model, query), exactly(names))
    const grant = stepOf('project_grant.deactivated')
    const reactivated = stepOf('project_grant.reactivated')
    const ofUsers = expectedAt(reactivated.index).filter((name) => name.includes(' globex/'))
    const before = storyLog().events[reactivated.index - 1]?.position ?? 0n
    for (const [name, query, names] of [
      ['two inactive grants', { at: grant.at, ...ofGlobex }, []],
      ['as if the project were active', { at: before, asIfActive }, expectedAt(grant.index)],
      ['as if the one that is inactive were active', { at: before, ...ofGlobex }, ofUsers],
    ] as const)
      demandEqual(name, await found(model, query), exactly(names))
  },
  'A change does not affect a role that has expired.': async (home) => {
    const model = await fedWith(home, storyLog())
    const at = storyLog().events[COMPLETE - 1]?.position ?? 0n
    const names = expectedAt(COMPLETE - 1)
    const left = names.filter((name) => name !== 'writer globex/bob')
    for (const [now, expected] of [
      [BEFORE_END, names],
      [AT_END, left],
    ] as const)
      demandEqual(`at ${now.toISOString()}`, await found(model, { at, now }), exactly(expected))
  },
  'A removal or deactivation affects only its own project, organization and user.': async (
    home,
  ) => {
    for (const [orgId, event] of ENDS) {
      const log = logOf(PORTAL)
      recordStrangers(log)
      const model = await fedWith(home, log)
      const withSameProject = isOfGrant(event)
      const before = await contentOf(model, withSameProject)
      log.record(orgId, event)
      await feed(model, log)
      demandEqual(
        `what others have after ${event.type}`,
        await contentOf(model, withSameProject),
        before,
      )
    }
  },
  'A user loses a role when the project, the role or a grant ends.': async (home) => {
    for (const [orgId, event, held] of ENDS) {
      const log = logOf([...PORTAL, [orgId, event]])
      for await (const model of fedTwice(home, log)) {
        const roles = await model.heldRoles({ orgId: 'globex', userId: 'bob', ...NOW })
        const holders = await model.holders(OF_PORTAL)
        const keys = [roles, holders].map(({ items }) => items.map(({ roleKey }) => roleKey))
        demandEqual(`roles after ${event.type}`, keys, [held, held])
      }
    }
  },
  'A lost role names what ended it first, until the grant is recorded again.': async (home) => {
    for (const [what, events, expected] of LOSSES) {
      for await (const model of fedTwice(home, logOf([...PORTAL, ...events]))) {
        const { grants } = await model.access({ orgId: 'globex', ...BOB })
        const lost = grants.flatMap((grant) => grant.lost)
        const byRole = Object.fromEntries(lost.map((role) => [role.roleKey, role.with]))
        demandEqual(
          `lost after ${what}`,
          [byRole, lost.length],
          [expected, Object.keys(expected).length],
        )
      }
    }
  },
  'The end of a role is not an event of the grant and does not change its details.': async (
    home,
  ) => {
    const log = logOf([...PORTAL, ROLE_REMOVED, ROLE_ADDED, UNGRANTED])
    const given = log.events[PORTAL.length - 1]?.position ?? 0n
    for await (const model of fedTwice(home, log)) {
      const row = await model.get<'user_grant'>('globex', { type: 'user_grant', ...BOB })
      const time = timeOf(given)
      demandEqual('details', row?.details, {
        sequence: given,
        creationDate: time,
        changeDate: time,
        resourceOwner: 'globex',
      })
    }
  },
  'History shows changes of the roles that had not ended before, and a removal names them.': async (
    home,
  ) => {
    const log = logOf([
      ...PORTAL,
      ['acme', roleAdded('portal', 'author')],
      ROLE_REMOVED,
      ROLE_ADDED,
      WIDENED,
      ['globex', userGrantDeactivated(BOB)],
      GIVEN_ANEW,
      UNGRANTED,
      ['acme', projectGrantAdded('portal', 'globex', ['author'])],
      ['globex', userGrantUpdated(BOB, ['author'])],
      ['globex', userGrantRemoved(BOB)],
    ])
    const readerGiven = { field: 'roles.reader', from: undefined, to: 'granted' }
    const authorGiven = { field: 'roles.author', from: undefined, to: 'granted' }
    const taken = (roleKey: string) => ({
      field: `roles.${roleKey}`,
      from: 'granted',
      to: undefined,
    })
    const removed = { field: 'state', from: 'active', to: 'removed' }
    const after = log.events[PORTAL.length + 2]?.position ?? 0n
    for await (const model of fedTwice(home, log)) {
      const changesOf = async (orgId: string) => {
        const entries = await model.history({ orgId, after, limit: 1000 })
        return entries.map(({ changes }) =>
          changes.toSorted((one, other) => (one.field < other.field ? -1 : 1)),
        )
      }
      demandEqual('changes of the grant of the project', await changesOf('acme'), [
        [readerGiven],
        [taken('reader'), taken('writer'), removed],
        [authorGiven, { field: 'state', from: undefined, to: 'active' }],
      ])
      demandEqual('changes of the grant to the user', await changesOf('globex'), [
        [{ field: 'state', from: 'active', to: 'inactive' }],
        [readerGiven, { field: 'roles.writer', from: END, to: 'granted' }],
        [authorGiven],
        [taken('author'), { ...removed, from: 'inactive' }],
      ])
    }
  },
  'A holder has a role since it was last given, even if something was inactive since.': async (
    home,
  ) => {
    const log = logOf(PORTAL)
    const model = await fedWith(home, log)
    const since = async () => {
      const holders = await holdersOf(model)
      return holders.map(({ roleKey, from }) => [roleKey, from])
    }
    const given = timeOf(log.events.at(-1)?.position ?? 0n)
    for (const [orgId, event] of [
      ['globex', userGrantDeactivated(BOB)],
      ['globex', userGrantReactivated(BOB)],
      ['acme', projectGrantDeactivated('portal', 'globex')],
      ['acme', projectGrantReactivated('portal', 'globex')],
      WIDENED,
      GIVEN_ANEW,
    ] satisfies readonly Recorded[])
      log.record(orgId, event)
    await feed(model, log)
    demandEqual('since', await since(), [
      ['reader', given],
      ['writer', given],
    ])
    for (const [orgId, event] of [ROLE_REMOVED, ROLE_ADDED, WIDENED]) log.record(orgId, event)
    const anew = log.record(...GIVEN_ANEW)
    await feed(model, log)
    demandEqual('since, of a role given again', await since(), [
      ['reader', timeOf(anew.position)],
      ['writer', given],
    ])
  },
  'Access is of one moment, even while events are applied.': async (home) => {
    const log = logOf(PORTAL)
    const model = await fedWith(home, log)
    const handles = [model, await home.reopen(), model]
    for (let round = 0; round < 20; round++) {
      const isEven = round % 2 === 0
      log.record('acme', isEven ? projectDeactivated('portal') : projectReactivated('portal'))
      const ofUser = isEven ? userGrantDeactivated(BOB) : userGrantReactivated(BOB)
      log.record('globex', ofUser)
      const reads = allOf(handles.map((handle) => handle.access({ orgId: 'globex', ...BOB })))
      await allOf<unknown>([feed(model, log), reads])
      for (const { project, grants } of await reads)
        demandEqual('state of the project and of the grant', project?.state, grants[0]?.state)
    }
  },
})

const BOTH = ['reader', 'writer']
/** The grant of a user of `globex`. */
const BOB = grantOf('bob')
const GRANTED: Recorded = ['acme', projectGrantAdded('portal', 'globex', BOTH)]
const NARROWED: Recorded = ['acme', projectGrantUpdated('portal', 'globex', ['writer'])]
const WIDENED: Recorded = ['acme', projectGrantUpdated('portal', 'globex', BOTH)]
const UNGRANTED: Recorded = ['acme', projectGrantRemoved('portal', 'globex')]
const ROLE_REMOVED: Recorded = ['acme', roleRemoved('portal', 'reader')]
const ROLE_ADDED: Recorded = ['acme', roleAdded('portal', 'reader')]
const GIVEN_ANEW: Recorded = ['globex', userGrantUpdated(BOB, BOTH)]

/** The project `portal` of `acme`, its grant to `globex`, and the grant of `bob` there. */
const PORTAL: readonly Recorded[] = [
  ['acme', projectAdded('portal')],
  ['acme', roleAdded('portal', 'reader')],
  ['acme', roleAdded('portal', 'writer')],
  GRANTED,
  ['globex', userGrantAdded(BOB, ['reader', ['writer', END]])],
]

/** Events that end or suspend roles of {@link PORTAL}, and the roles that `bob` has after them. */
const ENDS: readonly (readonly [...Recorded, held: readonly string[]])[] = [
  ['acme', projectDeactivated('portal'), []],
  ['acme', projectGrantDeactivated('portal', 'globex'), []],
  ['globex', userGrantDeactivated(BOB), []],
  [...ROLE_REMOVED, ['writer']],
  [...NARROWED, ['writer']],
  ['globex', userGrantUpdated(BOB, ['writer']), ['writer']],
  ['globex', userGrantRemoved(BOB), []],
  [...UNGRANTED, []],
  ['acme', projectRemoved('portal'), []],
]

/** Organization of the user, the user, and the project: each differs from {@link PORTAL} in one of them. */
const STRANGERS = [
  ['globex', { ...BOB, projectOrgId: 'other' }],
  ['globex', { ...BOB, projectId: 'portal2' }],
  ['globex2', BOB],
] as const

/** Records what strangers have. */
const recordStrangers = (log: Log): void => {
  for (const [orgId, projectId] of [
    ['other', 'portal'],
    ['acme', 'portal2'],
  ] as const) {
    log.record(orgId, projectAdded(projectId))
    for (const roleKey of BOTH) log.record(orgId, roleAdded(projectId, roleKey))
    log.record(orgId, projectGrantAdded(projectId, 'globex', BOTH))
  }
  log.record('acme', projectGrantAdded('portal', 'globex2', BOTH))
  for (const [orgId, ids] of STRANGERS) log.record(orgId, userGrantAdded(ids, BOTH))
}

/** All that is read of strangers, those in the same project only when an event of a grant is to leave them alone. */
const contentOf = (model: ReadModel, withSameProject: boolean) =>
  Promise.all(
    STRANGERS.filter(([orgId]) => withSameProject || orgId === 'globex').map(
      async ([orgId, ids]) => {
        const { projectId, projectOrgId, userId } = ids
        const { items: held } = await model.heldRoles({ orgId, userId, projectId, ...NOW })
        const { items: holders } = await model.holders({ orgId: projectOrgId, projectId, ...NOW })
        return [
          await model.get<'user_grant'>(orgId, { type: 'user_grant', ...ids }),
          await model.get<'project_grant'>(projectOrgId, {
            type: 'project_grant',
            projectId,
            grantedOrgId: orgId,
          }),
          await model.access({ orgId, ...ids }),
          held.filter((role) => role.projectOrgId === projectOrgId),
          holders.filter((holder) => holder.orgId === orgId),
        ]
      },
    ),
  )

/** Whether an event is one of a grant, to an organization or to a user of it. */
const isOfGrant = (event: AnyEvent): boolean => /^(project|user)_grant\./.test(event.type)

type Lost = Readonly<Record<string, 'role' | 'project_grant'>>

/** Events on {@link PORTAL}, and the roles that `bob` loses by them. */
const LOSSES: readonly (readonly [what: string, events: readonly Recorded[], lost: Lost])[] = [
  ['no end', [['globex', userGrantDeactivated(BOB)]], {}],
  ['a removed role', [ROLE_REMOVED], { reader: 'role' }],
  ['a role added again', [ROLE_REMOVED, ROLE_ADDED], { reader: 'role' }],
  ['a narrower grant', [NARROWED], { reader: 'project_grant' }],
  ['a wider one after it', [NARROWED, WIDENED], { reader: 'project_grant' }],
  ['a narrower grant, then a removed role', [NARROWED, ROLE_REMOVED], { reader: 'project_grant' }],
  [
    'a removed role, then a removed grant',
    [ROLE_REMOVED, UNGRANTED],
    { reader: 'role', writer: 'project_grant' },
  ],
  [
    'a grant added again',
    [UNGRANTED, GRANTED],
    { reader: 'project_grant', writer: 'project_grant' },
  ],
  ['a role given again', [ROLE_REMOVED, ROLE_ADDED, WIDENED, GIVEN_ANEW], {}],
  [
    'a role lost again',
    [ROLE_REMOVED, ROLE_ADDED, WIDENED, GIVEN_ANEW, NARROWED],
    { reader: 'project_grant' },
  ],
  ['a role that was taken', [ROLE_REMOVED, ['globex', userGrantUpdated(BOB, ['writer'])]], {}],
  ['a removed grant of the user', [ROLE_REMOVED, ['globex', userGrantRemoved(BOB)]], {}],
  ['a removed project', [ROLE_REMOVED, ['acme', projectRemoved('portal')]], {}],
]

const found = (model: ReadModel, query: Partial<AffectedInProject> & { readonly at: bigint }) =>
  affectedNames(model, { ...OF_PORTAL, ...query })

/** The position of the first event of the story of that type of the organization `acme`, and who has roles after it. */
const stepOf = (type: string) => {
  const log = storyLog().events
  const index = STORY.findIndex(([orgId, event]) => orgId === 'acme' && event.type === type)
  const at = log[index]?.position
  demand(at !== undefined, `the story to have ${type}`)
  return { index, at }
}
