import { beforeEach, describe, expect, it } from 'vitest'
import { memoryReadModel } from '../../../src/index.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import { context, good, type Iam, iamOn, inGlobex, refusal } from '../host.js'
import {
  addRole,
  another,
  bob,
  gina,
  giveBob,
  giveGina,
  grantGlobex,
  newWorld,
  regrantGlobex,
  removeRole,
  rolesOf,
  toGlobex,
  type World,
} from './grants-world.js'

let world: World
let iam: Iam

beforeEach(async () => {
  world = await newWorld()
  iam = world.iam
})

const checked = (ids: object, within: typeof context) => async (roleKey?: string) => {
  const input = { ...ids, ...(roleKey !== undefined && { roleKey }) }
  const { reasons, ...answer } = await good(iam.access.check(input as typeof bob, within))
  return { ...answer, reasons: reasons.map(({ kind }) => kind).toSorted() }
}

const ofBob = checked(bob, context)
const ofGina = checked(gina, inGlobex)

const no = (...reasons: readonly string[]) => ({
  allowed: false,
  roleKeys: [] as readonly string[],
  permissions: [],
  reasons: reasons.toSorted(),
})
const yes = (...roleKeys: readonly string[]) => ({
  allowed: true,
  roleKeys,
  permissions: [],
  reasons: [],
})

/** Sets the login rules of the project. */
const rules = (given: { projectRoleCheck?: boolean; hasProjectCheck?: boolean }) =>
  good(
    iam.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: 'Portal', ...given }, context),
  )

const inMs = (ms: number) => new Date(world.clock().getTime() + ms)

