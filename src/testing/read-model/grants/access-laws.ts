import type { FoundAccess, FoundProject } from '../../../ports/access-reads.js'
import type { ReadModel } from '../../../ports/read-model.js'
import { demandEqual } from '../../law.js'
import type { ReadModelLaw } from '../law.js'
import { afterEach, COMPLETE, expectedAt, modelAfter } from './moments.js'
import { BEFORE_END, END } from './story.js'

/** The roles of one user and project, as `access` finds them. */
const accessOf = (model: ReadModel, orgId: string, userId: string, projectOrgId = 'acme') =>
  model.access({ orgId, userId, projectOrgId, projectId: 'portal' })

/** The same; of the project, the settings and the state alone. */
const settingsIn = async (...asked: Parameters<typeof accessOf>): Promise<FoundAccess> => {
  const { project, ...found } = await accessOf(...asked)
  return { ...found, project: project && settingsOf(project) }
}

const settingsOf = (project: FoundProject): FoundProject => ({
  name: project.name,
  projectRoleAssertion: project.projectRoleAssertion,
  projectRoleCheck: project.projectRoleCheck,
  hasProjectCheck: project.hasProjectCheck,
  privateLabelingSetting: project.privateLabelingSetting,
  state: project.state,
})

/** Roles that count when all on the way is active, from what `access` found. */
const countingIn = (found: FoundAccess, isOwn: boolean): readonly string[] => {
  const isActive = found.project?.state === 'active' && found.userGrant === 'active'
  return isActive && (isOwn || found.projectGrant === 'active')
    ? found.roles.map(({ roleKey }) => roleKey)
    : []
}

/** Laws of what decides about one user and one project. */
export const accessLaws: readonly ReadModelLaw[] = [
  {
    name: 'The roles that a user holds are those of which the user is a holder.',
    check: (home) =>
      afterEach(home, async (model, index) => {
        for (const [orgId, userId] of [
          ['acme', 'ann'],
          ['globex', 'bob'],
          ['globex', 'ann'],
        ] as const) {
          const query = { orgId, userId, projectId: 'portal', now: BEFORE_END, limit: 1000 }
          const { items } = await model.heldRoles(query)
          const own = items.filter(({ projectOrgId }) => projectOrgId === 'acme')
          const names = own.map(({ roleKey }) => `${roleKey} ${orgId}/${userId}`)
          const expected = expectedAt(index).filter((name) => name.endsWith(` ${orgId}/${userId}`))
          demandEqual(`roles of ${userId} after event ${index}`, names, expected)
          const counting = countingIn(await accessOf(model, orgId, userId), orgId === 'acme')
          demandEqual(
            `access of ${userId} after event ${index}`,
            counting.map((roleKey) => `${roleKey} ${orgId}/${userId}`),
            expected,
          )
        }
      }),
  },
  {
    name: 'Access has the settings of the project, the states of both grants, and the names and ends of the roles.',
    check: async (home) => {
      const model = await modelAfter(home, COMPLETE)
      const row = await model.get<'project'>('acme', { type: 'project', id: 'portal' })
      const project = row && settingsOf(row)
      demandEqual('access', await settingsIn(model, 'globex', 'bob'), {
        project,
        projectGrant: 'active',
        userGrant: 'active',
        roles: [
          { roleKey: 'reader', displayName: 'Reader', group: 'all' },
          { roleKey: 'writer', displayName: 'writer', group: '', expiresAt: new Date(END) },
        ],
        lost: [],
      })
      const nothing = { userGrant: undefined, roles: [], lost: [] }
      demandEqual('of a user without a grant', await settingsIn(model, 'globex', 'ann'), {
        ...nothing,
        project,
        projectGrant: 'active',
      })
      demandEqual('of an organization without a grant', await settingsIn(model, 'other', 'bob'), {
        ...nothing,
        project,
        projectGrant: undefined,
      })
      demandEqual('of no project', await settingsIn(model, 'globex', 'bob', 'initech'), {
        ...nothing,
        project: undefined,
        projectGrant: undefined,
      })
    },
  },
  {
    name: 'A role that ended without an event of the grant is lost, with the role or with the grant of the project.',
    check: (home) =>
      afterEach(home, async (model, index, log) => {
        const last = log.events[index]
        const { lost } = await accessOf(model, 'globex', 'bob')
        const of = (...roleKeys: readonly string[]) =>
          lost.filter(({ roleKey }) => roleKeys.includes(roleKey)).map((role) => role.with)
        if (last?.type === 'project_role.removed' && last.metadata.resourceOwner === 'acme')
          demandEqual('lost with the role', of('reader'), ['role'])
        if (last?.type === 'project_grant.updated')
          demandEqual('lost with the grant', of('writer'), ['project_grant'])
        if (last?.type === 'project_grant.removed')
          demandEqual('lost with the removed grant', of('reader', 'writer'), ['project_grant'])
      }),
  },
]
