import { describe, expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { memoryEventStore, memoryReadModel, type ReadModel } from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { addAllSamples, context, good, type Iam, iamOn, inGlobex, inHooli } from '../host.js'
import { type Method, reads } from '../method/methods.js'

/** Two processes on the same events, and the read model that the second one reads. */
interface Processes {
  readonly writer: Iam
  readonly reader: Iam
  readonly readModel: ReadModel
}

const inMemory = (): Processes => {
  const store = memoryEventStore()
  const readModel = memoryReadModel()
  return { writer: iamOn(store), reader: iamOn(store, { readModel }), readModel }
}

const inOneFile = (): Processes => {
  const path = temporaryFile()
  const [one, other] = [openSqlite(path), openSqlite(path)]
  onTestFinished(async () => {
    await one.close()
    await other.close()
  })
  return { writer: iamOn(one.store, one), reader: iamOn(other.store, other), ...other }
}

const google = { idpId: 'google' }
const portal = { id: 'portal' }
const shop = { id: 'shop' }
const editor = { projectId: 'portal', roleKey: 'editor' }
const initech = { projectId: 'portal', grantedOrgId: 'initech' }
const ofAcme = { domain: 'acme.example' }
const ofLink = { linkId: 'link-1' }
const bob = { userId: 'bob', projectId: 'portal' }
const mapping = { ...google, group: 'staff', projectId: 'portal' }
const mia = { ...google, userId: 'mia' }
const checked = { projectRoleCheck: true, projectRoleAssertion: true }

/** Changes what each of {@link reads} answers. */
const change = async (iam: Iam, token: string) => {
  const { identityProviders, projects, projectRoles, projectGrants, userGrants } = iam
  const oidc = { ...google, clientId: 'client-2', clientSecret: 'rotated', issuer: 'i' }
  await good(identityProviders.patch(oidc, context))
  await good(projects.patch({ ...portal, name: 'Renamed', ...checked }, context))
  await good(projectRoles.patch({ ...editor, displayName: 'Renamed' }, context))
  const roleKeys = ['editor', 'viewer']
  await good(projectGrants.update({ ...initech, roleKeys }, context))
  // Another end of a role is what its explanation names.
  const expiresAt = new Date('2100-01-01T00:00:00.000Z')
  const roles = roleKeys.map((roleKey) => ({ roleKey, expiresAt }))
  await good(userGrants.update({ ...bob, roles }, context))
  await good(iam.roleMappings.update({ ...mapping, roleKeys }, context))
  await good(iam.roleMappings.add({ ...mapping, group: 'admins', roleKeys }, context))
  await good(iam.memberships.report({ ...mia, groups: ['admins', 'staff'] }, context))
  await good(iam.domains.setProvider({ ...ofAcme, ...google }, context))
  await good(iam.setupLinks.redeem({ token }))
  await good(projects.add({ ...shop, name: 'Shop' }, inGlobex))
  const seller = { projectId: 'shop', roleKey: 'seller', displayName: 'Seller' }
  await good(projectRoles.add(seller, inGlobex))
  const toAcme = { projectId: 'shop', grantedOrgId: 'acme', roleKeys: ['seller'] }
  await good(projectGrants.add(toAcme, inGlobex))
  await good(projects.patch({ ...shop, name: 'Renamed' }, inHooli))
  await good(userGrants.add({ ...bob, resource: 'page', roles: [{ roleKey: 'editor' }] }, context))
}

const removals: readonly (readonly [string, (iam: Iam) => Promise<void>])[] = [
  [
    'each of them',
    async (iam) => {
      const { identityProviders, projects, projectRoles, projectGrants, userGrants } = iam
      await good(iam.roleMappings.remove(mapping, context))
      await good(iam.memberships.remove(mia, context))
      await good(iam.domains.remove(ofAcme, context))
      await good(iam.setupLinks.revoke(ofLink, context))
      await good(userGrants.remove(bob, context))
      await good(projectGrants.remove(initech, context))
      await good(projectGrants.remove({ projectId: 'shop', grantedOrgId: 'acme' }, inGlobex))
      await good(projectGrants.remove({ projectId: 'shop', grantedOrgId: 'acme' }, inHooli))
      await good(projectRoles.remove(editor, context))
      await good(projects.remove(portal, context))
      await good(identityProviders.remove(google, context))
    },
  ],
  [
    'roles and grants by their project',
    async ({ identityProviders, projects, domains, setupLinks }) => {
      await good(domains.remove(ofAcme, context))
      await good(setupLinks.revoke(ofLink, context))
      await good(projects.remove(portal, context))
      await good(projects.remove(shop, inGlobex))
      await good(projects.remove(shop, inHooli))
      await good(identityProviders.remove(google, context))
    },
  ],
]

const answers = async (iam: Iam, consistency: 'eventual' | 'strong') => {
  const ask = async ({ name, of, input }: Method) =>
    [name, await of(iam)(input, { ...context, consistency })] as const
  return new Map(await Promise.all(reads.map(ask)))
}

describe.each([
  ['in memory', inMemory],
  ['in one SQLite file', inOneFile],
])('An eventual read %s answers as a strong one', (_, open) => {
  it.each(removals)('once caught up after a change and the removal of %s.', async (_, remove) => {
    const { writer, reader, readModel } = open()
    const { token } = await addAllSamples(writer)
    let before = await answers(reader, 'strong')
    for (const write of [change, remove]) {
      await write(writer, token)
      await good(reader.catchUp(readModel))
      const eventual = await answers(reader, 'eventual')
      expect(eventual).toEqual(await answers(reader, 'strong'))
      for (const [name, answer] of eventual) expect(answer, name).not.toEqual(before.get(name))
      before = eventual
    }
  })
})
