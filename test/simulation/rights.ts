import { type Command, isCurrent, nameOf, ORGS, type State, type Thing } from './model.js'

/** A role that counts for a user, and what gives it. */
interface Way {
  readonly roleKey: string
  /** Absent for the whole project. */
  readonly resource: string | undefined
  /** `i/f` by a group of a provider; absent by a grant. */
  readonly via?: string
}

type Asked = Pick<Command, 'org' | 'userId' | 'projectId'>

/** Each way in which a role of a project, or on a resource of it, counts for a user at a time. */
const waysOf = (state: State, { org, userId, projectId }: Asked, now: number): readonly Way[] => {
  if (!state.get(`project ${projectId}`)?.isActive) return []
  if (org === 'globex' && !state.get(`grant ${projectId}`)?.isActive) return []
  const rolesIn = ({ roles }: Thing) =>
    [...roles]
      .filter(isCurrent(state, { method: 'access.check', org, projectId }))
      .filter(([, { expiresAt }]) => expiresAt === undefined || expiresAt > now)
      .map(([roleKey]) => roleKey)
  const ways: Way[] = []
  for (const [name, thing] of state) {
    const [type, ofOrg, ofWhom = '', ...more] = name.split(' ')
    const place = more.at(-1)?.split('/') ?? []
    const [ofProject, resource] = place
    if (ofOrg !== org || ofProject !== projectId) continue
    if (type === 'user' && ofWhom === userId && thing.isActive)
      ways.push(...rolesIn(thing).map((roleKey) => ({ roleKey, resource })))
    if (type !== 'mapping') continue
    const [group = ''] = more
    const reported = state.get(`membership ${org} ${ofWhom} ${userId}`)
    const isMember = reported?.groups?.includes(group) && reported.born > thing.born
    if (!isMember || !state.get(`provider ${org} ${ofWhom}`)?.isActive) continue
    ways.push(
      ...rolesIn(thing).map((roleKey) => ({ roleKey, resource, via: `${ofWhom}/${group}` })),
    )
  }
  return ways
}

/** How a way is shown: `a` by a grant, `a i/f` by a group, `a@r` on a resource. */
export const wayAs = (way: Way): string =>
  [placeAs(way), ...(way.via === undefined ? [] : [way.via])].join(' ')

const placeAs = ({ roleKey, resource }: Pick<Way, 'roleKey' | 'resource'>): string =>
  resource === undefined ? roleKey : `${roleKey}@${resource}`

/** The ways of all roles, or of one, in order. With a resource, only those that count on it. */
export const countingWays = (state: State, command: Command, now: number): readonly string[] =>
  waysOf(state, command, now)
    .filter(({ resource }) => command.resource === undefined || countsOn(resource, command))
    .map(wayAs)
    .sort()

/** Keys of the roles that count for a user, in order: for the whole project, or on a resource. */
export const countingRoles = (state: State, command: Command, now: number): readonly string[] => {
  const ways = waysOf(state, command, now).filter(({ resource }) => countsOn(resource, command))
  return [...new Set(ways.map(({ roleKey }) => roleKey))].sort()
}

const countsOn = (resource: string | undefined, asked: Pick<Command, 'resource'>): boolean =>
  resource === undefined || resource === asked.resource

/** Who has which role of any project, `acme ann p a@r`. */
const rightsIn = (state: State, now: number): ReadonlySet<string> => {
  const rights = new Set<string>()
  for (const org of ORGS)
    for (const userId of USERS)
      for (const projectId of PROJECTS)
        for (const way of waysOf(state, { org, userId, projectId }, now))
          rights.add(`${projectId} ${org} ${userId} ${placeAs(way)}`)
  return rights
}

export const USERS = ['ann', 'bob'] as const
export const PROJECTS = ['p', 'q'] as const

/** The rights that users lose and gain from one state to another, in order: `-acme ann a`, `+acme ann b@r`. */
export const impactBetween = (before: State, after: State, now: number): string => {
  const [had, has] = [rightsIn(before, now), rightsIn(after, now)]
  // A role of the whole project counts on its resources, too.
  const only = (one: ReadonlySet<string>, other: ReadonlySet<string>, sign: string) =>
    [...one]
      .filter((right) => !other.has(right) && !other.has(right.split('@')[0] ?? ''))
      .map((right) => `${sign}${right.slice(right.indexOf(' ') + 1)}`)
      .sort()
  return [...only(had, has, '-'), ...only(has, had, '+')].join()
}

/** The roles that a grant or a mapping has before and after a command, as far as they differ: `+a`, `-b`. */
export const rolesBetween = (before: State, after: State, command: Command): string => {
  const name = nameOf(command)
  const rolesIn = (state: State) =>
    new Map([...(state.get(name)?.roles ?? [])].filter(isCurrent(state, command)))
  const [had, has] = [rolesIn(before), rolesIn(after)]
  const changed = [...new Set([...had.keys(), ...has.keys()])].sort().flatMap((roleKey) => {
    const [from, to] = [had.get(roleKey), has.get(roleKey)]
    if (from && to) return from.expiresAt === to.expiresAt ? [] : [`~${roleKey}`]
    return from ? [`-${roleKey}`] : [`+${roleKey}`]
  })
  return changed.join()
}
