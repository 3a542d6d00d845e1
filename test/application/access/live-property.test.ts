import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { type EventStore, memoryEventStore } from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { context, good, iamOn, logOf, oidc } from '../host.js'
import {
  anyStep,
  foundation,
  onlyGrants,
  onlyProjects,
  RESOURCES,
  START,
  STEP_MS,
} from './any-history.js'
import { differences, liveOf } from './live-world.js'

const HISTORIES = Number(process.env['FUZZ_RUNS'] ?? 12)

const histories = fc.array(anyStep, { minLength: 20, maxLength: 60 })

/** How many steps are between two comparisons. */
const EVERY = 15

test.each([
  ['memory', (now: () => Date) => memoryEventStore({ now }), 1],
  ['SQLite', (now: () => Date) => openSqlite(temporaryFile(), { now }).store, 0.2],
] as const)(
  'live checks agree with eventual checks of the same position, after every write: %s',
  async (_, open, share) => {
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        let time = START.getTime()
        const now = () => new Date(time)
        const store = open(now)
        const iam = iamOn(store, { now, authorize: () => true })
        const live = await liveOf(iam)
        for (const step of foundation) await step(iam)
        for (const [index, step] of steps.entries()) {
          time += STEP_MS
          await step(iam)
          if (index % EVERY !== 0) continue
          expect(live.position).toBe(await store.lastPosition())
          expect(await differences(live, store, { now })).toEqual([])
        }
        expect(await differences(live, store, { now })).toEqual([])
        const late = await liveOf(iamOn(store, { now }))
        expect(await differences(late, store, { now })).toEqual([])
      }),
      { numRuns: Math.ceil(HISTORIES * share) },
    )
  },
)

