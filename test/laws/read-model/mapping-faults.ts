import type { AffectedQuery } from '../../../src/ports/access-reads.js'
import type { ReadModel } from '../../../src/ports/read-model.js'
import type { Fault } from './fault.js'
import { blindTo } from './grant-faults.js'

const HELD = 'A role of a group counts from'
const PAST = 'Roles of groups at a position are the'
const PAGES = 'Holders are found page by page, by role'
const VALID = 'A role of a group counts as'
const SINCE = 'A role of a group is held since'
const PROVIDER = 'The end of a provider'
const AS_IF = 'Roles are found as if their provider'
const ONCE = 'The roles that a change of a project affects'
const MEMBERS = 'Members of a group'
const GROUPS = 'Groups with mappings'
const GONE = 'Mappings and memberships are not found'

/** The model with what `affected` is asked for changed. */
const askedForAffected =
  (change: (query: AffectedQuery) => AffectedQuery): Fault['plant'] =>
  (sound) => ({ affected: (query) => sound.affected(change(query)) })

/** The model with the holders that it finds changed. */
const holding =
  (change: (page: Awaited<ReturnType<ReadModel['holders']>>) => object): Fault['plant'] =>
  (sound) => ({
    holders: async (query) => {
      const page = await sound.holders(query)
      return { ...page, ...change(page) }
    },
  })

const HOUR_MS = 3_600_000

/** Faults in what is read of the roles of groups. */
export const MAPPING_FAULTS: readonly Fault[] = [
  ...[
    'role_mapping.added',
    'role_mapping.updated',
    'role_mapping.removed',
    'membership.reported',
    'membership.removed',
    'identity_provider.deactivated',
    'identity_provider.reactivated',
    'identity_provider.removed',
  ].flatMap((type) =>
    (['holders', 'heldRoles', 'access'] as const).map((read) => ({
      fault: `finds ${read} of groups without regard to ${type}`,
      law: HELD,
      plant: blindTo([type], [read]),
    })),
  ),
  {
    fault: 'finds past holders by the groups of now',
    law: PAST,
    plant: (sound) => ({
      holders: async ({ at, ...query }) => {
        const past = await sound.holders({ ...query, ...(at !== undefined && { at }) })
        const { items } = await sound.holders(query)
        const isNow = (id: string) =>
          items.some(({ userId, via }) => userId === id && via !== 'grant')
        return {
          ...past,
          items: past.items.filter(({ userId, via }) => via === 'grant' || isNow(userId)),
        }
      },
    }),
  },
  {
    fault: 'lists the holders of a role by user before way',
    law: PAGES,
    plant: holding(({ items }) => ({
      items: items.toSorted((one, other) =>
        [one.roleKey, one.orgId, one.userId].join() <
        [other.roleKey, other.orgId, other.userId].join()
          ? -1
          : 1,
      ),
    })),
  },
  {
    fault: 'begins a page after the grants alone',
    law: PAGES,
    plant: (sound) => ({
      holders: ({ after, ...query }) => {
        const [role = '', org = '', resource = '', , , user = ''] = after ?? []
        const begin = after?.length === 6 ? ([role, org, resource, '', '', user] as const) : after
        return sound.holders({ ...query, ...(begin && { after: begin }) })
      },
    }),
  },
  {
    fault: 'counts reports for an hour longer',
    law: VALID,
    plant: (sound) => ({
      holders: (query) => sound.holders({ ...query, now: new Date(query.now.getTime() - HOUR_MS) }),
    }),
  },
  {
    fault: 'takes every provider for active',
    law: VALID,
    plant: (sound) => ({
      access: async (query) => {
        const found = await sound.access(query)
        return {
          ...found,
          mapped: found.mapped.map((role) => ({ ...role, isProviderActive: true })),
        }
      },
    }),
  },
  {
    fault: 'forgets when the report of a role expires',
    law: VALID,
    plant: (sound) => ({
      access: async (query) => {
        const found = await sound.access(query)
        return { ...found, mapped: found.mapped.map(({ expiresAt: _, ...role }) => role) }
      },
    }),
  },
  {
    fault: 'says that holders have a role since the epoch',
    law: SINCE,
    plant: holding(({ items }) => ({
      items: items.map((item) => ({ ...item, from: new Date(0) })),
    })),
  },
  {
    fault: 'finds nothing that the end of a provider concerns',
    law: PROVIDER,
    plant: (sound) => ({
      affected: async (query) =>
        'provider' in query ? { count: 0, first: [] } : sound.affected(query),
    }),
  },
  {
    fault: 'asks of any provider',
    law: PROVIDER,
    plant: askedForAffected((query) =>
      'provider' in query ? { ...query, provider: { ...query.provider, idpId: 'google' } } : query,
    ),
  },
  {
    fault: 'counts what an inactive provider gives as it is',
    law: AS_IF,
    plant: askedForAffected((query) => {
      if (!('provider' in query)) return query
      const { asIfActive: _, ...rest } = query
      return rest
    }),
  },
  {
    fault: 'counts a role once for each way',
    law: ONCE,
    plant: (sound) => ({
      affected: async (query) => {
        if ('provider' in query || 'members' in query) return sound.affected(query)
        const { items } = await sound.holders(query)
        return { count: items.length, first: items }
      },
    }),
  },
  ...(['after', 'until'] as const).map((bound) => ({
    fault: `finds members whatever ${bound} when they were reported`,
    law: MEMBERS,
    plant: askedForAffected((query) => {
      if (!('members' in query)) return query
      const { until, ...members } = query.members
      return bound === 'after'
        ? { ...query, members: { ...query.members, after: 0n } }
        : { ...query, members }
    }),
  })),
  {
    fault: 'finds members as if no other mapping were changed',
    law: MEMBERS,
    plant: askedForAffected((query) => {
      if (!('members' in query)) return query
      const { others: _, ...rest } = query
      return rest
    }),
  },
  ...(['after', 'resource'] as const).map((field) => ({
    fault: `finds members whatever ${field} another mapping has`,
    law: MEMBERS,
    plant: askedForAffected((query) => {
      if (!('members' in query) || !query.others) return query
      return { ...query, others: query.others.map(({ [field]: _, ...rest }) => rest) }
    }),
  })),
  {
    fault: 'finds members of any group',
    law: MEMBERS,
    plant: askedForAffected((query) =>
      'members' in query ? { ...query, members: { ...query.members, group: 'admins' } } : query,
    ),
  },
  {
    fault: 'finds groups in any case',
    law: GROUPS,
    plant: (sound) => ({
      mappedGroups: (query) =>
        sound.mappedGroups({ ...query, groups: query.groups.map((group) => group.toLowerCase()) }),
    }),
  },
  {
    fault: 'finds one mapping of a group',
    law: GROUPS,
    plant: (sound) => ({
      mappedGroups: async (query) => (await sound.mappedGroups(query)).slice(0, 1),
    }),
  },
  {
    fault: 'does not say how long reports count',
    law: GROUPS,
    plant: (sound) => ({
      mappedGroups: async (query) =>
        (await sound.mappedGroups(query)).map(({ validFor: _, ...rest }) => rest),
    }),
  },
  {
    fault: 'finds what belonged to a removed provider',
    law: GONE,
    plant: blindTo(['identity_provider.removed'], ['get']),
  },
]
