/** Where a system keeps what it is asked about. */
export type StoreName = 'memory' | 'sqlite' | 'postgres'

/** Where a world is opened, and what it holds before the first call. */
export interface Place {
  readonly store: StoreName
  /** Roles that users have: {@link grantOf} 0 to `grants - 1`. */
  readonly grants: number
  /** Projects, roles, project grants, identity providers and domains beside them, of each; none when absent. */
  readonly others?: number
}

/** Makes call number `index`. False when the system answered something wrong. */
export type Call = (index: number) => boolean | PromiseLike<boolean>

/** One thing that a system can do over and over. */
export interface Job {
  readonly call: Call
  /** Runs before each round and is not timed. */
  readonly prepare?: () => Promise<unknown>
  /** Operations of one call; 1 when absent. */
  readonly operations?: number
}

/** A system that is open and filled. */
export interface World {
  readonly jobs: Readonly<Record<string, Job>>
  readonly close: () => Promise<void>
}

/** Opens a system and fills it. */
export type Open = (place: Place) => Promise<World>

export const ORG_ID = 'acme'
export const PROJECTS = 20
export const ROLE_KEYS = ['viewer', 'editor', 'admin'] as const
/** The role that every grant gives. */
export const HELD_ROLE = 'editor'
/** A role that nobody has. */
export const OTHER_ROLE = 'admin'
const PROJECTS_PER_USER = 5

export const projectIdOf = (project: number): string => `portal${project}`

const mixed = (word: number): string => {
  let hash = Math.imul(word ^ (word >>> 16), 0x21f0aaad)
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97)
  return ((hash ^ (hash >>> 15)) >>> 0).toString(16).padStart(8, '0')
}

/** A UUID for each number. Their order is random: a log of ids that follow each other would flatter every index. */
const uuidOf = (number: number): string => {
  const [one, two] = [mixed(number), mixed(number + 0x51ed270b)]
  return `${one}-${two.slice(0, 4)}-4${two.slice(5)}-8${one.slice(5)}-${mixed(~number)}${two.slice(4)}`
}

const userIds: string[] = []

/**
 * The id of a user in questions; made once, since calls that take less are measured. What was loaded has strings of its
 * own, as a request never brings the string that a map has as its key.
 */
export const userIdOf = (user: number): string => {
  userIds[user] ??= uuidOf(user)
  return userIds[user]
}

/** Above the numbers of all users with grants. */
const FIRST_NEW = 0x4000_0000

/** The user and the project of grant number `index`: five projects a user. */
const numbersOf = (index: number) => {
  const user = Math.floor(index / PROJECTS_PER_USER)
  return { user, project: (user + (index % PROJECTS_PER_USER) * 4) % PROJECTS }
}

/** Grant number `index`. */
export const grantOf = (index: number) => {
  const { user, project } = numbersOf(index)
  return { userId: uuidOf(user), projectId: projectIdOf(project) }
}

/** How many users have `grants` grants between them. */
export const usersIn = ({ grants }: Place): number => Math.ceil(grants / PROJECTS_PER_USER)

/** The grant that call number `index` adds, to a user without one. */
export const newGrantOf = (index: number) => ({
  userId: uuidOf(FIRST_NEW + index),
  projectId: projectIdOf(index % PROJECTS),
})

/** A prime, so that calls go through all grants and meet few twice in a row. */
const STEP = 7919

/** What call number `index` asks; every second question is answered "no". */
export const questionOf = (index: number, { grants }: Place) => {
  const { user, project } = numbersOf((index * STEP) % grants)
  return {
    userId: userIdOf(user),
    projectId: projectIdOf(project),
    roleKey: index % 2 === 0 ? HELD_ROLE : OTHER_ROLE,
  }
}

/** The right answer to {@link questionOf}. */
export const isHeld = (index: number): boolean => index % 2 === 0

/** The role that call number `index` defines. */
export const newRoleOf = (index: number) => ({
  projectId: projectIdOf(0),
  roleKey: `role-${index}`,
  displayName: 'Editor in chief',
  group: 'content',
})