describe('a planted fault is found', () => {
  const acme = context
  const globex = { ...context, orgId: 'globex' }
  const reader = { projectId: 'portal', roleKey: 'reader' }
  const toGlobex = { projectId: 'portal', grantedOrgId: 'globex' }
  const own = { userId: 'u1', projectId: 'portal', projectOrgId: 'acme' }
  const shop = { userId: 'u1', projectId: 'shop', projectOrgId: 'acme' }

  /** A history in which each of these events ends something, or begins it again, that no other event does. */
  const played = async (): Promise<EventStore> => {
    const store = memoryEventStore()
    const iam = iamOn(store, { authorize: () => true })
    for (const step of onlyGrants) await step(iam)
    await good(iam.projectRoles.remove(reader, acme))
    await good(iam.projectRoles.add({ ...reader, displayName: 'again' }, acme))
    await good(iam.projectGrants.update({ ...toGlobex, roleKeys: ['reader'] }, acme))
    await good(iam.projectGrants.deactivate(toGlobex, acme))
    await good(iam.userGrants.deactivate(own, acme))
    await good(iam.userGrants.update({ ...shop, roles: [{ roleKey: 'reader' }] }, acme))
    const inShop = { ...reader, projectId: 'shop' }
    await good(iam.projectRoles.patch({ ...inShop, permissions: ['b/own', 'a.write'] }, acme))
    const late = { ...inShop, roleKey: 'late', displayName: 'Late', permissions: ['b/own'] }
    await good(iam.projectRoles.add(late, acme))
    await good(iam.userGrants.addRoles({ ...shop, roles: [{ roleKey: 'late' }] }, acme))
    await good(iam.userGrants.remove({ ...own, userId: 'u+2' }, acme))
    for (const resource of [undefined, RESOURCES[0]])
      await good(iam.userGrants.remove({ ...shop, userId: 'u+2', resource }, acme))
    await good(iam.projects.patch({ id: 'shop', projectRoleCheck: true }, acme))
    await good(iam.projects.deactivate({ id: 'portal' }, acme))
    const toAcme = { projectId: 'portal', grantedOrgId: 'acme' }
    await good(iam.projectGrants.remove(toAcme, globex))
    await good(iam.projects.remove({ id: 'shop' }, globex))
    await good(iam.identityProviders.addOidc(oidc, acme))
    return store
  }

  /** The same of events of groups. */
  const playedWithGroups = async (): Promise<EventStore> => {
    const store = memoryEventStore()
    const iam = iamOn(store, { authorize: () => true })
    for (const step of onlyProjects) await step(iam)
    const map = async (idpId: string, group: string, projectOrgId: string, projectId: string) => {
      const mapping = { idpId, group, projectId, projectOrgId, roleKeys: ['reader'] }
      await good(iam.roleMappings.add(mapping, acme))
      return mapping
    }
    const report = (idpId: string, userId: string, groups: readonly string[]) =>
      good(iam.memberships.report({ idpId, userId, groups }, acme))
    for (const idpId of ['entra', 'okta', 'again', 'gone'])
      await good(iam.identityProviders.addOidc({ ...oidc, idpId }, acme))
    await map('entra', 'staff', 'acme', 'portal')
    const inShop = await map('entra', 'a+b', 'acme', 'shop')
    const taken = await map('again', 'taken', 'globex', 'shop')
    await map('okta', 'staff', 'globex', 'portal')
    await map('again', 'staff', 'acme', 'shop')
    await map('gone', 'staff', 'globex', 'shop')
    await report('entra', 'u1', ['staff', 'a+b'])
    await report('entra', 'u+2', ['staff'])
    await report('okta', 'u1', ['staff'])
    await report('again', 'u+2', ['staff', 'taken'])
    await report('gone', 'u1', ['staff'])
    await good(iam.roleMappings.update({ ...inShop, roleKeys: ['reader', 'writer'] }, acme))
    const { roleKeys: _, ...ofTaken } = taken
    await good(iam.roleMappings.remove(ofTaken, acme))
    await good(iam.memberships.remove({ idpId: 'entra', userId: 'u+2' }, acme))
    await good(iam.identityProviders.deactivate({ idpId: 'okta' }, acme))
    await good(iam.identityProviders.deactivate({ idpId: 'again' }, acme))
    await good(iam.identityProviders.reactivate({ idpId: 'again' }, acme))
    await good(iam.identityProviders.remove({ idpId: 'gone' }, acme))
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'late' }, acme))
    return store
  }

  /** The store without the events of a type. */
  const without = (store: EventStore, type: string): EventStore => ({
    ...store,
    readAll: async (after, limit) =>
      (await store.readAll(after, limit)).filter((event) => event.type !== type),
  })

  test.each([
    'project_role.removed',
    'project_role.added',
    'project_role.updated',
    'project_grant.added',
    'project_grant.updated',
    'project_grant.deactivated',
    'project_grant.removed',
    'user_grant.added',
    'user_grant.updated',
    'user_grant.deactivated',
    'user_grant.removed',
    'project.added',
    'project.updated',
    'project.deactivated',
    'project.removed',
    'role_mapping.added',
    'role_mapping.updated',
    'role_mapping.removed',
    'membership.reported',
    'membership.removed',
    'identity_provider.deactivated',
    'identity_provider.reactivated',
    'identity_provider.removed',
  ])('in live checks that pass over %s', async (type) => {
    const isOfGroups = /^(role_mapping|membership|identity_provider)/.test(type)
    const store = await (isOfGroups ? playedWithGroups() : played())
    expect((await logOf(store)).some((event) => event.type === type)).toBe(true)
    const now = () => new Date()
    const sound = await liveOf(iamOn(store))
    expect(await differences(sound, store, { now })).toEqual([])
    const deaf = await liveOf(iamOn(without(store, type)))
    const found = await differences(deaf, store, { now })
    expect(found).not.toEqual([])
    expect(
      found.filter((each) => 'live' in each && each.live.reasons[0]?.kind === 'Stale'),
    ).toEqual([])
  })

  test('in live checks by another clock', async () => {
    const now = () => new Date('2026-01-01')
    const store = memoryEventStore({ now })
    const iam = iamOn(store, { authorize: () => true, now })
    for (const step of onlyGrants) await step(iam)
    const roles = [{ roleKey: 'reader', expiresAt: new Date('2026-01-02') }]
    await good(iam.userGrants.update({ ...own, roles }, acme))
    const live = await liveOf(iam)
    const later = { now: () => new Date('2026-01-02') }
    expect(await differences(live, store, { now })).toEqual([])
    expect(await differences(live, store, later)).not.toEqual([])
    expect(await differences(await liveOf(iamOn(store, later)), store, later)).toEqual([])
  })
})
