import { memoryReadModel } from '../../../src/adapters/memory/read-model.js'
import type {
  AccessReads,
  Affected,
  AffectedInProject,
  AffectedQuery,
  FoundAccess,
  FoundGrant,
  HeldRole,
  HeldRolesQuery,
  Holder,
  HoldersQuery,
  Slice,
} from '../../../src/ports/access-reads.js'
import type { HistoryEntry, HistoryQuery, ReadModel } from '../../../src/ports/read-model.js'
import { type Fault, oneTurn, slowly, withConditions } from './fault.js'

type Plant = Fault['plant']
type Read = 'get' | 'list' | 'history' | 'route' | keyof AccessReads

/** The model that answers `reads` as if events of some types had not happened. */
export const blindTo =
  (types: readonly string[], reads: readonly Read[]): Plant =>
  (sound) => {
    const blind = memoryReadModel()
    return {
      apply: async (from, events) => {
        const isApplied = await sound.apply(from, events)
        const seen = events.filter(({ type }) => !types.includes(type))
        if (isApplied) await blind.apply(await blind.checkpoint(), seen)
        return isApplied
      },
      reset: async () => {
        await sound.reset()
        await blind.reset()
      },
      ...Object.fromEntries(reads.map((read) => [read, blind[read]])),
    }
  }

/** The model with what `access` finds changed. */
const finding =
  (change: (found: FoundAccess) => Partial<FoundAccess>): Plant =>
  (sound) => ({
    access: async (query) => {
      const found = await sound.access(query)
      return { ...found, ...change(found) }
    },
  })

/** With each grant changed. */
const granting =
  (change: (grant: FoundGrant, found: FoundAccess) => Partial<FoundGrant>) =>
  (found: FoundAccess): Partial<FoundAccess> => ({
    grants: found.grants.map((grant) => ({ ...grant, ...change(grant, found) })),
  })

/** With the lost roles of each grant changed. */
const losing = (change: (lost: FoundGrant['lost'], found: FoundAccess) => FoundGrant['lost']) =>
  granting(({ lost }, found) => ({ lost: change(lost, found) }))

/** The model with what `holders` is asked for changed. */
const askedForHolders =
  (change: (query: HoldersQuery) => HoldersQuery): Plant =>
  (sound) => ({ holders: (query) => sound.holders(change(query)) })

/** The model with the holders that it finds changed. */
const holding =
  (change: (page: Slice<Holder>, query: HoldersQuery) => Slice<Holder>): Plant =>
  (sound) => ({ holders: async (query) => change(await sound.holders(query), query) })

/** The model with what `affected` is asked for changed. */
const askedForAffected =
  (change: (query: AffectedInProject) => AffectedInProject): Plant =>
  (sound) => ({
    affected: (query) => sound.affected(isOfProject(query) ? change(query) : query),
  })

/** Whether a query is about all that a change of a project or of a grant concerns. */
const isOfProject = (query: AffectedQuery): query is AffectedInProject =>
  !('members' in query) && !('provider' in query)

/** The model with the roles that it finds a change to concern changed. */
const affecting =
  (change: (affected: Affected) => Partial<Affected>): Plant =>
  (sound) => ({
    affected: async (query) => {
      const found = await sound.affected(query)
      return { ...found, ...change(found) }
    },
  })

/** The model that counts as if a grant of the project and something else were active. */
const asIfActiveToo =
  (type: string): Plant =>
  (sound, store) => {
    const { affected, ...blind } = blindTo([type], ['affected'])(sound, store)
    return {
      ...blind,
      affected: (query) =>
        isOfProject(query) && query.asIfActive && query.userOrgId !== undefined && affected
          ? affected(query)
          : sound.affected(query),
    }
  }

/** The model with what `heldRoles` is asked for changed. */
const askedForRoles =
  (change: (query: HeldRolesQuery) => HeldRolesQuery): Plant =>
  (sound) => ({ heldRoles: (query) => sound.heldRoles(change(query)) })

/** The model with the roles that it finds a user to hold changed. */
const heldAs =
  (change: (page: Slice<HeldRole>) => Slice<HeldRole>): Plant =>
  (sound) => ({ heldRoles: async (query) => change(await sound.heldRoles(query)) })

