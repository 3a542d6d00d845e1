/**
 * What a plain program would do that has no events, versions, caches, races or faults: the judge of every answer. It
 * follows what callers asked for, never what was stored for it, so a right that comes back by itself differs from it.
 */

/** The organization that owns all projects, and one that is granted them. */
type Org = (typeof ORGS)[number]

export const ORGS = ['acme', 'globex'] as const

/** What a caller asks to change. */
export interface Command {
  readonly method: string
  readonly org: Org
  readonly projectId: string
  /** Absent for the whole project. */
  readonly resource?: string
  readonly roleKey?: string
  readonly roleKeys?: readonly string[]
  /** When the roles that are given expire, in milliseconds since the Unix epoch. */
  readonly expiresAt?: number
  readonly userId?: string
  readonly idpId?: string
  readonly group?: string
  /** The groups of a report. */
  readonly groups?: readonly string[]
  readonly domain?: string
  readonly linkId?: string
  readonly desired?: Desired
}

/** What a desired state declares of a project; what it declared before and does not any more is removed. */
interface Desired {
  readonly roleKeys: readonly string[]
  /** The roles in the grant to the other organization; none without a grant. */
  readonly granted: readonly string[]
  readonly protect: boolean
}

/** A role as it was given: a role that is added again is another one, and so is one that is granted again. */
interface Given {
  readonly role: number
  readonly grant: number | undefined
  readonly expiresAt?: number | undefined
}

export interface Thing {
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
  /** Whether a desired state has changed it since it was added. */
  readonly isManaged?: boolean
  /** Whether only a desired state may change it. */
  readonly isProtected?: boolean
}

/**
 * All that exists, by name: `project p`, `role p a`, `grant p`, `user globex u p`, `mapping globex i f p`, and on a
 * resource `user globex u p/r`.
 */
export type State = ReadonlyMap<string, Thing>

export const nothing: State = new Map()

/** The domain whose owners never publish what proves it. */
export const UNPUBLISHED = 'never.example'

/** The object that a command is about. */
export const nameOf = (command: Command): string => {
  const { method, org, projectId, roleKey, userId, idpId, group, domain, linkId } = command
  const place = command.resource === undefined ? projectId : `${projectId}/${command.resource}`
  switch (method.split('.')[0]) {
    case 'desired':
    case 'projects':
      return `project ${projectId}`
    case 'projectRoles':
      return `role ${projectId} ${roleKey}`
    case 'projectGrants':
      return `grant ${projectId}`
    case 'identityProviders':
      return `provider ${org} ${idpId}`
    case 'roleMappings':
      return `mapping ${org} ${idpId} ${group} ${place}`
    case 'memberships':
      return `membership ${org} ${idpId} ${userId}`
    case 'domains':
      return `domain ${org} ${domain}`
    case 'setupLinks':
      return `link ${linkId}`
    default:
      return `user ${org} ${userId} ${place}`
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
  const { desired } = command
  if (desired) return applied(state, { ...command, desired }, born)
  const after = decide(state, command, born, seen)
  const isChange = typeof after !== 'string' && after !== state
  return isChange && state.get(nameOf(command))?.isProtected ? 'Protected' : after
}

const decide = (state: State, command: Command, born: number, seen: State): State | string => {
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
  { method, org, projectId, roleKeys = [], expiresAt }: Command,
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
    given.set(roleKey, { ...(isKept ? old : { role: role.born, grant }), expiresAt })
  }
  return given
}

const isSame = (one: ReadonlyMap<string, Given>, other: ReadonlyMap<string, Given>): boolean =>
  one.size === other.size &&
  [...one].every(([key, { role, grant, expiresAt }]) => {
    const same = other.get(key)
    const isOfOne = same !== undefined && same.role === role && same.grant === grant
    return isOfOne && same.expiresAt === expiresAt
  })

/**
 * The state after the next append of a desired state: first all that is added, changed and removed; then, where nothing
 * else is left to do, what is protected no longer, with its changes.
 */
const applied = (
  state: State,
  command: Command & { readonly desired: Desired },
  born: number,
): State => {
  const { projectId, desired } = command
  const { protect } = desired
  if (state.has(`was project ${projectId}`)) return state
  const after = new Map(state)
  const lifted = new Map<string, Thing>()
  const declare = (name: string, same: Thing | undefined, added: Thing): void => {
    const before = state.get(name)
    const isLift = !protect && before?.isProtected === true
    const isProtected = protect || (before?.isProtected === true && !isLift)
    if (before && same === before && isProtected === (before.isProtected ?? false)) return
    const thing = { ...(same ?? added), isManaged: true, isProtected }
    if (isLift) lifted.set(name, thing)
    else after.set(name, thing)
  }
  const none: Thing = { born, isActive: true, roles: new Map() }
  declare(`project ${projectId}`, state.get(`project ${projectId}`), none)
  for (const roleKey of desired.roleKeys) {
    const name = `role ${projectId} ${roleKey}`
    declare(name, state.get(name), none)
  }
  for (const roleKey of rolesOf(state, projectId))
    if (!desired.roleKeys.includes(roleKey) && state.get(`role ${projectId} ${roleKey}`)?.isManaged)
      after.delete(`role ${projectId} ${roleKey}`)
  const name = `grant ${projectId}`
  const before = state.get(name)
  if (desired.granted.length > 0) {
    const grant: Command = { ...command, method: 'projectGrants.update', roleKeys: desired.granted }
    const held = new Map([...(before?.roles ?? [])].filter(isCurrent(after, grant)))
    const roles = give(after, grant, held, born)
    if (typeof roles === 'string') throw new Error('A desired state grants roles that it declares')
    const same = before && (isSame(roles, held) ? before : { ...before, roles })
    declare(name, same, { ...none, roles })
  } else if (before?.isManaged) after.delete(name)
  const isChange =
    after.size !== state.size || [...after].some(([key, it]) => state.get(key) !== it)
  if (isChange) return after
  return lifted.size > 0 ? new Map([...state, ...lifted]) : state
}

/** Whether a role is still the one that was given. */
export const isCurrent =
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
    const [type, mappedOrg, mappedIdp, group = '', place = ''] = name.split(' ')
    const isOfProvider = type === 'mapping' && mappedOrg === org && mappedIdp === idpId
    const project = `project ${place.split('/')[0]}`
    const isMapped = isOfProvider && groups.includes(group) && state.has(project)
    return isMapped ? [{ name, group, born }] : []
  })

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
