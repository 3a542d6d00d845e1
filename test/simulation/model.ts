/**
 * What a plain program would do that has no events, versions, caches, races or faults: the judge of every answer. It
 * follows what callers asked for, never what was stored for it, so a right that comes back by itself differs from it.
 */

/** The organization that owns all projects, and one that is granted them. */
type Org = (typeof ORGS)[number]

const ORGS = ['acme', 'globex'] as const

/** What a caller asks to change. */
export interface Command {
  readonly method: string
  readonly org: Org
  readonly projectId: string
  readonly roleKey?: string
  readonly roleKeys?: readonly string[]
  readonly userId?: string
  readonly idpId?: string
  readonly group?: string
  /** The groups of a report. */
  readonly groups?: readonly string[]
  readonly domain?: string
  readonly linkId?: string
}

/** A role as it was given: a role that is added again is another one, and so is one that is granted again. */
interface Given {
  readonly role: number
  readonly grant: number | undefined
}

interface Thing {
  /** Unique among all that ever was; of a membership the last report. */
  readonly born: number
  /** Of a domain: verified. Of a link: open. */
  readonly isActive: boolean
  readonly roles: ReadonlyMap<string, Given>
  /** Of a membership. */
  readonly groups?: readonly string[]
  /** Of a domain: the provider that its users sign in with. */
  readonly idpId?: string | undefined
  /** Of a link. */
  readonly isUsed?: boolean
}

/** All that exists, by name: `project p`, `role p a`, `grant p`, `user globex u p`, `mapping globex i f p`. */
export type State = ReadonlyMap<string, Thing>

export const nothing: State = new Map()

/** The domain whose owners never publish what proves it. */
export const UNPUBLISHED = 'never.example'

/** The object that a command is about. */
export const nameOf = (command: Command): string => {
  const { method, org, projectId, roleKey, userId, idpId, group, domain, linkId } = command
  switch (method.split('.')[0]) {
    case 'projects':
      return `project ${projectId}`
    case 'projectRoles':
      return `role ${projectId} ${roleKey}`
    case 'projectGrants':
      return `grant ${projectId}`
    case 'identityProviders':
      return `provider ${org} ${idpId}`
    case 'roleMappings':
      return `mapping ${org} ${idpId} ${group} ${projectId}`
    case 'memberships':
      return `membership ${org} ${idpId} ${userId}`
    case 'domains':
      return `domain ${org} ${domain}`
    case 'setupLinks':
      return `link ${linkId}`
    default:
      return `user ${org} ${userId} ${projectId}`
  }
}

/** Whether a command looks something up before it is decided: which groups are mapped, or what DNS says. */
export const looksUp = ({ method }: Command): boolean => /\.(report|verify)$/.test(method)

/**
 * The state after a command, the same one if it changes nothing, or the kind of the error that refuses it.
 *
 * @param seen - the state when the command looked something up
 */
export const perform = (
  state: State,
  command: Command,
  born: number,
  seen: State = state,
): State | string => {
  const name = nameOf(command)
  const { org, projectId, idpId, domain } = command
  const [, verb = ''] = command.method.split('.')
  const before = state.get(name)
  const hasProvider = state.has(`provider ${org} ${idpId}`)
  if (/^(role|grant|user|mapping) /.test(name) && !state.has(`project ${projectId}`))
    return 'NotFound'
  if (/^(mapping|membership) /.test(name) && !hasProvider) return 'NotFound'
  const held = new Map([...(before?.roles ?? [])].filter(isCurrent(state, command)))
  const put = (thing: Thing): State => new Map(state).set(name, thing)

  if (verb === 'add' || verb === 'issue') {
    const roles = give(state, command, held, born)
    if (typeof roles === 'string') return roles
    // What gives roles may be added again once they have all ended; some ids are never used again.
    const isTaken = before && (held.size > 0 || !/^(grant|user|mapping) /.test(name))
    if (isTaken || state.has(`was ${name}`)) return 'AlreadyExists'
    return put({ born, isActive: verb === 'issue' || !name.startsWith('domain '), roles })
  }
  if (verb === 'report') {
    const mappings = mappingsOf(seen, command)
    const groups = [...new Set(mappings.map(({ group }) => group))].sort()
    const isDue = before && mappings.some((mapping) => mapping.born > before.born)
    if (!isDue && groups.join() === (before?.groups ?? []).join()) return state
    return put({ born, isActive: true, roles: new Map(), groups })
  }
  if (/^(redeem|complete)$/.test(verb) && !before?.isActive) return 'Unauthenticated'
  if (!before) return 'NotFound'
  switch (verb) {
    case 'redeem':
      return before.isUsed ? state : put({ ...before, isUsed: true })
    case 'verify': {
      const found = seen.get(name)
      if (before.isActive) return state
      // What was published before the domain was added again proves nothing, and a verified domain is not looked up.
      const isProved = domain !== UNPUBLISHED && found?.born === before.born && !found.isActive
      if (!isProved) return 'ProofNotFound'
      const isOthers = ORGS.some((other) => state.get(`domain ${other} ${domain}`)?.isActive)
      return isOthers ? 'AlreadyExists' : put({ ...before, isActive: true })
    }
    case 'setProvider':
      if (!hasProvider) return 'NotFound'
      return before.idpId === idpId ? state : put({ ...before, idpId })
    case 'complete':
    case 'revoke':
    case 'deactivate':
      return before.isActive ? put({ ...before, isActive: false }) : state
    case 'reactivate':
      return before.isActive ? state : put({ ...before, isActive: true })
    case 'remove': {
      const after = new Map(state)
      after.delete(name)
      if (/^(project|provider) /.test(name)) after.set(`was ${name}`, before)
      if (name.startsWith('project '))
        for (const other of state.keys())
          if (other.startsWith(`role ${projectId} `)) after.delete(other)
      return after
    }
    case 'update':
    case 'addRoles': {
      const roles = give(state, command, held, born)
      if (typeof roles === 'string') return roles
      const kept = verb === 'update' ? roles : new Map([...held, ...roles])
      return isSame(kept, held) ? state : put({ ...before, roles: kept })
    }
    case 'removeRoles': {
      const kept = new Map(held)
      for (const roleKey of command.roleKeys ?? []) kept.delete(roleKey)
      if (isSame(kept, held)) return state
      if (kept.size > 0) return put({ ...before, roles: kept })
      const after = new Map(state)
      after.delete(name)
      return after
    }
    default:
      throw new Error(`The model has no ${command.method}`)
  }
}

