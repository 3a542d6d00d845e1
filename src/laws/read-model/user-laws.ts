import type { Holder, RoleOfUser, UserRoles, UsersQuery } from '../../ports/access-reads.js'
import type { ReadModel } from '../../ports/read-model.js'
import { demand, demandEqual, lawsOf } from '../law.js'
import { NOW, OF_PORTAL, storyLog } from './grant-samples.js'
import { afterEach, fedWith, type Log, type ReadModelHome } from './harness.js'
import { mappingStoryLog } from './mapping-laws.js'

const ORGANIZATIONS = ['acme', 'globex', 'other']

type Filters = Pick<UsersQuery, 'at' | 'permission'>

/** The holders of roles of all organizations' projects. */
const holdersOfAll = async (
  model: ReadModel,
  filters: Filters,
): Promise<readonly (Holder & { readonly projectOrgId: string })[]> => {
  const found = ORGANIZATIONS.map(async (projectOrgId) => {
    const { items } = await model.holders({ orgId: projectOrgId, ...NOW, ...filters })
    return items.map((holder) => ({ ...holder, projectOrgId }))
  })
  return (await Promise.all(found)).flat()
}

/** The users of an organization, as `holders` and `heldRoles` have them. */
const expectedUsers = async (
  model: ReadModel,
  orgId: string,
  { at, ...filters }: Filters = {},
): Promise<readonly UserRoles[]> => {
  const moment = { ...NOW, ...(at !== undefined && { at }) }
  const holders = (
    await holdersOfAll(model, { ...filters, ...(at !== undefined && { at }) })
  ).filter((holder) => holder.orgId === orgId)
  const userIds = [...new Set(holders.map(({ userId }) => userId))].sort()
  return Promise.all(
    userIds.map(async (userId) => {
      const { items } = await model.heldRoles({ orgId, userId, ...moment })
      const roles = items.flatMap(({ group: _, permissions: __, ...role }): RoleOfUser[] => {
        const key = sourceOf(role)
        const holder = holders.find((each) => each.userId === userId && sourceOf(each) === key)
        return holder ? [{ ...role, since: holder.from }] : []
      })
      return { userId, roles }
    }),
  )
}

const sourceOf = ({
  projectOrgId,
  projectId,
  roleKey,
  via,
}: Pick<RoleOfUser, 'projectOrgId' | 'roleKey' | 'via'> & { readonly projectId?: string }) =>
  JSON.stringify([projectOrgId, projectId, roleKey, via === 'grant' ? via : [via.idpId, via.group]])

/** All users of an organization, in pages of `limit`. */
const usersOf = async (
  model: ReadModel,
  query: Omit<UsersQuery, 'now' | 'limit'>,
  limit = 1000,
): Promise<readonly UserRoles[]> => {
  const found: UserRoles[] = []
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const last = found.at(-1)
    const after = last && ([last.userId] as const)
    const page = await model.users({ ...query, ...NOW, limit, ...(after && { after }) })
    demand(page.items.length <= limit, `at most ${limit} users`)
    found.push(...page.items)
    if (!page.hasMore) return found
    demand(page.items.length === limit, `${limit} users on a page before the last`)
  }
  return found
}

/** More than the stories have users; a model that ignores `after` would never end. */
const MAX_PAGES = 10

/** The users who have roles that meet a condition, with these roles. */
const having = (users: readonly UserRoles[], meets: (role: RoleOfUser) => boolean) =>
  users
    .map(({ userId, roles }) => ({ userId, roles: roles.filter(meets) }))
    .filter(({ roles }) => roles.length > 0)

/** The position after which the most users hold roles by groups and by grants. */
const fullestAt = (log: Log, before: string): bigint =>
  log.events[log.events.findLastIndex(({ type }) => type === before) - 1]?.position ?? 0n

const STORIES = [
  { story: 'grants', log: storyLog, before: 'project.removed' },
  { story: 'groups', log: mappingStoryLog, before: 'identity_provider.removed' },
]

/** Laws of the list of an organization's users. */
export const userLaws = lawsOf<ReadModelHome>({
  'The users of an organization are those for whom roles count, each once, with all these roles.':
    async (home) => {
      for (const { story, log } of STORIES)
        await afterEach(home, log(), async (model, index) => {
          for (const orgId of ORGANIZATIONS)
            demandEqual(
              `users of ${orgId} after event ${index} of ${story}`,
              await usersOf(model, { orgId }),
              await expectedUsers(model, orgId),
            )
        })
    },
  'The users at a position are the users right after its event.': async (home) => {
    for (const { story, log: newLog } of STORIES) {
      const log = newLog()
      const model = await fedWith(home, log)
      demandEqual('before all events', await usersOf(model, { orgId: 'acme', at: 0n }), [])
      for (const [index, { position }] of log.events.entries())
        for (const at of [position, position + 1n])
          for (const orgId of ORGANIZATIONS)
            demandEqual(
              `users of ${orgId} at event ${index} of ${story}`,
              await usersOf(model, { orgId, at }),
              await expectedUsers(model, orgId, { at }),
            )
    }
  },
  'Users are found page by page, and by user, project, owner of the project, role and permission.':
    async (home) => {
      for (const { story, log: newLog, before } of STORIES) {
        const log = newLog()
        const model = await fedWith(home, log)
        const at = fullestAt(log, before)
        for (const orgId of ORGANIZATIONS) {
          const all = await expectedUsers(model, orgId, { at })
          const check = async (
            what: string,
            query: Partial<UsersQuery>,
            expected: readonly UserRoles[],
          ) => {
            for (const limit of [1, 2, 1000])
              demandEqual(
                `users of ${orgId} in ${story} ${what}, in pages of ${limit}`,
                await usersOf(model, { orgId, at, ...query }, limit),
                expected,
              )
          }
          await check('', {}, all)
          for (const userIds of [['bob'], ['cid', 'nobody', 'ann'], ['an']])
            await check(
              userIds.join(),
              { userIds },
              all.filter(({ userId }) => userIds.includes(userId)),
            )
          for (const projectOrgId of ORGANIZATIONS)
            for (const projectId of ['portal', 'shop'])
              await check(
                `of ${projectOrgId}/${projectId}`,
                { projectOrgId, projectId },
                having(
                  all,
                  (role) => role.projectOrgId === projectOrgId && role.projectId === projectId,
                ),
              )
          for (const roleKey of ['reader', 'writer', 'guest', 'read'])
            await check(
              roleKey,
              { roleKey },
              having(all, (role) => role.roleKey === roleKey),
            )
          for (const permission of ['read', 'write'])
            await check(
              `with ${permission}`,
              { permission },
              await expectedUsers(model, orgId, { at, permission }),
            )
        }
      }
    },
  'The holders in one organization are the holders that are its users.': async (home) => {
    for (const { log: newLog, before } of STORIES) {
      const log = newLog()
      const model = await fedWith(home, log)
      const at = fullestAt(log, before)
      const { items: all } = await model.holders({ ...OF_PORTAL, at })
      for (const userOrgId of ORGANIZATIONS)
        for (const limit of [1, 1000]) {
          const expected = all.filter(({ orgId }) => orgId === userOrgId)
          const found = await model.holders({ ...OF_PORTAL, at, userOrgId, limit })
          demandEqual(`holders in ${userOrgId}`, found.items, expected.slice(0, limit))
          demandEqual('whether more follow', found.hasMore, expected.length > limit)
        }
    }
  },
})
