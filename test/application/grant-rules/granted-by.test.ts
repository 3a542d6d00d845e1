import { beforeEach, describe, expect, it } from 'vitest'
import { IamFailure, memoryReadModel, toStatus } from '../../../src/index.js'
import { gina, grantGlobex, newWorld, portal } from '../access/grants-world.js'
import { context, good, type Iam, iamOn, inGlobex, refusal } from '../host.js'

let world: Awaited<ReturnType<typeof newWorld>>
let iam: Iam

beforeEach(async () => {
  world = await newWorld()
  iam = world.iam
})

/** As somebody writes it who forgets that another organization owns the project. */
const { projectOrgId: _, ...forgotten } = gina
const give = (within = inGlobex, more: object = {}) =>
  iam.userGrants.give({ ...forgotten, roles: [{ roleKey: 'viewer' }], ...more }, within)

describe('A project that another organization granted', () => {
  it('is named in the refusal with its owner', async () => {
    await grantGlobex(iam, 'viewer')
    const calls = [
      give(),
      iam.userGrants.get(forgotten, inGlobex),
      iam.projects.get({ id: 'portal' }, inGlobex),
      iam.projectRoles.list(portal, inGlobex),
      iam.projectRoles.get({ ...portal, roleKey: 'viewer' }, inGlobex),
    ]
    for (const call of calls)
      expect(await refusal(call)).toMatchObject({ kind: 'NotFound', grantedBy: 'acme' })

    const refused = await refusal(give())
    expect(new IamFailure(refused).message).toContain(
      'The organization acme granted a project with this id: name it with projectOrgId',
    )
    expect(toStatus(refused).details[0]?.['metadata']).toEqual({ grantedBy: 'acme' })
  })

  it.each<[string, () => Promise<object>]>([
    ['was never granted to the organization', () => refusal(give())],
    [
      'was granted to another organization alone',
      async () => {
        await grantGlobex(iam, 'viewer')
        const other = iamOn(world.store, { now: world.clock, authorize: () => true })
        return refusal(other.projects.get({ id: 'portal' }, { ...inGlobex, orgId: 'initech' }))
      },
    ],
    [
      'was named with its owner',
      async () => {
        await grantGlobex(iam, 'viewer')
        return refusal(
          give(inGlobex, { projectOrgId: 'acme', roles: [{ roleKey: 'no-such-role' }] }),
        )
      },
    ],
    [
      'has the id of a project of the organization',
      async () => {
        await grantGlobex(iam, 'viewer')
        await good(iam.projects.add({ id: 'portal', name: 'Own' }, inGlobex))
        return refusal(give())
      },
    ],
    [
      'is no longer granted',
      async () => {
        await grantGlobex(iam, 'viewer')
        await good(iam.projectGrants.remove({ ...portal, grantedOrgId: 'globex' }, context))
        return refusal(give())
      },
    ],
  ])('is not named if it %s', async (_when, refused) => {
    const error = await refused()
    expect(error).toMatchObject({ kind: 'NotFound' })
    expect(error).not.toHaveProperty('grantedBy')
  })

  it('is not named, but still not found, while the read model fails', async () => {
    await grantGlobex(iam, 'viewer')
    const list = () => Promise.reject(new Error('the read model fails'))
    const failing = iamOn(world.store, { readModel: { ...memoryReadModel(), list } })
    const call = failing.userGrants.give({ ...forgotten, roles: [{ roleKey: 'viewer' }] }, inGlobex)
    const error = await refusal(call)
    expect(error).toMatchObject({ kind: 'NotFound' })
    expect(error).not.toHaveProperty('grantedBy')
  })

  it('is not waited for once the caller has given up', async () => {
    await grantGlobex(iam, 'viewer')
    const ending = new AbortController()
    const list = () => {
      ending.abort()
      return new Promise<never>(() => undefined)
    }
    const slow = iamOn(world.store, { readModel: { ...memoryReadModel(), list } })
    const within = { ...inGlobex, signal: ending.signal }
    const call = slow.userGrants.give({ ...forgotten, roles: [{ roleKey: 'viewer' }] }, within)
    expect(await refusal(call)).toMatchObject({ kind: 'NotFound' })
  })
})
