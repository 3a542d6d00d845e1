import { timeOf } from '../../../ports/event-store.js'
import { allOf, demandEqual } from '../../law.js'
import { fedWith, feed, type ReadModelLaw } from '../law.js'
import { PROJECT_CHANGES } from '../samples/project.js'
import { projectGrantDeactivated, projectGrantReactivated } from '../samples/project-grant.js'
import {
  userGrantDeactivated,
  userGrantReactivated,
  userGrantRemoved,
  userGrantUpdated,
} from '../samples/user-grant.js'
import {
  BOB,
  contentOf,
  ENDS,
  fedTwice,
  GIVEN_ANEW,
  isOfGrant,
  LOSSES,
  logOf,
  NOW,
  PORTAL,
  type Recorded,
  ROLE_ADDED,
  ROLE_REMOVED,
  recordStrangers,
  UNGRANTED,
  WIDENED,
} from './ends.js'
import { END } from './story.js'

/** Laws of what the end of a role changes, and what it leaves as it is. */
export const endingLaws: readonly ReadModelLaw[] = [
  {
    name: 'What ends or is inactive is so for its own project, organization and user alone.',
    check: async (home) => {
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
  },
  {
    name: 'What a user holds ends with each of what gave it.',
    check: async (home) => {
      for (const [orgId, event, held] of ENDS) {
        const log = logOf([...PORTAL, [orgId, event]])
        for await (const model of fedTwice(home, log)) {
          const roles = await model.heldRoles({ orgId: 'globex', userId: 'bob', ...NOW })
          const holders = await model.holders({ orgId: 'acme', projectId: 'portal', ...NOW })
          const keys = [roles, holders].map(({ items }) => items.map(({ roleKey }) => roleKey))
          demandEqual(`roles after ${event.type}`, keys, [held, held])
        }
      }
    },
  },
  {
    name: 'A role is lost with what ended it first, until the grant is recorded anew.',
    check: async (home) => {
      for (const [what, events, expected] of LOSSES) {
        for await (const model of fedTwice(home, logOf([...PORTAL, ...events]))) {
          const { lost } = await model.access({ orgId: 'globex', ...BOB })
          const byRole = Object.fromEntries(lost.map((role) => [role.roleKey, role.with]))
          demandEqual(
            `lost after ${what}`,
            [byRole, lost.length],
            [expected, Object.keys(expected).length],
          )
        }
      }
    },
  },
  {
    name: 'The end of a role is no event of a grant: its details stay as they are.',
    check: async (home) => {
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
  },
  {
    name: 'History shows changes of the roles that had not ended before.',
    check: async (home) => {
      const log = logOf([
        ...PORTAL,
        ROLE_REMOVED,
        ROLE_ADDED,
        WIDENED,
        ['globex', userGrantDeactivated(BOB)],
        GIVEN_ANEW,
        UNGRANTED,
        ['globex', userGrantUpdated(BOB, ['author'])],
        ['globex', userGrantRemoved(BOB)],
      ])
      const readerGiven = { field: 'roles.reader', from: undefined, to: 'granted' }
      const removed = { field: 'state', from: 'active', to: 'removed' }
      const after = log.events[PORTAL.length + 1]?.position ?? 0n
      for await (const model of fedTwice(home, log)) {
        const changesOf = async (orgId: string) => {
          const entries = await model.history({ orgId, after, limit: 1000 })
          return entries.map(({ changes }) =>
            changes.toSorted((one, other) => (one.field < other.field ? -1 : 1)),
          )
        }
        demandEqual('changes of the grant of the project', await changesOf('acme'), [
          [readerGiven],
          [removed],
        ])
        demandEqual('changes of the grant to the user', await changesOf('globex'), [
          [{ field: 'state', from: 'active', to: 'inactive' }],
          [readerGiven, { field: 'roles.writer', from: END, to: 'granted' }],
          [{ field: 'roles.author', from: undefined, to: 'granted' }],
          [{ ...removed, from: 'inactive' }],
        ])
      }
    },
  },
  {
    name: 'Holders have had a role since its present life began, whatever was inactive between.',
    check: async (home) => {
      const log = logOf(PORTAL)
      const model = await fedWith(home, log)
      const since = async () => {
        const { items } = await model.holders({ orgId: 'acme', projectId: 'portal', ...NOW })
        return items.map(({ roleKey, from }) => [roleKey, from])
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
      demandEqual('since, of a role given anew', await since(), [
        ['reader', timeOf(anew.position)],
        ['writer', given],
      ])
    },
  },
  {
    name: 'Access is as of one moment, even while events are applied.',
    check: async (home) => {
      const log = logOf(PORTAL)
      const model = await fedWith(home, log)
      const handles = [model, await home.reopen(), model]
      const [, deactivated, reactivated] = PROJECT_CHANGES.map(([event]) => event)
      for (let round = 0; round < 20; round++) {
        const isEven = round % 2 === 0
        const change = isEven ? deactivated : reactivated
        if (change) log.record('acme', change)
        const ofUser = isEven ? userGrantDeactivated(BOB) : userGrantReactivated(BOB)
        log.record('globex', ofUser)
        const asked = allOf(handles.map((handle) => handle.access({ orgId: 'globex', ...BOB })))
        await allOf<unknown>([feed(model, log), asked])
        for (const { project, userGrant } of await asked)
          demandEqual('state of the project and of the grant', project?.state, userGrant)
      }
    },
  },
]
