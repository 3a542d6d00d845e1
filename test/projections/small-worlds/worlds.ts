import type { AnyEvent } from '../../../src/domain/aggregates.js'
import type { RecordedEvent } from '../../../src/ports/event-store.js'
import {
  organizationIn,
  schemaVersionOf,
  streamDefinitionOf,
} from '../../../src/projections/read-events.js'
import { OIDC_DEFAULTS, PROJECT_DEFAULTS, PROVIDER_DEFAULTS } from '../../defaults.js'

/**
 * The states of everything that the roles of two users rest on: one of the project's owner, one of an organization that
 * the project is granted to. Each has a grant and is in a group; there are two roles.
 */
export const STATES = {
  project: ['active', 'inactive', 'removed'],
  role_a: ['there', 'removed', 'added again'],
  role_b: ['there', 'removed', 'added again'],
  project_grant: ['active', 'inactive', 'removed', 'without a', 'with a again'],
  own_provider: ['active', 'inactive', 'removed'],
  other_provider: ['active', 'inactive', 'removed'],
  own_user: ['none', 'active', 'inactive', 'expired'],
  other_user: ['none', 'active', 'inactive', 'expired'],
  own_report: ['none', 'before the mapping', 'after', 'too old'],
  other_report: ['none', 'before the mapping', 'after', 'too old'],
  resource: ['none', 'same', 'other'],
} as const

export type Part = keyof typeof STATES

export const PARTS = Object.keys(STATES) as readonly Part[]

/** One state of each part. */
export type SmallWorld = { readonly [Each in Part]: (typeof STATES)[Each][number] }

/** How many worlds there are. */
export const WORLDS = PARTS.reduce((product, part) => product * STATES[part].length, 1)

/** The world of a number from 0 to below {@link WORLDS}. */
export const worldOf = (number: number): SmallWorld => {
  const world: Partial<Record<Part, string>> = {}
  let left = number
  for (const part of PARTS) {
    const states = STATES[part]
    world[part] = states[left % states.length] ?? states[0]
    left = Math.floor(left / states.length)
  }
  return world as SmallWorld
}

/** What the number of a state is, and how many states its part has. */
const numberOf = (digits: Readonly<Record<Part, number>>): number =>
  PARTS.reduceRight((number, part) => number * STATES[part].length + digits[part], 0)

/**
 * Numbers of worlds in which each of the four questions, whether a user has a role, meets every state of all that it
 * depends on: parts that one question does not depend on are shifted states of those that it does.
 */
export function* everyClass(): Generator<number> {
  const { project, role_a, project_grant, other_provider, other_user, other_report, resource } =
    STATES
  const size = [
    ...[project, role_a, project_grant, other_provider, other_user, other_report, resource],
  ].reduce((product, states) => product * states.length, 1)
  for (let number = 0; number < size; number++) {
    let left = number
    const next = (part: Part): number => {
      const digit = left % STATES[part].length
      left = Math.floor(left / STATES[part].length)
      return digit
    }
    const shifted = (part: Part, digit: number) => (digit + 1) % STATES[part].length
    const [role, provider, user] = [next('role_a'), next('other_provider'), next('other_user')]
    const report = next('other_report')
    yield numberOf({
      project: next('project'),
      project_grant: next('project_grant'),
      resource: next('resource'),
      role_a: role,
      role_b: shifted('role_b', role),
      other_provider: provider,
      own_provider: shifted('own_provider', provider),
      other_user: user,
      own_user: shifted('own_user', user),
      other_report: report,
      own_report: shifted('own_report', report),
    })
  }
}

/** A report counts for one hour or for two; all events happen one to two hours before. */
export const NOW = new Date(Date.UTC(2026, 0, 1, 1, 30))

const START = BigInt(Date.UTC(2026, 0, 1)) * 1_000n

/** The resource of roles in worlds of the same resource, and the one of questions. */
export const RESOURCE = 'same'

/** A log of worlds, each in a project of its own that is named by its number. */
export const logOfWorlds = (numbers: readonly number[]): readonly RecordedEvent[] =>
  logOf(numbers.flatMap((number) => [...eventsOf(number, worldOf(number))]))

