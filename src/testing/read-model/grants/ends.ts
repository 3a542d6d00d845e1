import type { AnyEvent } from '../../../domain/kinds.js'
import type { ReadModel } from '../../../ports/read-model.js'
import type { ReadModelHome } from '../law.js'
import { type Log, newLog } from '../samples/log.js'
import { projectAdded, projectDeactivated, projectRemoved } from '../samples/project.js'
import {
  projectGrantAdded,
  projectGrantDeactivated,
  projectGrantRemoved,
  projectGrantUpdated,
} from '../samples/project-grant.js'
import { roleAdded, roleRemoved } from '../samples/project-role.js'
import {
  userGrantAdded,
  userGrantDeactivated,
  userGrantRemoved,
  userGrantUpdated,
} from '../samples/user-grant.js'
import { BEFORE_END, END, grantOf } from './story.js'

/** An event of an organization. */
export type Recorded = readonly [orgId: string, event: AnyEvent]

const BOTH = ['reader', 'writer']
/** The grant of a user of `globex`. */
export const BOB = grantOf('bob')
const GRANTED: Recorded = ['acme', projectGrantAdded('portal', 'globex', BOTH)]
const NARROWED: Recorded = ['acme', projectGrantUpdated('portal', 'globex', ['writer'])]
export const WIDENED: Recorded = ['acme', projectGrantUpdated('portal', 'globex', BOTH)]
export const UNGRANTED: Recorded = ['acme', projectGrantRemoved('portal', 'globex')]
export const ROLE_REMOVED: Recorded = ['acme', roleRemoved('portal', 'reader')]
export const ROLE_ADDED: Recorded = ['acme', roleAdded('portal', 'reader')]
export const GIVEN_ANEW: Recorded = ['globex', userGrantUpdated(BOB, BOTH)]

/** The project `portal` of `acme`, its grant to `globex`, and that of `bob` there. */
export const PORTAL: readonly Recorded[] = [
  ['acme', projectAdded('portal')],
  ['acme', roleAdded('portal', 'reader')],
  ['acme', roleAdded('portal', 'writer')],
  GRANTED,
  ['globex', userGrantAdded(BOB, ['reader', ['writer', END]])],
]

/** What ends roles of {@link PORTAL} or makes them inactive, and the roles that `bob` holds then. */
export const ENDS: readonly (readonly [...Recorded, held: readonly string[]])[] = [
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
export const recordStrangers = (log: Log): void => {
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

/** Before any role expires, and in one page. */
export const NOW = { now: BEFORE_END, limit: 1000 }

/** All that is read of strangers, those in the same project only when an event of a grant is to leave them alone. */
export const contentOf = (model: ReadModel, withSameProject: boolean) =>
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
export const isOfGrant = (event: AnyEvent): boolean => /^(project|user)_grant\./.test(event.type)

/** Read models that applied `log` event by event, and all at once. */
export async function* fedTwice({ open }: ReadModelHome, log: Log): AsyncGenerator<ReadModel> {
  for (const size of [1, log.events.length]) {
    const model = await open()
    for (let start = 0; start < log.events.length; start += size)
      await model.apply(await model.checkpoint(), log.events.slice(start, start + size))
    yield model
  }
}

/** A log of these events. */
export const logOf = (recorded: readonly Recorded[]): Log => {
  const log = newLog()
  for (const [orgId, event] of recorded) log.record(orgId, event)
  return log
}

/** Roles that are lost, and with what. */
type Lost = Readonly<Record<string, 'role' | 'project_grant'>>

/** What happens to {@link PORTAL}, and the roles of `bob` that are lost then. */
export const LOSSES: readonly (readonly [what: string, events: readonly Recorded[], lost: Lost])[] =
  [
    ['no end', [['globex', userGrantDeactivated(BOB)]], {}],
    ['a removed role', [ROLE_REMOVED], { reader: 'role' }],
    ['a role added again', [ROLE_REMOVED, ROLE_ADDED], { reader: 'role' }],
    ['a narrower grant', [NARROWED], { reader: 'project_grant' }],
    ['a wider one after it', [NARROWED, WIDENED], { reader: 'project_grant' }],
    [
      'a narrower grant, then a removed role',
      [NARROWED, ROLE_REMOVED],
      { reader: 'project_grant' },
    ],
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
    ['a role given anew', [ROLE_REMOVED, ROLE_ADDED, WIDENED, GIVEN_ANEW], {}],
    [
      'a role lost anew',
      [ROLE_REMOVED, ROLE_ADDED, WIDENED, GIVEN_ANEW, NARROWED],
      { reader: 'project_grant' },
    ],
    ['a role that was taken', [ROLE_REMOVED, ['globex', userGrantUpdated(BOB, ['writer'])]], {}],
    ['a removed grant of the user', [ROLE_REMOVED, ['globex', userGrantRemoved(BOB)]], {}],
    ['a removed project', [ROLE_REMOVED, ['acme', projectRemoved('portal')]], {}],
  ]
