/**
 * What a plain program would do that has no events, versions, caches, races or faults: the judge of every answer. It
 * follows what callers asked for, never what was stored for it, so a right that comes back by itself differs from it.
 */

/** The organization that owns all projects, and one that is granted them. */
export type Org = 'acme' | 'globex'

/** What a caller asks to change. */
export interface Command {
  readonly method: string
  readonly org: Org
  readonly projectId: string
  readonly roleKey?: string
  readonly roleKeys?: readonly string[]
  readonly userId?: string
}

/** A role as it was given: a role that is added again is another one, and so is one that is granted again. */
interface Given {
  readonly role: number
  readonly grant: number | undefined
}

interface Thing {
  /** Unique among all that ever was. */
  readonly born: number
  readonly isActive: boolean
  readonly name?: string
  readonly roles: ReadonlyMap<string, Given>
}

/** All that exists, by name: `project p`, `role p a`, `grant p`, `user globex u p`. */
export type State = ReadonlyMap<string, Thing>

export const nothing: State = new Map()

const userGrantName = ({ org, userId, projectId }: Command) => `user ${org} ${userId} ${projectId}`

/** The object that a command is about. */
export const nameOf = (command: Command): string => {
  const { method, projectId, roleKey } = command
  if (method.startsWith('projects.')) return `project ${projectId}`
  if (method.startsWith('projectRoles.')) return `role ${projectId} ${roleKey}`
  if (method.startsWith('projectGrants.')) return `grant ${projectId}`
  return userGrantName(command)
}

/** The state after a command, the same one if it changes nothing, or the kind of the error that refuses it. */
export const perform = (state: State, command: Command, born: number): State | string => {
  const name = nameOf(command)
  const [, verb = ''] = command.method.split('.')
  const before = state.get(name)
  if (!name.startsWith('project ') && !state.has(`project ${command.projectId}`)) return 'NotFound'
  const held = new Map([...(before?.roles ?? [])].filter(isCurrent(state, command)))
  const put = (thing: Thing): State => new Map(state).set(name, thing)

  if (verb === 'add') {
    const roles = give(state, command, held, born)
    if (typeof roles === 'string') return roles
    // A grant whose roles have all ended may be added again; the id of a project is never used again.
    const isTaken = before && (held.size > 0 || /^(project|role) /.test(name))
    if (isTaken || state.has(`was ${name}`)) return 'AlreadyExists'
    return put({ born, isActive: true, roles })
  }
  if (!before) return 'NotFound'
  switch (verb) {
    case 'deactivate':
      return before.isActive ? put({ ...before, isActive: false }) : state
    case 'reactivate':
      return before.isActive ? state : put({ ...before, isActive: true })
    case 'remove': {
      const after = new Map(state)
      after.delete(name)
      if (!name.startsWith('project ')) return after
      after.set(`was ${name}`, before)
      for (const other of state.keys())
        if (other.startsWith(`role ${command.projectId} `)) after.delete(other)
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
  if (!/Grants\./.test(method)) return given
  const isToUser = method.startsWith('userGrants.')
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

/** The roles of a project that count for a user, in order. */
export const countingRoles = (
  state: State,
  { org, userId, projectId }: Pick<Command, 'org' | 'userId' | 'projectId'>,
): readonly string[] => {
  const granted = state.get(`grant ${projectId}`)
  const held = state.get(`user ${org} ${userId} ${projectId}`)
  if (!state.get(`project ${projectId}`)?.isActive || !held?.isActive) return []
  if (org === 'globex' && !granted?.isActive) return []
  return [...held.roles]
    .filter(isCurrent(state, { method: 'access.check', org, projectId }))
    .map(([roleKey]) => roleKey)
    .sort()
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