/** A log of events, in their order. */
export const logOf = (happenings: readonly Happening[]): readonly RecordedEvent[] => {
  const versions = new Map<string, number>()
  return happenings.map(({ orgId, type, data }, index) => {
    const stream = streamDefinitionOf(type).stream(orgId, data as AnyEvent['data'])
    const version = (versions.get(stream) ?? 0) + 1
    versions.set(stream, version)
    const position = START + BigInt(index)
    return {
      ...{ type, data, stream, version, position },
      schemaVersion: schemaVersionOf(type),
      appendId: String(position).padStart(26, '0'),
      metadata: { actor: { userId: 'admin', orgId }, resourceOwner: organizationIn(stream) },
    } as RecordedEvent
  })
}

/** An event in an organization. */
export interface Happening {
  readonly orgId: string
  readonly type: AnyEvent['type']
  readonly data: object
}

/** A history that ends in the world. */
function* eventsOf(number: number, world: SmallWorld): Generator<Happening> {
  const projectId = `${number}`
  const happens = (orgId: string, type: AnyEvent['type'], data: object): Happening => ({
    ...{ orgId, type, data },
  })
  const shown = { displayName: '', group: '', permissions: [] }
  const addRole = (roleKey: string) =>
    happens('own', 'project_role.added', { projectId, roleKey, ...shown })
  const resource = world.resource === 'none' ? {} : { resource: world.resource }
  const grant = { projectId, grantedOrgId: 'other' }
  const permitted = (keys: readonly string[]) => keys.map((roleKey) => ({ roleKey, roleSince: 1 }))

  yield happens('own', 'project.added', { id: projectId, name: projectId, ...PROJECT_DEFAULTS })
  yield addRole('a')
  yield addRole('b')
  yield happens('own', 'project_grant.added', { ...grant, roles: permitted(['a', 'b']) })

  for (const orgId of ['own', 'other'] as const) {
    const idpId = `${number}`
    const since = { roleSince: 1, ...(orgId === 'other' && { grantSince: 1 }) }
    const keys = ['a', 'b'].map((roleKey) => ({ roleKey, ...since }))
    const given = { projectOrgId: 'own', projectId, ...resource }
    const report = world[`${orgId}_report`]
    const provider = { clientId: 'c', issuer: 'https://login.test', clientSecret: 's' }
    const shownProvider = { ...PROVIDER_DEFAULTS, ...OIDC_DEFAULTS }
    yield happens(orgId, 'identity_provider.oidc_added', {
      ...{ idpId, name: idpId },
      ...shownProvider,
      ...provider,
    })
    const mapping = { idpId, group: 'g', ...given }
    const validFor = { validFor: report === 'too old' ? 1 : 2 }
    const reported = { idpId, userId: 'u', groups: ['g'] }
    const map = happens(orgId, 'role_mapping.added', { ...mapping, roles: keys, ...validFor })
    yield map
    if (report !== 'none') yield happens(orgId, 'membership.reported', reported)
    if (report === 'before the mapping') {
      yield happens(orgId, 'role_mapping.removed', mapping)
      yield map
    }
    const state = world[`${orgId}_user`]
    const user = { userId: 'u', ...given }
    if (state !== 'none') {
      // At the very moment, and one millisecond later.
      const at = new Date(NOW.getTime() + (state === 'expired' ? 0 : 1)).toISOString()
      const roles = keys.map((role) => ({ ...role, expiresAt: at }))
      yield happens(orgId, 'user_grant.added', { ...user, roles })
    }
    if (state === 'inactive') yield happens(orgId, 'user_grant.deactivated', user)
    const providerState = world[`${orgId}_provider`]
    if (providerState === 'inactive')
      yield happens(orgId, 'identity_provider.deactivated', { idpId })
    if (providerState === 'removed') yield happens(orgId, 'identity_provider.removed', { idpId })
  }

  if (world.project_grant === 'inactive') yield happens('own', 'project_grant.deactivated', grant)
  if (world.project_grant === 'removed') yield happens('own', 'project_grant.removed', grant)
  if (/a$|again$/.test(world.project_grant))
    yield happens('own', 'project_grant.updated', { ...grant, roles: permitted(['b']) })
  if (world.project_grant === 'with a again')
    yield happens('own', 'project_grant.updated', { ...grant, roles: permitted(['a', 'b']) })
  for (const roleKey of ['a', 'b'] as const) {
    const state = world[`role_${roleKey}`]
    if (state !== 'there') yield happens('own', 'project_role.removed', { projectId, roleKey })
    if (state === 'added again') yield addRole(roleKey)
  }
  if (world.project === 'inactive') yield happens('own', 'project.deactivated', { id: projectId })
  if (world.project === 'removed') yield happens('own', 'project.removed', { id: projectId })
}
