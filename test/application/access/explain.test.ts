import { beforeEach, describe, expect, it } from 'vitest'
import { context, good, type Iam, inGlobex } from '../host.js'
import {
  addRole,
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

const ofBob = () => good(iam.access.explain({ ...bob, roleKey: 'editor' }, context))
const ofGina = () => good(iam.access.explain({ ...gina, roleKey: 'editor' }, inGlobex))

/** The verdict, and the types of what it rests on. */
const told = async (explain: () => ReturnType<typeof ofBob>) => {
  const { reasons, because } = await explain()
  return [reasons.map(({ kind }) => kind), because.map(({ type }) => type)]
}

describe('access.explain', () => {
  it('names what added the role and what gave it, as history shows them', async () => {
    await giveBob(iam, 'viewer')
    await good(iam.userGrants.addRoles({ ...bob, roles: rolesOf('editor') }, context))
    await good(iam.userGrants.addRoles({ ...bob, roles: rolesOf('author') }, context))
    const { allowed, reasons, because } = await ofBob()
    expect([allowed, reasons]).toEqual([true, []])
    expect(because.map(({ type }) => type)).toEqual([
      'project.added',
      'project_role.added',
      'user_grant.added',
      'user_grant.updated',
    ])
    const { items } = await good(iam.history.list({}, context))
    for (const cause of because) expect(items).toContainEqual(cause)
  })

  it('names the change that ended the role, regardless of later changes', async () => {
    await giveBob(iam, 'editor', 'viewer')
    await removeRole(iam, 'editor')
    await addRole(iam, 'editor')
    expect(await told(ofBob)).toEqual([
      ['RoleRemoved'],
      ['project.added', 'project_role.added', 'user_grant.added', 'project_role.removed'],
    ])
    await good(iam.userGrants.removeRoles({ ...bob, roleKeys: ['viewer'] }, context))
    expect(await told(ofBob)).toEqual([
      ['NoGrant'],
      [
        'project.added',
        'project_role.added',
        'user_grant.added',
        'project_role.removed',
        'user_grant.removed',
      ],
    ])
  })

  it('names what is inactive, and when a role was given another end', async () => {
    await giveBob(iam, 'editor')
    const expiresAt = new Date(world.clock().getTime() + 1_000)
    const ending = [{ roleKey: 'editor', expiresAt }]
    await good(iam.userGrants.addRoles({ ...bob, roles: ending }, context))
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    await good(iam.projects.reactivate({ id: 'portal' }, context))
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    world.clock.advance(1_000)
    expect(await told(ofBob)).toEqual([
      ['ProjectInactive', 'Expired'],
      [
        'project.added',
        'project_role.added',
        'user_grant.added',
        'user_grant.updated',
        'project.deactivated',
      ],
    ])
  })

  it('names nothing where nothing was', async () => {
    const nowhere = { userId: 'bob', projectId: 'nowhere', roleKey: 'editor' }
    const { because } = await good(iam.access.explain(nowhere, context))
    expect(because).toEqual([])
    expect(await told(ofBob)).toEqual([['NoGrant'], ['project.added']])
  })

  it('about the past uses the events up to then', async () => {
    await giveBob(iam, 'editor')
    const at = world.clock()
    world.clock.advance(1_000)
    await removeRole(iam, 'editor')
    const asked = { ...bob, roleKey: 'editor', at }
    expect(await told(() => good(iam.access.explain(asked, context)))).toEqual([
      [],
      ['project.added', 'project_role.added', 'user_grant.added'],
    ])
  })

  it('shows of changes in the organization that owns the project only position, time and type', async () => {
    await grantGlobex(iam, 'editor', 'viewer')
    await giveGina(iam, 'editor', 'viewer')
    await regrantGlobex(iam, 'viewer')
    const { reasons, because } = await ofGina()
    expect(reasons).toEqual([{ kind: 'RoleNotGranted' }])
    expect(because.map((cause) => [cause.type, Object.keys(cause).length > 3])).toEqual([
      ['project.added', false],
      ['project_role.added', false],
      ['project_grant.added', false],
      ['user_grant.added', true],
      ['project_grant.updated', false],
    ])
    expect(Object.keys(because[0] ?? {})).toEqual(['sequence', 'time', 'type'])
  })

  it('says nothing of another organization’s project that was not granted, nor of it after the grant', async () => {
    expect(await told(ofGina)).toEqual([['ProjectGrantMissing'], []])
    await grantGlobex(iam, 'editor')
    await good(iam.projectGrants.remove(toGlobex, context))
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    await good(iam.projects.remove({ id: 'portal' }, context))
    expect(await told(ofGina)).toEqual([
      ['ProjectGrantMissing'],
      ['project.added', 'project_grant.added', 'project_grant.removed'],
    ])
  })

  it('needs the right to read history, too', async () => {
    const caller = { userId: 'u1', orgId: 'acme', permissions: ['user.grant.read'] as const }
    const refused = await iam.access.explain({ ...bob, roleKey: 'editor' }, { caller })
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      kind: 'PermissionDenied',
      permission: 'event.read',
    })
  })
})
