import type { EventStore } from '../../../src/index.js'
import type { FixedClock } from '../../../src/testing/index.js'
import { clockedStore, context, good, type Iam, iamOn, inGlobex } from '../host.js'

/** The project of acme that most grants are about, and one of its own that globex has. */
export const portal = { projectId: 'portal' }

/** The grant of the project to globex. */
export const toGlobex = { ...portal, grantedOrgId: 'globex' }

/** A user of acme, and one of globex. */
export const bob = { userId: 'bob', ...portal }
export const gina = { userId: 'gina', ...portal, projectOrgId: 'acme' }

/** Roles to give, without an end. */
export const rolesOf = (...roleKeys: readonly string[]) => roleKeys.map((roleKey) => ({ roleKey }))

/** The roles of the project `portal`. */
export const ROLES = ['author', 'editor', 'viewer']

export interface World {
  readonly clock: FixedClock
  readonly store: EventStore
  readonly iam: Iam
}

/** The library on a store and with a clock that stand still, and the project `portal` with roles in acme. */
export const newWorld = async (): Promise<World> => {
  const { clock, store } = clockedStore()
  const iam = iamOn(store, { now: clock })
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  const roles = ROLES.map((roleKey) => ({ roleKey, displayName: `The ${roleKey}`, group: 'staff' }))
  await good(iam.projectRoles.addMany({ ...portal, roles }, context))
  return { clock, store, iam }
}

/** Another process on the store of `world`, which remembers nothing. */
export const another = ({ store, clock }: World): Iam => iamOn(store, { now: clock })

export const addRole = (iam: Iam, roleKey: string) =>
  good(iam.projectRoles.add({ ...portal, roleKey, displayName: roleKey }, context))

export const removeRole = (iam: Iam, roleKey: string) =>
  good(iam.projectRoles.remove({ ...portal, roleKey }, context))

/** Grants the project to globex with `roleKeys`. */
export const grantGlobex = (iam: Iam, ...roleKeys: readonly string[]) =>
  good(iam.projectGrants.add({ ...toGlobex, roleKeys }, context))

/** Replaces the roles of the grant to globex. */
export const regrantGlobex = (iam: Iam, ...roleKeys: readonly string[]) =>
  good(iam.projectGrants.update({ ...toGlobex, roleKeys }, context))

/** Gives `roleKeys` to the user of acme. */
export const giveBob = (iam: Iam, ...roleKeys: readonly string[]) =>
  good(iam.userGrants.add({ ...bob, roles: rolesOf(...roleKeys) }, context))

/** Gives `roleKeys` to the user of globex. */
export const giveGina = (iam: Iam, ...roleKeys: readonly string[]) =>
  good(iam.userGrants.add({ ...gina, roles: rolesOf(...roleKeys) }, inGlobex))

/** The keys of the roles that count for the user of acme, and for that of globex, in the project or on a resource. */
export const counting = async (iam: Iam, on: { readonly resource?: string } = {}) => {
  const own = await good(iam.access.check({ ...bob, ...on }, context))
  const other = await good(iam.access.check({ ...gina, ...on }, inGlobex))
  return { bob: own.roleKeys, gina: other.roleKeys }
}