/** The roles that a command names, each as it is now; those of `before` that still count stay as they were given. */
const give = (
  state: State,
  { method, org, projectId, roleKeys = [] }: Command,
  before: ReadonlyMap<string, Given>,
  born: number,
): ReadonlyMap<string, Given> | string => {
  const given = new Map<string, Given>()
  if (!/(Grants|Mappings)\./.test(method)) return given
  const isToUser = !method.startsWith('projectGrants.')
  const granted = isToUser && org === 'globex' ? state.get(`grant ${projectId}`) : undefined
  if (roleKeys.length > 0 && isToUser && org === 'globex' && !granted) return 'NotFound'
  for (const roleKey of roleKeys) {
    const role = state.get(`role ${projectId} ${roleKey}`)
    const part = granted?.roles.get(roleKey)
    if (!role || (granted && part?.role !== role.born)) return 'NotFound'
    const old = before.get(roleKey)
    const grant = isToUser ? part?.grant : born
    const isKept = old?.role === role.born && (!isToUser || old.grant === grant)
    given.set(roleKey, isKept ? old : { role: role.born, grant })
  }
  return given
}

const isSame = (one: ReadonlyMap<string, Given>, other: ReadonlyMap<string, Given>): boolean =>
  one.size === other.size &&
  [...one].every(([key, { role, grant }]) => {
    const same = other.get(key)
    return same !== undefined && same.role === role && same.grant === grant
  })

/** Whether a role is still the one that was given. */
const isCurrent =
  (
    state: State,
    { method, org, projectId }: Pick<Command, 'org' | 'projectId'> & { readonly method: string },
  ) =>
  ([roleKey, { role, grant }]: readonly [string, Given]): boolean =>
    state.get(`role ${projectId} ${roleKey}`)?.born === role &&
    (org === 'acme' ||
      method.startsWith('projectGrants.') ||
      state.get(`grant ${projectId}`)?.roles.get(roleKey)?.grant === grant)

/** The mappings, to all projects, of the groups that a command names. */
export const mappingsOf = (state: State, { org, idpId, groups = [] }: Command) =>
  [...state].flatMap(([name, { born }]) => {
    const [type, mappedOrg, mappedIdp, group = '', projectId] = name.split(' ')
    const isOfProvider = type === 'mapping' && mappedOrg === org && mappedIdp === idpId
    const isMapped = isOfProvider && groups.includes(group) && state.has(`project ${projectId}`)
    return isMapped ? [{ name, group, born }] : []
  })

/** Each way in which a role of a project counts for a user, in order: `a` by a grant, `a i/f` by a group. */
export const countingWays = (
  state: State,
  { org, userId, projectId }: Pick<Command, 'org' | 'userId' | 'projectId'>,
): readonly string[] => {
  if (!state.get(`project ${projectId}`)?.isActive) return []
  if (org === 'globex' && !state.get(`grant ${projectId}`)?.isActive) return []
  const rolesIn = ({ roles }: Thing) =>
    [...roles]
      .filter(isCurrent(state, { method: 'access.check', org, projectId }))
      .map(([roleKey]) => roleKey)
  const granted = state.get(`user ${org} ${userId} ${projectId}`)
  const ways = granted?.isActive ? rolesIn(granted) : []
  for (const [name, mapping] of state) {
    if (!name.startsWith(`mapping ${org} `) || !name.endsWith(` ${projectId}`)) continue
    const [, , idpId, group = ''] = name.split(' ')
    const reported = state.get(`membership ${org} ${idpId} ${userId}`)
    const isMember = reported?.groups?.includes(group) && reported.born > mapping.born
    if (!isMember || !state.get(`provider ${org} ${idpId}`)?.isActive) continue
    ways.push(...rolesIn(mapping).map((roleKey) => `${roleKey} ${idpId}/${group}`))
  }
  return ways.sort()
}

/** Where users of a domain sign in, such as `acme i`. */
export const routeOf = (state: State, domain: string): string => {
  for (const org of ORGS) {
    const { isActive, idpId } = state.get(`domain ${org} ${domain}`) ?? {}
    if (isActive && state.get(`provider ${org} ${idpId}`)?.isActive) return `${org} ${idpId}`
  }
  return ''
}

/** Keys of the roles of a project, in order. */
export const rolesOf = (state: State, projectId: string): readonly string[] =>
  [...state.keys()]
    .filter((name) => name.startsWith(`role ${projectId} `))
    .map((name) => name.split(' ')[2] ?? '')
    .sort()

/** `active`, `inactive` or `gone`: the project of that id. */
export const projectState = (state: State, projectId: string): string => {
  const project = state.get(`project ${projectId}`)
  if (!project) return 'gone'
  return project.isActive ? 'active' : 'inactive'
}
