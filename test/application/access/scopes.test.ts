import { beforeEach, describe, expect, it } from 'vitest'
import { badFields, context, good, type Iam, inGlobex } from '../host.js'
import { bob, giveGina, grantGlobex, newWorld, rolesOf } from './grants-world.js'

let iam: Iam

beforeEach(async () => {
  iam = (await newWorld()).iam
})

/** Gives bob a role of new projects, each with the permission `read`. */
const inProjects = async (...ids: readonly string[]) => {
  for (const id of ids) {
    const role = { projectId: id, roleKey: 'reader', displayName: 'Reader', permissions: ['read'] }
    await good(iam.projects.add({ id, name: id }, context))
    await good(iam.projectRoles.add(role, context))
    await good(iam.projectRoles.add({ ...role, roleKey: 'writer' }, context))
    const roles = rolesOf('reader', 'writer')
    await good(iam.userGrants.add({ userId: 'bob', projectId: id, roles }, context))
  }
}

const ofAcme = (...ids: readonly string[]) =>
  ids.map((projectId) => ({ projectId, projectOrgId: 'acme' }))

describe('access.scopesOf', () => {
  it('lists each project once, however many roles have the permission', async () => {
    await inProjects('two', 'one')
    const asked = { userId: 'bob', permission: 'read' }
    expect(await good(iam.access.scopesOf(asked, context))).toEqual({ items: ofAcme('one', 'two') })
    const missing = { userId: 'bob', permission: 'write' }
    expect(await good(iam.access.scopesOf(missing, context))).toEqual({ items: [] })
  })

  it('lists projects in which the user has a role, of all owners', async () => {
    await grantGlobex(iam, 'editor')
    await giveGina(iam, 'editor')
    const asked = { userId: 'gina', roleKey: 'editor' }
    expect(await good(iam.access.scopesOf(asked, inGlobex))).toEqual({ items: ofAcme('portal') })
    expect(await good(iam.access.scopesOf(asked, context))).toEqual({ items: [] })
    const elsewhere = { ...asked, projectId: 'other' }
    expect(await good(iam.access.scopesOf(elsewhere, inGlobex))).toEqual({ items: [] })
  })

  it('pages by tokens that are bound to the question', async () => {
    await inProjects('a', 'b', 'c')
    const asked = { userId: 'bob', permission: 'read', pageSize: 2 }
    const first = await good(iam.access.scopesOf(asked, context))
    expect(first.items).toEqual(ofAcme('a', 'b'))
    const { nextPageToken: pageToken = '' } = first
    expect(await good(iam.access.scopesOf({ ...asked, pageToken }, context))).toEqual({
      items: ofAcme('c'),
    })
    const { permission: _, ...others } = { ...asked, pageToken }
    const byRole = iam.access.scopesOf({ ...others, roleKey: 'reader' }, context)
    expect(await badFields(byRole)).toEqual(['pageToken'])
  })

  it('has no token after a full last page', async () => {
    await inProjects('a', 'b')
    const asked = { userId: 'bob', permission: 'read', pageSize: 2 }
    expect(await good(iam.access.scopesOf(asked, context))).toEqual({ items: ofAcme('a', 'b') })
  })

  it('lists what was so at a time', async () => {
    const world = await newWorld()
    iam = world.iam
    await inProjects('a')
    const at = new Date(world.clock())
    world.clock.advance(10)
    await good(iam.userGrants.remove({ ...bob, projectId: 'a' }, context))
    const asked = { userId: 'bob', permission: 'read' }
    expect(await good(iam.access.scopesOf(asked, context))).toEqual({ items: [] })
    const then = await good(iam.access.scopesOf({ ...asked, at }, context))
    expect(then).toEqual({ items: ofAcme('a') })
  })

  it('needs a permission or a role, and takes one of them', async () => {
    const both = { userId: 'bob', permission: 'read', roleKey: 'reader' }
    for (const input of [{ userId: 'bob' }, both])
      expect(await badFields(iam.access.scopesOf(input as never, context))).toEqual(['permission'])
  })
})