/** The model with the entries of its history changed. */
const entries =
  (
    change: (found: readonly HistoryEntry[], query: HistoryQuery) => readonly HistoryEntry[],
  ): Plant =>
  (sound) => ({ history: async (query) => change(await sound.history(query), query) })

const earlier = (now: Date): Date => new Date(now.getTime() - 1)

const PAUSES = ['project.deactivated', 'project_grant.deactivated', 'user_grant.deactivated']
const ENDS = [
  'project_role.removed',
  'project_grant.updated',
  'project_grant.removed',
  'user_grant.updated',
  'project.removed',
]

const SHOWN_FAULTS: readonly Fault[] = [
  {
    fault: 'answers the fields of roles in another order',
    law: 'The roles of a user are listed',
    plant: (sound) => ({
      heldRoles: async (query) => {
        const { items, hasMore } = await sound.heldRoles(query)
        return { items: items.map(({ via, ...rest }) => ({ via, ...rest })), hasMore }
      },
    }),
  },
  ...['project_role.removed', 'project_grant.updated', 'project_grant.removed'].map((type) => ({
    fault: `shows roles that ended by ${type}`,
    law: 'A grant shows its',
    plant: blindTo([type], ['get']),
  })),
  {
    fault: 'lists the grants of a removed project',
    law: 'Grants of a project, and of its roles',
    plant: blindTo(['project.removed'], ['list']),
  },
  {
    fault: 'removes with a project the grants of its own organization alone',
    law: 'Grants of a project, and of its roles',
    plant: (sound, store) => {
      const { list, ...blind } = blindTo(['project.removed'], ['list'])(sound, store)
      return {
        ...blind,
        list: (query) => (query.orgId === 'globex' && list ? list(query) : sound.list(query)),
      }
    },
  },
  {
    fault: 'lists as received what an organization grants',
    law: 'Received grants are listed',
    plant: (sound) => ({
      list: ({ isReceived, ...query }) =>
        sound.list(isReceived ? { ...query, projectId: 'two' } : query),
    }),
  },
  {
    fault: 'lists what was received of one owner alone',
    law: 'Received grants are listed',
    plant: (sound) => ({
      list: async (query) => {
        const { items, ...rest } = await sound.list(query)
        const [first] = items
        const ofFirst = items.filter(
          ({ details }) => details.resourceOwner === first?.details.resourceOwner,
        )
        return { ...rest, items: query.isReceived ? ofFirst : items }
      },
    }),
  },
  {
    fault: 'begins each page of what was received with the first',
    law: 'Received grants are listed',
    plant: (sound) => ({
      list: ({ after, ...query }) =>
        sound.list(query.isReceived || !after ? query : { ...query, after }),
    }),
  },
  {
    fault: 'lists to anyone what others received',
    law: 'Received grants are listed',
    plant: (sound) => ({
      list: (query) => sound.list(query.isReceived ? { ...query, orgId: 'globex' } : query),
    }),
  },
  {
    fault: 'minds the case of the keys of granted roles always',
    law: 'Grants are found by the key',
    plant: (sound) => ({
      list: (query) => {
        const conditions = query.conditions.map((each) => ({ ...each, ignoreCase: false }))
        return sound.list({ ...query, conditions })
      },
    }),
  },
  {
    fault: 'finds grants by roles that have ended',
    law: 'Grants are found by the key',
    plant: blindTo(['project_role.removed'], ['list']),
  },
  {
    fault: 'finds grants by the roles that they were added with',
    law: 'Grants are found by the key',
    plant: blindTo(['user_grant.updated'], ['list']),
  },
  {
    fault: 'includes grants in the history of a project with its roles',
    law: 'The history of a project with its roles',
    plant: (sound) => ({
      history: ({ including, object, ...query }) =>
        sound.history(including || !object ? query : { ...query, object }),
    }),
  },
  {
    fault: 'does not end the history of a grant with its project',
    law: 'The history of a project with its roles',
    plant: entries((found, { object }) =>
      found.filter(
        (entry) => object?.type !== 'project_grant' || entry.object.type === object.type,
      ),
    ),
  },
  {
    fault: 'lists a removed grant of a project to who received it',
    law: 'A removed grant of a project',
    plant: blindTo(['project_grant.removed'], ['list']),
  },
]