describe('access.check of a role', () => {
  it('allows a role that counts, and returns all of them in order', async () => {
    await giveBob(iam, 'viewer', 'author')
    expect(await ofBob('viewer')).toEqual(yes('author', 'viewer'))
  })

  it('of one that the user was not given: RoleNotGranted, whether it exists or not', async () => {
    await giveBob(iam, 'viewer')
    for (const roleKey of ['editor', 'absent'])
      expect(await ofBob(roleKey)).toEqual({ ...no('RoleNotGranted'), roleKeys: ['viewer'] })
  })

  it('without a grant: NoGrant', async () => {
    expect(await ofBob('editor')).toEqual(no('NoGrant'))
    await giveBob(iam, 'editor')
    await good(iam.userGrants.remove(bob, context))
    expect(await ofBob('editor')).toEqual(no('NoGrant'))
  })

  it('of a project of one’s own that is not there, or no longer: ProjectNotFound alone', async () => {
    expect(await checked({ ...bob, projectId: 'absent' }, context)('editor')).toEqual(
      no('ProjectNotFound'),
    )
    await giveBob(iam, 'editor')
    await good(iam.projects.remove({ id: 'portal' }, context))
    expect(await ofBob('editor')).toEqual(no('ProjectNotFound'))
  })

  it('in an organization that has nothing: ProjectNotFound', async () => {
    expect(await checked({ ...gina, projectOrgId: 'globex' }, inGlobex)('editor')).toEqual(
      no('ProjectNotFound'),
    )
    expect(await good(iam.access.rolesOf({ userId: 'gina' }, inGlobex))).toEqual({ items: [] })
  })

  it('of an inactive project: ProjectInactive, with what else is wrong', async () => {
    await giveBob(iam, 'editor')
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    expect(await ofBob('editor')).toEqual(no('ProjectInactive'))
    expect(await ofBob('viewer')).toEqual(no('ProjectInactive', 'RoleNotGranted'))
    await good(iam.projects.reactivate({ id: 'portal' }, context))
    expect(await ofBob('editor')).toEqual(yes('editor'))
  })

  it('of an inactive grant: GrantInactive, with what else is wrong', async () => {
    await giveBob(iam, 'editor')
    await good(iam.userGrants.deactivate(bob, context))
    expect(await ofBob('editor')).toEqual(no('GrantInactive'))
    expect(await ofBob('viewer')).toEqual(no('GrantInactive', 'RoleNotGranted'))
  })

  it('of a role that was removed: RoleRemoved, also when it was added again', async () => {
    await giveBob(iam, 'editor', 'viewer')
    await removeRole(iam, 'editor')
    expect(await ofBob('editor')).toEqual({ ...no('RoleRemoved'), roleKeys: ['viewer'] })
    await addRole(iam, 'editor')
    expect(await ofBob('editor')).toEqual({ ...no('RoleRemoved'), roleKeys: ['viewer'] })
    await good(iam.userGrants.addRoles({ ...bob, roles: rolesOf('editor') }, context))
    expect(await ofBob('editor')).toEqual(yes('editor', 'viewer'))
  })

  it('of a role that has expired: Expired, from the very moment on', async () => {
    const roles = [{ roleKey: 'editor', expiresAt: inMs(2) }, { roleKey: 'viewer' }]
    await good(iam.userGrants.add({ ...bob, roles }, context))
    world.clock.advance(1)
    expect(await ofBob('editor')).toEqual(yes('editor', 'viewer'))
    world.clock.advance(1)
    expect(await ofBob('editor')).toEqual({ ...no('Expired'), roleKeys: ['viewer'] })
    await removeRole(iam, 'editor')
    expect(await ofBob('editor')).toEqual({ ...no('RoleRemoved'), roleKeys: ['viewer'] })
  })

  it('of a project of another organization without a grant: ProjectGrantMissing alone, existing or not', async () => {
    expect(await ofGina('editor')).toEqual(no('ProjectGrantMissing'))
    const absent = { ...gina, projectId: 'absent' }
    expect(await checked(absent, inGlobex)('editor')).toEqual(no('ProjectGrantMissing'))
    await grantGlobex(iam, 'editor')
    await giveGina(iam, 'editor')
    await good(iam.projectGrants.remove(toGlobex, context))
    expect(await ofGina('editor')).toEqual(no('ProjectGrantMissing'))
    await good(iam.projects.remove({ id: 'portal' }, context))
    expect(await ofGina('editor')).toEqual(no('ProjectGrantMissing'))
  })

  it('of an inactive grant of the project: ProjectGrantInactive', async () => {
    await grantGlobex(iam, 'editor')
    await giveGina(iam, 'editor')
    await good(iam.projectGrants.deactivate(toGlobex, context))
    expect(await ofGina('editor')).toEqual(no('ProjectGrantInactive'))
    await good(iam.userGrants.deactivate(gina, inGlobex))
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    expect(await ofGina('editor')).toEqual(
      no('ProjectGrantInactive', 'GrantInactive', 'ProjectInactive'),
    )
  })

  it('of a role that was taken from the grant of the project: RoleNotGranted, also when it is back', async () => {
    await grantGlobex(iam, 'editor', 'viewer')
    await giveGina(iam, 'editor', 'viewer')
    await regrantGlobex(iam, 'viewer')
    expect(await ofGina('editor')).toEqual({ ...no('RoleNotGranted'), roleKeys: ['viewer'] })
    await regrantGlobex(iam, 'viewer', 'editor')
    expect(await ofGina('editor')).toEqual({ ...no('RoleNotGranted'), roleKeys: ['viewer'] })
    await good(iam.projectGrants.remove(toGlobex, context))
    await grantGlobex(iam, 'editor', 'viewer')
    expect(await ofGina('viewer')).toEqual(no('RoleNotGranted'))
  })

  it('names the first of two ends of a role', async () => {
    await grantGlobex(iam, 'editor', 'viewer')
    await giveGina(iam, 'editor', 'viewer')
    await regrantGlobex(iam, 'viewer')
    await removeRole(iam, 'editor')
    expect((await ofGina('editor')).reasons).toEqual(['RoleNotGranted'])
    await removeRole(iam, 'viewer')
    await good(iam.projectGrants.remove(toGlobex, context))
    await grantGlobex(iam, 'author')
    expect((await ofGina('viewer')).reasons).toEqual(['RoleRemoved'])
  })
})

