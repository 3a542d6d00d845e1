import type { AffectedQuery } from '../../ports/access-reads.js'
import type { ReadModel } from '../../ports/read-model.js'
import { demand, demandEqual, lawsOf } from '../law.js'
import { AT_END, BEFORE_END, COMPLETE, expectedAt, STORY, storyLog } from './grant-samples.js'
import { fedWith, type ReadModelHome } from './harness.js'

const ALL = { orgId: 'acme', projectId: 'portal', now: BEFORE_END, limit: 1000 }

/** The number of roles that are found, and their names in order. */
const namesOf = async (
  model: ReadModel,
  query: Pick<AffectedQuery, 'at'> & Partial<AffectedQuery>,
) => {
  const { count, first } = await model.affected({ ...ALL, ...query })
  return {
    count,
    names: first.map(({ roleKey, orgId, userId }) => `${roleKey} ${orgId}/${userId}`),
  }
}

const exactly = (names: readonly string[]) => ({ count: names.length, names })

/** The position of the first event of the story of that type of the organization `acme`, and who has roles after it. */
const stepOf = (type: string) => {
  const log = storyLog().events
  const index = STORY.findIndex(([orgId, event]) => orgId === 'acme' && event.type === type)
  const at = log[index]?.position
  demand(at !== undefined, `the story to have ${type}`)
  return { index, at }
}

/** Laws of the roles that a change concerns. */
export const affectedLaws = lawsOf<ReadModelHome>({
  'The roles that a change affects are those that count right after the event at a position.':
    async (home) => {
      const log = storyLog()
      const model = await fedWith(home, log)
      demandEqual('before all events', await namesOf(model, { at: 0n }), exactly([]))
      for (const [index, { position }] of log.events.entries())
        for (const at of [position, position + 1n])
          demandEqual(
            `after event ${index}`,
            await namesOf(model, { at }),
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
      demandEqual(`first ${limit}`, await namesOf(model, { at, limit }), {
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
            await namesOf(model, { at, roleKeys, ...(userOrgId !== undefined && { userOrgId }) }),
            exactly(
              names.filter(
                (name) =>
                  roleKeys.some((roleKey) => name.startsWith(`${roleKey} `)) &&
                  name.includes(` ${userOrgId ?? ''}`),
              ),
            ),
          )
      demandEqual('of no project', await namesOf(model, { at, projectId: 'shop' }), exactly([]))
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
      demandEqual(name, await namesOf(model, query), exactly(names))
    const grant = stepOf('project_grant.deactivated')
    const reactivated = stepOf('project_grant.reactivated')
    const ofUsers = expectedAt(reactivated.index).filter((name) => name.includes(' globex/'))
    const before = storyLog().events[reactivated.index - 1]?.position ?? 0n
    for (const [name, query, names] of [
      ['two inactive grants', { at: grant.at, ...ofGlobex }, []],
      ['as if the project were active', { at: before, asIfActive }, expectedAt(grant.index)],
      ['as if the one that is inactive were active', { at: before, ...ofGlobex }, ofUsers],
    ] as const)
      demandEqual(name, await namesOf(model, query), exactly(names))
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
      demandEqual(`at ${now.toISOString()}`, await namesOf(model, { at, now }), exactly(expected))
  },
})