const READS = ['holders', 'heldRoles', 'access'] as const

const ACCESS_FAULTS: readonly Fault[] = [
  ...[...PAUSES, ...ENDS].flatMap((type) =>
    READS.map((read) => ({
      fault: `asks nothing of ${type} in ${read}`,
      law: read === 'holders' ? 'A role counts from' : 'The roles that a user holds and',
      plant: blindTo([type], [read]),
    })),
  ),
  ...(['holders', 'heldRoles'] as const).map((read) => ({
    fault: `keeps what a removed grant gave, in ${read}`,
    law: 'A user loses a role',
    plant: blindTo(['user_grant.removed'], [read]),
  })),
  {
    fault: 'takes present holders for past ones',
    law: 'Holders at a position are the',
    plant: askedForHolders(({ at: _, ...query }) => query),
  },
  ...(['roleKey', 'permission'] as const).map((field) => ({
    fault: `lists the roles of a user whatever ${field} was asked for`,
    law: 'The roles of a user are listed',
    plant: askedForRoles((query) => ({ ...query, [field]: undefined })),
  })),
  {
    fault: 'takes the present roles of a user for past ones',
    law: 'The roles of a user at',
    plant: askedForRoles(({ at: _, ...query }) => query),
  },
  {
    fault: 'finds the past roles of a user as of before the event',
    law: 'The roles of a user at',
    plant: askedForRoles(({ at, ...query }) =>
      at === undefined ? query : { ...query, at: at - 1n },
    ),
  },
  ...[...PAUSES, 'project_role.removed', 'project_grant.removed'].map((type) => ({
    fault: `knows nothing of ${type} in the past of a user`,
    law: 'The roles of a user at',
    plant: blindTo([type], ['heldRoles']),
  })),
  {
    fault: 'finds the holders of roles whoever was asked for',
    law: 'Holders are found by user',
    plant: askedForHolders(({ userId: _, ...query }) => query),
  },
  {
    fault: 'finds one user in their first organization alone',
    law: 'Holders are found by user',
    plant: holding(({ items, hasMore }, { userId }) => ({
      items: items.filter(({ orgId }) => userId === undefined || orgId === items[0]?.orgId),
      hasMore,
    })),
  },
  {
    fault: 'finds holders in all projects whatever organization owns them',
    law: 'Holders in all projects are listed',
    plant: (sound) => ({
      holders: async ({ after: _, ...query }) => {
        const { items, hasMore } = await sound.holders(query)
        if (query.projectId !== undefined) return { items, hasMore }
        const other = await sound.holders({ ...query, orgId: 'other' })
        return { items: [...items, ...other.items], hasMore }
      },
    }),
  },
  {
    fault: 'finds holders in all projects without saying in which',
    law: 'Holders in all projects are listed',
    plant: holding(({ items, hasMore }) => ({
      items: items.map(({ projectId: _, ...holder }) => holder),
      hasMore,
    })),
  },
  {
    fault: 'finds holders in all projects as they are now',
    law: 'Holders in all projects are listed',
    plant: askedForHolders(({ at, ...query }) =>
      at === undefined || query.projectId === undefined ? query : { ...query, at },
    ),
  },
  {
    fault: 'orders holders in all projects by role',
    law: 'Holders in all projects are listed',
    plant: holding(({ items, hasMore }, { projectId }) => ({
      items:
        projectId === undefined
          ? items.toSorted((one, other) => (one.roleKey < other.roleKey ? -1 : 1))
          : items,
      hasMore,
    })),
  },
  {
    fault: 'begins each page of holders in all projects with the first',
    law: 'Holders in all projects are listed',
    plant: askedForHolders(({ after, ...query }) =>
      after === undefined || query.projectId === undefined ? query : { ...query, after },
    ),
  },
  {
    fault: 'finds the history of the whole organization for that of a user',
    law: 'The history of a user is the',
    plant: (sound) => ({ history: ({ user: _, ...query }) => sound.history(query) }),
  },
  {
    fault: 'finds the history of the whole organization for that of a project',
    law: 'The history of a project has its roles',
    plant: (sound) => ({ history: ({ project: _, ...query }) => sound.history(query) }),
  },
  {
    fault: 'finds no mappings in the history of a project',
    law: 'The history of a project has its roles',
    plant: entries((found, { project }) =>
      found.filter(({ object }) => !project || object.type !== 'role_mapping'),
    ),
  },
  {
    fault: 'finds the history of a project of another organization for an own one',
    law: 'The history of a project has its roles',
    plant: (sound) => ({
      history: ({ project, ...query }) =>
        sound.history({
          ...query,
          ...(project && { project: { ...project, projectOrgId: query.orgId } }),
        }),
    }),
  },
  {
    fault: 'finds the history of the present grants of a user alone',
    law: 'The history of a user is the',
    plant: entries((found, { user }) =>
      user === undefined || found.at(-1)?.type !== 'user_grant.removed' ? found : [],
    ),
  },
  {
    fault: 'finds the history of users whose names end alike',
    law: 'The history of a user is the',
    plant: (sound) => ({
      history: async (query) => {
        const { user, ...rest } = query
        const all = user === undefined ? [] : await sound.history({ ...rest, limit: 1000 })
        const alike = all.filter(
          ({ object }) => object.type === 'user_grant' && object.userId.endsWith(`${user}`),
        )
        return user === undefined ? sound.history(query) : alike.slice(0, query.limit)
      },
    }),
  },
  {
    fault: 'finds past holders as of before the event',
    law: 'Holders at a position are the',
    plant: askedForHolders(({ at, ...query }) =>
      at === undefined ? query : { ...query, at: at - 1n },
    ),
  },
  ...[...PAUSES, 'project_role.removed', 'project_grant.removed'].map((type) => ({
    fault: `knows nothing of ${type} in the past`,
    law: 'Holders at a position are the',
    plant: blindTo([type], ['holders']),
  })),
  {
    fault: 'finds holders of any role',
    law: 'Holders are found by one role',
    plant: askedForHolders(({ roleKey: _, ...query }) => query),
  },
  {
    fault: 'begins every page of holders with the first',
    law: 'Holders are found by one role',
    plant: askedForHolders(({ after: _, ...query }) => query),
  },
  {
    fault: 'does not say that holders follow',
    law: 'Holders are found by one role',
    plant: holding((page) => ({ ...page, hasMore: false })),
  },
  {
    fault: 'puts the holders of all roles in the order of users',
    law: 'A role counts from',
    plant: holding((page) => ({
      ...page,
      items: page.items.toSorted((one, other) => (one.userId < other.userId ? 1 : -1)),
    })),
  },
  {
    fault: 'does not tell when the roles of holders end',
    law: 'A holder has the expiry',
    plant: holding(({ items, hasMore }) => ({
      items: items.map(({ expiresAt: _, ...item }) => item),
      hasMore,
    })),
  },
  {
    fault: 'takes another end of a role for its begin',
    law: 'A holder has the expiry',
    plant: holding(({ items, hasMore }) => ({
      items: items.map((item) =>
        item.expiresAt ? item : { ...item, from: new Date(item.from.getTime() + 1) },
      ),
      hasMore,
    })),
  },
  {
    fault: 'counts a role at the moment at which it expires',
    law: 'A role stops counting',
    plant: askedForHolders((query) => ({ ...query, now: earlier(query.now) })),
  },
  {
    fault: 'counts what has expired among past roles',
    law: 'A role stops counting',
    plant: askedForHolders((query) =>
      query.at === undefined ? query : { ...query, now: new Date(0) },
    ),
  },
  {
    fault: 'holds a role at the moment at which it expires',
    law: 'A role stops counting',
    plant: askedForRoles((query) => ({ ...query, now: earlier(query.now) })),
  },
  {
    fault: 'finds the roles of a user in the order in which they were given',
    law: 'The roles of a user are',
    plant: heldAs((page) => ({ ...page, items: page.items.toReversed() })),
  },
  {
    fault: 'finds the roles of all projects where one is named',
    law: 'The roles of a user are',
    plant: askedForRoles(({ projectId: _, ...query }) => query),
  },
  {
    fault: 'begins every page of roles with the first',
    law: 'The roles of a user are',
    plant: askedForRoles(({ after: _, ...query }) => query),
  },
  {
    fault: 'always says that roles follow',
    law: 'The roles of a user are',
    plant: heldAs((page) => ({ ...page, hasMore: true })),
  },
  {
    fault: 'finds the roles of users of the same name elsewhere',
    law: 'The roles of a user are',
    plant: askedForRoles((query) => ({ ...query, orgId: 'globex' })),
  },
  {
    fault: 'does not name the roles of a user',
    law: 'Access has the settings of the project, the states of both grants, and the names and expiry',
    plant: finding(
      granting(({ roles }) => ({ roles: roles.map((role) => ({ ...role, group: '' })) })),
    ),
  },
  {
    fault: 'finds a grant to an organization that has none',
    law: 'Access has the settings of the project, the states of both grants, and the names and expiry',
    plant: finding(({ projectGrant }) => ({ projectGrant: projectGrant ?? 'inactive' })),
  },
  {
    fault: 'finds a project wherever its grant is',
    law: 'Access has the settings of the project, the states of both grants, and the names and expiry',
    plant: (sound) => ({ access: (query) => sound.access({ ...query, projectOrgId: 'acme' }) }),
  },
  {
    fault: 'loses no role',
    law: 'A role that ended without an event of the grant is lost, because',
    plant: finding(losing(() => [])),
  },
  ...(['role', 'project_grant'] as const).map((type) => ({
    fault: `loses any role with the ${type}`,
    law: 'A role that ended without an event of the grant is lost, because',
    plant: finding(losing((lost) => lost.map((role) => ({ ...role, with: type })))),
  })),
]