describe('access.check of a login', () => {
  it('allows anybody of the own organization without rules', async () => {
    expect(await ofBob()).toEqual(yes())
    await giveBob(iam, 'editor')
    expect(await ofBob()).toEqual(yes('editor'))
  })

  it('needs the project to be active', async () => {
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    expect(await ofBob()).toEqual(no('ProjectInactive'))
    await good(iam.projects.remove({ id: 'portal' }, context))
    expect(await ofBob()).toEqual(no('ProjectNotFound'))
  })

  it('with projectRoleCheck needs one role that counts', async () => {
    await rules({ projectRoleCheck: true })
    expect(await ofBob()).toEqual(no('NoGrant'))
    const roles = [{ roleKey: 'editor', expiresAt: inMs(1) }, { roleKey: 'viewer' }]
    await good(iam.userGrants.add({ ...bob, roles }, context))
    world.clock.advance(1)
    expect(await ofBob()).toEqual(yes('viewer'))
    await removeRole(iam, 'viewer')
    expect(await ofBob()).toEqual(no('Expired', 'RoleRemoved'))
    await good(iam.userGrants.deactivate(bob, context))
    expect(await ofBob()).toEqual(no('Expired', 'RoleRemoved', 'GrantInactive'))
  })

  it('with hasProjectCheck needs the own project or an active grant of it, without a role of it', async () => {
    await rules({ hasProjectCheck: true })
    expect(await ofBob()).toEqual(yes())
    expect(await ofGina()).toEqual(no('ProjectGrantMissing'))
    await grantGlobex(iam, 'editor')
    expect(await ofGina()).toEqual(yes())
    await removeRole(iam, 'editor')
    expect(await ofGina()).toEqual(yes())
    await good(iam.projectGrants.deactivate(toGlobex, context))
    expect(await ofGina()).toEqual(no('ProjectGrantInactive'))
  })

  it('without rules needs a grant of the project to another organization, active or not', async () => {
    expect(await ofGina()).toEqual(no('ProjectGrantMissing'))
    await grantGlobex(iam, 'editor')
    await giveGina(iam, 'editor')
    await good(iam.projectGrants.deactivate(toGlobex, context))
    expect(await ofGina()).toEqual(yes())
  })

  it('with both rules needs both', async () => {
    await rules({ hasProjectCheck: true, projectRoleCheck: true })
    await grantGlobex(iam, 'editor')
    expect(await ofGina()).toEqual(no('NoGrant'))
    await giveGina(iam, 'editor')
    expect(await ofGina()).toEqual(yes('editor'))
    await good(iam.projectGrants.deactivate(toGlobex, context))
    expect(await ofGina()).toEqual(no('ProjectGrantInactive'))
  })

  it('agrees with checkLogin of the owner on a project with both rules', async () => {
    await rules({ hasProjectCheck: true, projectRoleCheck: true })
    const agree = async () => {
      const { allowed } = await ofGina()
      const login = { id: 'portal', userId: 'gina', userOrgId: 'globex' }
      expect((await iam.projects.checkLogin(login, context)).isOk()).toBe(allowed)
      return allowed
    }
    expect(await agree()).toBe(false)
    await grantGlobex(iam, 'editor')
    expect(await agree()).toBe(false)
    await giveGina(iam, 'editor')
    expect(await agree()).toBe(true)
    await good(iam.userGrants.deactivate(gina, inGlobex))
    expect(await agree()).toBe(false)
  })
})

describe('access.check', () => {
  it('that is eventual uses the state of the read model, and is unavailable while that is empty', async () => {
    await giveBob(iam, 'editor')
    const eventual = { ...context, consistency: 'eventual' } as const
    const readModel = memoryReadModel()
    const process = iamOn(world.store, { readModel, now: world.clock })
    for (const call of [
      () => process.access.check(bob, eventual),
      () => process.access.rolesOf({ userId: 'bob' }, eventual),
      () => process.access.whoHas({ projectId: 'portal' }, eventual),
      () =>
        process.projects.roleClaims({ id: 'portal', userId: 'bob', userOrgId: 'acme' }, eventual),
    ])
      expect((await refusal(call())).kind).toBe('Unavailable')
    await good(process.catchUp(readModel))
    await good(iam.userGrants.remove(bob, context))
    expect((await good(process.access.check(bob, eventual))).roleKeys).toEqual(['editor'])
    expect((await good(process.access.check(bob, context))).roleKeys).toEqual([])
    expect((await good(process.access.check(bob, eventual))).roleKeys).toEqual([])
  })

  it('of another process sees what was written before', async () => {
    await giveBob(iam, 'editor')
    const process = another(world)
    expect((await good(process.access.check(bob, context))).roleKeys).toEqual(['editor'])
    await removeRole(iam, 'editor')
    expect((await good(process.access.check(bob, context))).roleKeys).toEqual([])
  })
})
