import { timeOf } from '../../ports/event-store.js'
import type { FieldChange, HistoryQuery, ReadModel } from '../../ports/read-model.js'
import { demandEqual } from '../law.js'
import { fedWith, type ReadModelLaw } from './law.js'
import {
  idpAdded,
  idpRemoved,
  projectAdded,
  projectRemoved,
  roleAdded,
  roleRemoved,
} from './object-samples.js'
import { type Log, newLog } from './sample.js'
import { logBefore, play, SCENARIOS } from './samples.js'

/** All that happened in the organization `acme`. */
export const ALL = { orgId: 'acme', after: 0n, limit: 1000 } as const

/** The places in `log` of the entries found, in the order in which they are found. */
export const found = async (
  model: ReadModel,
  log: Log,
  query: Partial<HistoryQuery>,
): Promise<readonly number[]> => {
  const entries = await model.history({ ...ALL, ...query })
  return entries.map(({ sequence }) =>
    log.events.findIndex(({ position }) => position === sequence),
  )
}

/** Names a provider. */
export const idp = (idpId: string) => ({ type: 'identity_provider', idpId }) as const

/** Names a project. */
export const project = (id: string) => ({ type: 'project', id }) as const

/** Names a role. */
export const role = (projectId: string, roleKey: string) =>
  ({ type: 'project_role', projectId, roleKey }) as const

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

/** What is found in {@link alikeLog}. */
const ALIKE: readonly (readonly [Partial<HistoryQuery>, readonly number[]])[] = [
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

/** Laws of `history`. */
export const historyLaws: readonly ReadModelLaw[] = [
  {
    name: 'An entry says who did what to which object, and when.',
    check: async (home) => {
      const log = newLog()
      const actor = { userId: 'u2', orgId: 'partner' }
      log.record('acme', projectAdded('portal'))
      const recorded = [
        log.record('acme', roleAdded('portal', 'editor'), { actor }),
        log.record('acme', roleRemoved('portal', 'editor'), { correlationId: 'c1' }),
      ]
      const object = role('portal', 'editor')
      const entries = await (await fedWith(home, log)).history({ ...ALL, object })
      demandEqual(
        'entries',
        entries.map(({ changes: _, ...entry }) => entry),
        recorded.map(({ position, type, metadata: { actor, correlationId } }) => {
          return { sequence: position, time: timeOf(position), actor, type, object, correlationId }
        }),
      )
    },
  },
  {
    name: 'An entry says what changed, from what to what; of a secret, only that it did.',
    check: async (home) => {
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
  },
  {
    name: 'The history of an organization is its own, oldest first; removed objects keep theirs.',
    check: async (home) => {
      const log = busyLog()
      const model = await fedWith(home, log)
      demandEqual('history of acme', await found(model, log, {}), [0, 2, 3, 4, 5, 7])
      demandEqual('history of other', await found(model, log, { orgId: 'other' }), [1, 6])
      demandEqual('history of nobody', await found(model, log, { orgId: 'acm' }), [])
    },
  },
  {
    name: 'History is found by object, actor and types, all of which must match.',
    check: async (home) => {
      const log = busyLog()
      const model = await fedWith(home, log)
      const object = role('portal', 'editor')
      const types = ['project_role.added', 'project.removed']
      demandEqual('by object', await found(model, log, { object }), [2, 4, 5, 7])
      demandEqual('of another', await found(model, log, { object, orgId: 'other' }), [6])
      demandEqual('by actor', await found(model, log, { actor: 'u2' }), [2, 5])
      demandEqual('by types', await found(model, log, { types }), [2, 3, 5, 7])
      demandEqual('by no type', await found(model, log, { types: [] }), [])
      demandEqual('by actor and types', await found(model, log, { actor: 'u1', types }), [3, 7])
      demandEqual('by all', await found(model, log, { object, actor: 'u1', types }), [7])
    },
  },
  {
    name: 'What is called alike has a history of its own.',
    check: async (home) => {
      const log = alikeLog()
      const model = await fedWith(home, log)
      for (const [query, expected] of ALIKE) {
        demandEqual(JSON.stringify(query), await found(model, log, query), expected)
      }
    },
  },
  {
    name: 'A page of history begins after a position, exclusive, and ends at its limit.',
    check: async (home) => {
      const log = busyLog()
      const model = await fedWith(home, log)
      const after = log.events[2]?.position ?? 0n
      demandEqual('after an entry', await found(model, log, { after }), [3, 4, 5, 7])
      demandEqual('between two', await found(model, log, { after: after - 1n }), [2, 3, 4, 5, 7])
      demandEqual('with a limit', await found(model, log, { after, limit: 2 }), [3, 4])
      demandEqual('filtered', await found(model, log, { after, limit: 1, actor: 'u2' }), [5])
      // More than 64 bits hold: callers choose it.
      demandEqual('after all', await found(model, log, { after: 2n ** 64n }), [])
      demandEqual('below all', await found(model, log, { after: -(2n ** 64n), limit: 1 }), [0])
    },
  },
]