const AFFECTED_FAULTS: readonly Fault[] = [
  {
    fault: 'counts the affected as they are at the end of the log',
    law: 'The roles that a change affects are those',
    plant: askedForAffected((query) => ({ ...query, at: 2n ** 62n })),
  },
  {
    fault: 'counts the affected as of before the event',
    law: 'The roles that a change affects are those',
    plant: askedForAffected((query) => ({ ...query, at: query.at - 1n })),
  },
  ...[...PAUSES, ...ENDS].map((type) => ({
    fault: `asks nothing of ${type} in affected`,
    law: 'The roles that a change affects are those',
    plant: blindTo([type], ['affected']),
  })),
  {
    fault: 'names the affected in the order of users',
    law: 'The roles that a change affects are those',
    plant: affecting(({ first }) => ({
      first: first.toSorted((one, other) => (one.userId < other.userId ? 1 : -1)),
    })),
  },
  {
    fault: 'counts no more of the affected than it names',
    law: 'The number of roles that a change affects',
    plant: affecting(({ first }) => ({ count: first.length })),
  },
  {
    fault: 'names all that are affected',
    law: 'The number of roles that a change affects',
    plant: askedForAffected((query) => ({ ...query, limit: 1000 })),
  },
  {
    fault: 'counts the affected of any role',
    law: 'The roles that a change affects are found',
    plant: askedForAffected(({ roleKeys: _, ...query }) => query),
  },
  {
    fault: 'takes no roles for all roles',
    law: 'The roles that a change affects are found',
    plant: askedForAffected(({ roleKeys = [], ...query }) =>
      roleKeys.length === 0 ? query : { ...query, roleKeys },
    ),
  },
  {
    fault: 'counts the affected of any organization',
    law: 'The roles that a change affects are found',
    plant: askedForAffected(({ userOrgId: _, ...query }) => query),
  },
  {
    fault: 'counts the affected of any project',
    law: 'The roles that a change affects are found',
    plant: askedForAffected((query) => ({ ...query, projectId: 'portal' })),
  },
  {
    fault: 'counts what is inactive as inactive, whatever it is asked',
    law: 'Roles are found as if only',
    plant: askedForAffected(({ asIfActive: _, ...query }) => query),
  },
  ...['project.deactivated', 'user_grant.deactivated'].map((type) => ({
    fault: `asks nothing of ${type} when it counts as if a grant of the project were active`,
    law: 'Roles are found as if only',
    plant: asIfActiveToo(type),
  })),
  {
    fault: 'counts the affected at the moment at which their roles expire',
    law: 'A change does not',
    plant: askedForAffected((query) => ({ ...query, now: earlier(query.now) })),
  },
]

