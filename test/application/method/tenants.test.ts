import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import {
  aesGcmCipher,
  type Context,
  createIam,
  type IamOptions,
  memoryEventStore,
  permissionsFromCaller,
} from '../../../src/index.js'

const ORGANIZATIONS = ['acme', 'acme2', 'ACME', 'constructor'] as const
const IDS = ['p', 'P', 'p2', 'acme'] as const
const KEYS = ['editor', 'Editor', 'p+editor', '100%', '_'] as const

const permissions = [
  'project.read',
  'project.write',
  'project.role.read',
  'project.role.write',
  'event.read',
] as const
const contextOf = (orgId: string): Context => ({ caller: { userId: 'u1', orgId, permissions } })

/** The token, made to stand for another place in the same list. */
const withPlace = (pageToken: string, place: unknown): string => {
  const [binding] = JSON.parse(Buffer.from(pageToken, 'base64url').toString())
  return Buffer.from(JSON.stringify([binding, place])).toString('base64url')
}

const world = fc.array(
  fc.record({
    orgId: fc.constantFrom(...ORGANIZATIONS),
    id: fc.constantFrom(...IDS),
    roleKey: fc.constantFrom(...KEYS),
  }),
  { maxLength: 30 },
)

const homes: readonly [string, () => Pick<IamOptions, 'store' | 'readModel'>][] = [
  ['memory', () => ({ store: memoryEventStore() })],
  ['an SQLite file', () => openSqlite(':memory:')],
]

describe.each(homes)('in %s', (_, open) => {
  const newIam = () =>
    createIam({
      ...open(),
      secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } }),
      authorize: permissionsFromCaller,
    })

  it('a caller sees nothing of another organization, even with odd names', async () => {
    const property = fc.asyncProperty(world, async (roles) => {
      const iam = newIam()
      for (const { orgId, id, roleKey } of roles) {
        const context = contextOf(orgId)
        await iam.projects.add({ id, name: `${id} of ${orgId}` }, context)
        const role = { projectId: id, roleKey, displayName: `${roleKey} of ${orgId}` }
        await iam.projectRoles.add(role, context)
      }
      for (const orgId of ORGANIZATIONS) {
        const context = contextOf(orgId)
        const own = roles.filter((role) => role.orgId === orgId)
        const projects = (await iam.projects.list({}, context))._unsafeUnwrap()
        expect(projects.items.map(({ name }) => name).toSorted()).toEqual(
          [...new Set(own.map(({ id }) => `${id} of ${orgId}`))].toSorted(),
        )
        for (const { id } of projects.items) {
          const found = await iam.projectRoles.list({ projectId: id }, context)
          const keys = own.filter((role) => role.id === id).map(({ roleKey }) => roleKey)
          expect(
            found
              ._unsafeUnwrap()
              .items.map(({ displayName }) => displayName)
              .toSorted(),
          ).toEqual([...new Set(keys)].map((key) => `${key} of ${orgId}`).toSorted())
        }
        const history = (await iam.history.list({ limit: 1000 }, context))._unsafeUnwrap()
        expect(history.items).toHaveLength(
          new Set(own.map(({ id }) => id)).size +
            new Set(own.map(({ id, roleKey }) => `${id} ${roleKey}`)).size,
        )
      }
    })
    await fc.assert(property, { numRuns: 50 })
  })

  it('a page token is valid for its own organization, project, filter and order only', async () => {
    const iam = newIam()
    for (const orgId of ['acme', 'acme2'])
      for (const id of ['p1', 'p2']) {
        await iam.projects.add({ id, name: 'P' }, contextOf(orgId))
        const roles = ['a', 'b', 'c'].map((roleKey) => ({ roleKey, displayName: roleKey }))
        await iam.projectRoles.addMany({ projectId: id, roles }, contextOf(orgId))
      }
    const acme = contextOf('acme')
    const first = await iam.projectRoles.list({ projectId: 'p1', pageSize: 1 }, acme)
    const pageToken = first._unsafeUnwrap().nextPageToken ?? ''
    const refused = { kind: 'InvalidArgument', violations: [{ field: 'pageToken' }] }
    const list = async (input: object, context: Context = acme) =>
      iam.projectRoles.list({ projectId: 'p1', pageSize: 1, pageToken, ...input }, context)

    expect((await list({})).isOk()).toBe(true)
    expect((await list({ pageSize: 2 })).isOk()).toBe(true)
    for (const other of [
      list({}, contextOf('acme2')),
      list({ projectId: 'p2' }),
      list({ filter: { group: { equals: '' } } }),
      list({ sort: [{ field: 'displayName' }] }),
      list({ pageToken: `${pageToken}A` }),
      list({ pageToken: '' }),
      list({ pageToken: '{}' }),
      list({ pageToken: withPlace(pageToken, 'a\0') }),
      list({ pageToken: withPlace(pageToken, '\ud800') }),
      list({ pageToken: withPlace(pageToken, { n: '9'.repeat(20) }) }),
      iam.projects.list({ pageToken }, acme),
    ])
      expect((await other)._unsafeUnwrapErr()).toMatchObject(refused)
  })
})
