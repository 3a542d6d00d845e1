import type { Fault } from './fault.js'
import { blindTo } from './grant-faults.js'

const COUNTS = 'A role on one resource counts there alone'
const SHOWS = 'Every list of roles shows the resource'
const PAGES = 'A page of users has each user once, with the roles on all resources'

const without = <Item extends { readonly resource?: string }>(items: readonly Item[]) =>
  items.map(({ resource: _, ...item }) => item)

/** Faults about roles on one resource. */
export const RESOURCE_FAULTS: readonly Fault[] = [
  {
    fault: 'checks the whole project alone',
    law: COUNTS,
    plant: (sound) => ({ access: ({ resource: _, ...query }) => sound.access(query) }),
  },
  {
    fault: 'counts a role on one resource everywhere',
    law: COUNTS,
    plant: (sound) => ({ access: (query) => sound.access({ resource: 'a +1', ...query }) }),
  },
  {
    fault: 'finds holders on all resources',
    law: COUNTS,
    plant: (sound) => ({ holders: ({ resource: _, ...query }) => sound.holders(query) }),
  },
  {
    fault: 'keeps roles on resources that the grant of the project has lost',
    law: COUNTS,
    plant: blindTo(['project_grant.updated'], ['access', 'holders']),
  },
  {
    fault: 'lists holders without resources',
    law: SHOWS,
    plant: (sound) => ({
      holders: async (query) => {
        const { items, hasMore } = await sound.holders(query)
        return { items: without(items), hasMore }
      },
    }),
  },
  {
    fault: 'lists the roles of a user without resources',
    law: SHOWS,
    plant: (sound) => ({
      heldRoles: async (query) => {
        const { items, hasMore } = await sound.heldRoles(query)
        return { items: without(items), hasMore }
      },
    }),
  },
  {
    fault: 'lists users without resources',
    law: SHOWS,
    plant: (sound) => ({
      users: async (query) => {
        const { items, hasMore } = await sound.users(query)
        return {
          items: items.map(({ userId, roles }) => ({ userId, roles: without(roles) })),
          hasMore,
        }
      },
    }),
  },
  {
    fault: 'affects roles on resources once for each user',
    law: SHOWS,
    plant: (sound) => ({
      affected: async (query) => {
        const { first } = await sound.affected(query)
        const users = new Set(first.map(({ userId }) => userId))
        return { first, count: users.size }
      },
    }),
  },
  {
    fault: 'shows a user on a page for each resource',
    law: PAGES,
    plant: (sound) => ({
      users: async ({ after, ...query }) => {
        const { items } = await sound.users({ ...query, limit: 1000 })
        const each = items.flatMap(({ userId, roles }) =>
          roles.map((role) => ({ userId, roles: [role] })),
        )
        const left = each.filter(({ userId }) => after === undefined || userId > after[0])
        return { items: left.slice(0, query.limit), hasMore: left.length > query.limit }
      },
    }),
  },
  {
    fault: 'finds users on all resources',
    law: PAGES,
    plant: (sound) => ({ users: ({ resource: _, ...query }) => sound.users(query) }),
  },
]