const ENDING_FAULTS: readonly Fault[] = [
  ...(['orgId', 'projectOrgId', 'projectId'] as const).map((field) => ({
    fault: `minds no ${field} in access`,
    law: 'A removal or deactivation',
    plant: ((sound) => ({
      access: (query) =>
        sound.access({
          ...query,
          [field]: { orgId: 'globex', projectOrgId: 'acme', projectId: 'portal' }[field],
        }),
    })) satisfies Plant,
  })),
  {
    fault: 'minds no organization of holders',
    law: 'A removal or deactivation',
    plant: (sound) => ({
      holders: async (query) => {
        const { items, hasMore } = await sound.holders(query)
        const hasGlobex = items.some(({ orgId }) => orgId === 'globex')
        return { items: hasGlobex ? items : [], hasMore }
      },
    }),
  },
  {
    fault: 'loses a role with what ended last',
    law: 'A lost role names what ended it first, until the grant is recorded again.',
    plant: finding(
      losing((lost, { projectGrant }) =>
        projectGrant ? lost : lost.map((role) => ({ ...role, with: 'project_grant' })),
      ),
    ),
  },
  {
    fault: 'loses a role once for each end',
    law: 'A lost role names what ended it first, until the grant is recorded again.',
    plant: finding(losing((lost) => [...lost, ...lost])),
  },
  {
    fault: 'keeps what was lost when a user is given roles anew',
    law: 'A lost role names what ended it first, until the grant is recorded again.',
    plant: blindTo(['user_grant.updated'], ['access']),
  },
  {
    fault: 'takes the end of a role for an event of a grant',
    law: 'The end of a role is not',
    plant: (sound) => ({
      get: async (orgId, ref) => {
        const row = await sound.get<typeof ref.type>(orgId, ref)
        const details = row && { ...row.details, sequence: await sound.checkpoint() }
        return row && ({ ...row, details } as never)
      },
    }),
  },
  {
    fault: 'shows in history no change of a role that was removed and is granted again',
    law: 'History shows changes of the roles',
    plant: blindTo(['project_role.removed'], ['history']),
  },
  {
    fault: 'shows in history roles as taken that had ended before',
    law: 'History shows changes of the roles',
    plant: blindTo(['project_grant.removed'], ['history']),
  },
  {
    fault: 'lets holders begin with the last event',
    law: 'A holder has a role since it was last given, even',
    plant: (sound) => ({
      holders: async (query) => {
        const { items, hasMore } = await sound.holders(query)
        const from = new Date(Number(await sound.checkpoint()) / 1000)
        return { items: items.map((item) => ({ ...item, from })), hasMore }
      },
    }),
  },
  {
    fault: 'takes a role given anew for the old one',
    law: 'A holder has a role since it was last given, even',
    plant: blindTo(['project_role.removed'], ['holders']),
  },
  {
    fault: 'finds the project and the grant of a user at two moments',
    law: 'Access is of one',
    plant: (sound) => ({
      apply: slowly(sound.apply),
      access: async (query) => {
        const { project } = await sound.access(query)
        for (let turn = 0; turn < 3; turn++) await oneTurn()
        return { ...(await sound.access(query)), project }
      },
    }),
  },
  ...READS.map((read) => ({
    fault: `hands out what it holds for ${read}`,
    law: 'Changing a returned value',
    plant: ((sound) => {
      let held: unknown
      return {
        [read]: async (query: never) => {
          held ??= await sound[read](query)
          return held
        },
      } as Partial<ReadModel>
    }) satisfies Plant,
  })),
]

