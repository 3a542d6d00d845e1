import { beforeEach, describe, expect, it } from 'vitest'
import type { PermissionQuestion } from '../../../src/index.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import {
  addRole,
  bob,
  gina,
  giveBob,
  giveGina,
  grantGlobex,
  newWorld,
  removeRole,
  toGlobex,
  type World,
} from '../access/grants-world.js'
import {
  badFields,
  caller,
  context,
  everything,
  good,
  type Iam,
  iamOn,
  inGlobex,
  refusal,
} from '../host.js'

let world: World
let iam: Iam

beforeEach(async () => {
  world = await newWorld()
  iam = world.iam
})

const loginOfBob = { id: 'portal', userId: 'bob', userOrgId: 'acme' }
const loginOfGina = { id: 'portal', userId: 'gina', userOrgId: 'globex' }

const rules = (given: object) =>
  good(
    iam.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: 'Portal', ...given }, context),
  )

const roleRequired = { kind: 'ProjectRoleRequired' }
const grantRequired = { kind: 'ProjectGrantRequired', userOrgId: 'globex' }

const check = (input: typeof loginOfBob) => iam.projects.checkLogin(input, context)

describe('checkLogin with a user', () => {
  it('lets everybody in without rules, and nobody into an inactive project or one that is not there', async () => {
    await good(check(loginOfBob))
    await good(check(loginOfGina))
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    expect(await refusal(check(loginOfBob))).toEqual({ kind: 'ProjectInactive' })
    const object = { type: 'project', id: 'absent' }
    expect(await refusal(check({ ...loginOfBob, id: 'absent' }))).toEqual({
      kind: 'NotFound',
      object,
    })
  })

  it('requires one role that counts', async () => {
    await rules({ projectRoleCheck: true })
    expect(await refusal(check(loginOfBob))).toEqual(roleRequired)
    const expiresAt = new Date(world.clock().getTime() + 10)
    const roles = [{ roleKey: 'editor', expiresAt }]
    await good(iam.userGrants.add({ ...bob, roles }, context))
    await good(check(loginOfBob))
    expect(await refusal(check({ ...loginOfBob, userOrgId: 'globex' }))).toEqual(roleRequired)
    world.clock.advance(10)
    expect(await refusal(check(loginOfBob))).toEqual(roleRequired)
    await good(iam.userGrants.addRoles({ ...bob, roles: [{ roleKey: 'editor' }] }, context))
    await good(check(loginOfBob))
    await removeRole(iam, 'editor')
    await addRole(iam, 'editor')
    expect(await refusal(check(loginOfBob))).toEqual(roleRequired)
  })

  it('requires an active grant of the project to another organization', async () => {
    await rules({ hasProjectCheck: true })
    await good(check(loginOfBob))
    expect(await refusal(check(loginOfGina))).toEqual(grantRequired)
    await grantGlobex(iam, 'editor')
    await good(check(loginOfGina))
    await removeRole(iam, 'editor')
    await good(check(loginOfGina))
    await good(iam.projectGrants.deactivate(toGlobex, context))
    expect(await refusal(check(loginOfGina))).toEqual(grantRequired)
    await good(iam.projectGrants.remove(toGlobex, context))
    expect(await refusal(check(loginOfGina))).toEqual(grantRequired)
  })

  it('takes no lists beside the user, and takes them without', async () => {
    const both = { userRoleKeys: ['editor'], grantedOrgIds: ['globex'] }
    expect(await badFields(iam.projects.checkLogin({ ...loginOfBob, ...both }, context))).toEqual([
      'userRoleKeys',
      'grantedOrgIds',
    ])
    await rules({ projectRoleCheck: true })
    await giveBob(iam, 'editor')
    const listed = { id: 'portal', userOrgId: 'acme' }
    expect(await refusal(iam.projects.checkLogin(listed, context))).toEqual(roleRequired)
    await good(iam.projects.checkLogin({ ...listed, userRoleKeys: ['editor'] }, context))
  })

  it('needs the permission to read grants of users as well', async () => {
    const permissions = everything.filter((permission) => permission !== 'user.grant.read')
    const within = { caller: { ...caller, permissions } }
    const denied = { kind: 'PermissionDenied', permission: 'user.grant.read', orgId: 'acme' }
    expect(await refusal(iam.projects.checkLogin(loginOfBob, within))).toEqual(denied)
    expect(await refusal(iam.projects.roleClaims(loginOfBob, within))).toEqual(denied)
    await good(iam.projects.checkLogin({ id: 'portal', userOrgId: 'acme' }, within))
    const asked: PermissionQuestion['object'][] = []
    const process = iamOn(world.store, {
      authorize: ({ object }) => asked.push(object) > 0,
      now: world.clock,
    })
    await good(process.projects.checkLogin(loginOfGina, context))
    expect(asked).toEqual(Array(3).fill({ type: 'project', id: 'portal' }))
  })
})

describe('roleClaims of a user', () => {
  const claims = (input: typeof loginOfBob) => good(iam.projects.roleClaims(input, context))

  it('are the roles that count, if the project asserts roles', async () => {
    await grantGlobex(iam, 'editor', 'viewer')
    await giveGina(iam, 'viewer', 'editor')
    expect(await claims(loginOfGina)).toEqual([])
    await rules({ projectRoleAssertion: true })
    const editor = { roleKey: 'editor', displayName: 'The editor', group: 'staff' }
    const viewer = { roleKey: 'viewer', displayName: 'The viewer', group: 'staff' }
    expect(await claims(loginOfGina)).toEqual([editor, viewer])
    expect(await claims({ ...loginOfGina, userOrgId: 'acme' })).toEqual([])
    const expiresAt = new Date(world.clock().getTime() + 10)
    const roles = [{ roleKey: 'editor', expiresAt }]
    await good(iam.userGrants.addRoles({ ...gina, roles }, inGlobex))
    expect(await claims(loginOfGina)).toEqual([editor, viewer])
    world.clock.advance(10)
    expect(await claims(loginOfGina)).toEqual([viewer])
    await good(iam.projectGrants.deactivate(toGlobex, context))
    expect(await claims(loginOfGina)).toEqual([])
  })

  it('of another organization’s project are refused: it is not found', async () => {
    await grantGlobex(iam, 'editor')
    const call = iam.projects.roleClaims(loginOfGina, inGlobex)
    expect(await refusal(call)).toMatchObject({ kind: 'NotFound' })
  })
})