/** The keys of the roles of `acme`'s `portal` that have a permission now. */
const allowingNow = async (sound: ReadModel, permission: string | undefined) => {
  const { items } = await sound.list<'project_role'>({
    type: 'project_role',
    orgId: 'acme',
    projectId: 'portal',
    conditions: [],
    sort: [{ field: 'roleKey', direction: 'asc' }],
    limit: 1000,
  })
  return items
    .filter(({ permissions }) => permission === undefined || permissions.includes(permission))
    .map(({ roleKey }) => roleKey)
}

const PERMISSION_FAULTS: readonly Fault[] = [
  {
    fault: 'lists roles whatever they allow',
    law: 'Roles are listed by a permission',
    plant: withConditions((condition) => (condition.field === 'permission' ? [] : condition)),
  },
  {
    fault: 'minds the case of permissions when told not to',
    law: 'Roles are listed by a permission',
    plant: withConditions((each) => ({
      ...each,
      ignoreCase: each.ignoreCase && each.field !== 'permission',
    })),
  },
  ...['project_role.updated', 'project_role.removed'].map((type) => ({
    fault: `lists roles by permissions as if ${type} had not happened`,
    law: 'Roles are listed by a permission',
    plant: blindTo([type], ['list']),
  })),
  {
    fault: 'finds holders whatever their roles allow',
    law: 'Holders of a permission are the',
    plant: askedForHolders(({ permission: _, ...query }) => query),
  },
  ...['project_role.updated', 'project_role.removed', 'project.removed'].map((type) => ({
    fault: `finds holders by permissions as if ${type} had not happened`,
    law: 'Holders of a permission are the',
    plant: blindTo([type], ['holders']),
  })),
  {
    fault: 'minds no case of permissions',
    law: 'Holders of a permission are the',
    plant: askedForHolders(({ permission, ...query }) =>
      permission === undefined ? query : { ...query, permission: permission.toLowerCase() },
    ),
  },
  {
    fault: 'finds past holders by what their roles allow now',
    law: 'Holders of a permission at a position are the',
    plant: (sound) => ({
      holders: async ({ permission, ...query }) => {
        const allowing = await allowingNow(sound, permission)
        const { items, hasMore } = await sound.holders(query)
        return { items: items.filter(({ roleKey }) => allowing.includes(roleKey)), hasMore }
      },
    }),
  },
  {
    fault: 'pages holders of a permission by all holders',
    law: 'Holders of a permission are found',
    plant: (sound) => ({
      holders: async (query) => {
        const { hasMore } = await sound.holders({ ...query, after: ['', '', '', '', '', ''] })
        return { ...(await sound.holders(query)), hasMore }
      },
    }),
  },
  {
    fault: 'finds roles to hold without what they allow',
    law: 'The roles of a user have the permissions',
    plant: heldAs(({ items, hasMore }) => ({
      items: items.map((item) => ({ ...item, permissions: [] })),
      hasMore,
    })),
  },
  {
    fault: 'finds access by permissions in another order',
    law: 'The roles of a user have the permissions',
    plant: finding(
      granting(({ roles }) => ({
        roles: roles.map((role) => ({ ...role, permissions: role.permissions.toReversed() })),
      })),
    ),
  },
  {
    fault: 'shows in history that a role has no permissions',
    law: 'History does not show that a role',
    plant: entries((found) =>
      found.map((entry) =>
        entry.type === 'project_role.added'
          ? {
              ...entry,
              changes: [{ field: 'permissions', from: undefined, to: [] }, ...entry.changes],
            }
          : entry,
      ),
    ),
  },
  {
    fault: 'gives permissions to roles of version 1',
    law: 'A role whose events are of version 1',
    plant: (sound) => ({
      apply: (from, events) =>
        sound.apply(
          from,
          events.map((event) =>
            event.schemaVersion === 1 && /^project_role\.(added|updated)$/.test(event.type)
              ? { ...event, schemaVersion: 2, data: { ...event.data, permissions: ['read'] } }
              : event,
          ),
        ),
    }),
  },
]

/** Faults in what is read of grants, of who has which role, and of what roles allow. */
export const GRANT_FAULTS: readonly Fault[] = [
  ...SHOWN_FAULTS,
  ...ACCESS_FAULTS,
  ...AFFECTED_FAULTS,
  ...ENDING_FAULTS,
  ...PERMISSION_FAULTS,
]
