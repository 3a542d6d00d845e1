import { beforeEach, describe, expect, it } from 'vitest'
import type { IamOptions } from '../../../src/index.js'
import { context, good, type Iam, iamOn, inGlobex, logOf, oidc, refusal } from '../host.js'

const HOUR = 3_600_000
const START = new Date('2030-01-01T00:00:00.000Z').getTime()

const idpId = oidc.idpId
const portal = { projectId: 'portal' }
const finance = { idpId, group: 'finance', ...portal }
const anna = { idpId, userId: 'anna' }

/** What groups of a provider give, on ports that tell the time by `now`, or by a clock of their own. */
export const describeGroups = (
  name: string,
  open: (now: () => Date) => Promise<Pick<IamOptions, 'store' | 'readModel'>>,
  { hasOwnClock = false } = {},
): void => {
  let iam: Iam
  let options: Pick<IamOptions, 'store' | 'readModel'>
  let time = START
  const now = () => (hasOwnClock ? new Date() : new Date(time))

  beforeEach(async () => {
    time = START
    options = await open(now)
    iam = iamOn(options.store, { ...options, now, authorize: () => true })
    await good(iam.identityProviders.addOidc(oidc, context))
    await good(iam.projects.add({ id: 'portal', name: 'Portal', projectRoleCheck: true }, context))
    for (const roleKey of ['accountant', 'viewer'])
      await good(
        iam.projectRoles.add(
          { ...portal, roleKey, displayName: roleKey, permissions: [`${roleKey}.do`] },
          context,
        ),
      )
  })

  const map = (rest: object = {}) =>
    good(iam.roleMappings.add({ ...finance, roleKeys: ['accountant'], ...rest }, context))
  const report = (...groups: readonly string[]) =>
    good(iam.memberships.report({ ...anna, groups }, context))
  const check = async (asked: { roleKey: string } | { permission: string } | object = {}) => {
    const input = { userId: 'anna', ...portal, ...asked }
    const { allowed, roleKeys, reasons } = await good(iam.access.check(input, context))
    return allowed ? roleKeys : reasons.map(({ kind }) => kind)
  }
  const accountant = { roleKey: 'accountant' }
  const reportsOf = async () =>
    (await logOf(options.store)).filter(({ type }) => type === 'membership.reported')

  describe(`Groups of a provider, on ${name},`, () => {
    it('give the roles of their mappings from the next report on, and take them with the group', async () => {
      await report('finance')
      await map()
      expect(await check(accountant)).toEqual(['NoGrant'])
      await report('finance', 'staff')
      expect(await check(accountant)).toEqual(['accountant'])
      expect(await check({ permission: 'accountant.do' })).toEqual(['accountant'])
      expect(await check()).toEqual(['accountant'])
      await report('staff')
      expect(await check(accountant)).toEqual(['NoGrant'])
    })

    it('are recorded only if they are mapped, each once and in order, and only when something changes', async () => {
      await report('finance', 'staff')
      expect(await reportsOf()).toEqual([])
      await map()
      await map({ group: 'admins' })
      const { changed } = await report('staff', 'finance', 'admins', 'finance')
      expect(changed).toBe(true)
      const membership = await good(iam.memberships.get(anna, context))
      expect(membership.groups).toEqual(['admins', 'finance'])
      expect((await report('finance', 'admins')).changed).toBe(false)
      await good(iam.roleMappings.remove({ ...finance, group: 'admins' }, context))
      expect((await report('finance', 'admins')).changed).toBe(true)
      expect(await reportsOf()).toHaveLength(2)
    })

    it('give nothing to whom a removed mapping gave it, also when it is added again', async () => {
      await map()
      await report('finance')
      await good(iam.roleMappings.remove(finance, context))
      await map()
      expect(await check(accountant)).toEqual(['NoGrant'])
      expect((await report('finance')).changed).toBe(true)
      expect(await check(accountant)).toEqual(['accountant'])
    })

    it('give roles that a mapping gains at once, but not roles that were removed and added again', async () => {
      await map()
      await report('finance')
      await good(iam.roleMappings.addRoles({ ...finance, roleKeys: ['viewer'] }, context))
      expect(await check(accountant)).toEqual(['accountant', 'viewer'])
      await good(iam.projectRoles.remove({ ...portal, roleKey: 'viewer' }, context))
      const viewer = { ...portal, roleKey: 'viewer', displayName: 'Viewer' }
      await good(iam.projectRoles.add(viewer, context))
      expect(await check(accountant)).toEqual(['accountant'])
      expect((await good(iam.roleMappings.get(finance, context))).roleKeys).toEqual(['accountant'])
      await good(iam.roleMappings.addRoles({ ...finance, roleKeys: ['viewer'] }, context))
      expect(await check(accountant)).toEqual(['accountant', 'viewer'])
    })

    it('count while the provider is active, and end with it', async () => {
      await map()
      await report('finance')
      await good(iam.identityProviders.deactivate({ idpId }, context))
      expect(await check(accountant)).toEqual(['ProviderInactive'])
      await good(iam.identityProviders.reactivate({ idpId }, context))
      expect(await check(accountant)).toEqual(['accountant'])
      await good(iam.identityProviders.remove({ idpId }, context))
      expect(await check(accountant)).toEqual(['NoGrant'])
      expect((await good(iam.roleMappings.list({}, context))).items).toEqual([])
      expect((await good(iam.memberships.list({}, context))).items).toEqual([])
      for (const call of [
        iam.memberships.report({ ...anna, groups: [] }, context),
        iam.memberships.remove(anna, context),
        iam.roleMappings.add({ ...finance, roleKeys: ['viewer'] }, context),
        iam.roleMappings.remove(finance, context),
      ])
        expect(await refusal(call)).toMatchObject({ kind: 'NotFound' })
    })

    it.skipIf(hasOwnClock)(
      'count for the hours of the mapping, which reports renew at most ten times in them',
      async () => {
        await map({ validFor: 10 })
        await report('finance')
        time += HOUR - 1
        expect((await report('finance')).changed).toBe(false)
        time += 1
        expect((await report('finance')).changed).toBe(true)
        time += 10 * HOUR - 1
        expect(await check(accountant)).toEqual(['accountant'])
        time += 1
        expect(await check(accountant)).toEqual(['MembershipExpired'])
        const at = { at: new Date(time - 1) }
        expect(await check({ ...accountant, ...at })).toEqual(['accountant'])
        const why = await good(
          iam.access.explain({ userId: 'anna', ...portal, ...accountant }, context),
        )
        expect(why.reasons).toEqual([{ kind: 'MembershipExpired' }])
        expect(why.because.map(({ type }) => type)).toEqual([
          'identity_provider.oidc_added',
          'project.added',
          'project_role.added',
          'role_mapping.added',
          'membership.reported',
        ])
      },
    )

    it('leave grants alone, and show each way to a role', async () => {
      const roles = [{ roleKey: 'accountant' }]
      await good(iam.userGrants.add({ userId: 'anna', ...portal, roles }, context))
      await map()
      await report('finance')
      const ways = async () => [
        (await good(iam.access.rolesOf({ userId: 'anna' }, context))).items.map(({ via }) => via),
        (await good(iam.access.whoHas(portal, context))).items.map(({ via }) => via),
      ]
      const via = { idpId, group: 'finance' }
      expect(await ways()).toEqual([
        ['grant', via],
        ['grant', via],
      ])
      const dry = { ...context, dryRun: true } as const
      const planned = await good(iam.roleMappings.remove(finance, dry))
      expect(planned.impact).toEqual({
        loses: { count: 0, first: [] },
        gains: { count: 0, first: [] },
      })
      await good(iam.userGrants.remove({ userId: 'anna', ...portal }, context))
      expect(await check(accountant)).toEqual(['accountant'])
      const alone = await good(iam.roleMappings.remove(finance, dry))
      const first = [{ orgId: 'acme', userId: 'anna', roleKey: 'accountant' }]
      expect(alone.impact?.loses).toEqual({ count: 1, first })
    })

    it('give roles of a project of another organization while it is granted', async () => {
      await good(iam.projects.add({ id: 'shop', name: 'Shop' }, inGlobex))
      const seller = { projectId: 'shop', roleKey: 'seller' }
      await good(iam.projectRoles.add({ ...seller, displayName: 'Seller' }, inGlobex))
      const mapping = {
        ...finance,
        projectId: 'shop',
        projectOrgId: 'globex',
        roleKeys: ['seller'],
      }
      expect(await refusal(iam.roleMappings.add(mapping, context))).toMatchObject({
        kind: 'NotFound',
      })
      const granted = { projectId: 'shop', grantedOrgId: 'acme' }
      await good(iam.projectGrants.add({ ...granted, roleKeys: ['seller'] }, inGlobex))
      await good(iam.roleMappings.add(mapping, context))
      await report('finance')
      const asked = { userId: 'anna', ...seller, projectOrgId: 'globex' }
      const isAllowed = async () => (await good(iam.access.check(asked, context))).allowed
      expect(await isAllowed()).toBe(true)
      const { items } = await good(iam.access.whoHas({ projectId: 'shop' }, inGlobex))
      expect(items).toMatchObject([{ userId: 'anna', orgId: 'acme', roleKey: 'seller' }])
      await good(iam.projectGrants.remove(granted, inGlobex))
      expect(await isAllowed()).toBe(false)
    })

    it('are taken from a user with all grants, and stand in the history of the user', async () => {
      await map()
      await report('finance')
      const removed = await good(iam.userGrants.removeAllOfUser({ userId: 'anna' }, context))
      expect(removed).toMatchObject({ removed: [], memberships: [anna] })
      expect(await check(accountant)).toEqual(['NoGrant'])
      const { items } = await good(iam.history.list({ user: 'anna' }, context))
      expect(items.map(({ type }) => type)).toEqual(['membership.reported', 'membership.removed'])
    })

    describe('and grants end with what they are in:', () => {
      const endProvider = () => good(iam.identityProviders.remove({ idpId }, context))
      const endProject = () => good(iam.projects.remove({ id: 'portal' }, context))
      const cases = {
        'a membership with its provider': {
          object: { type: 'membership', ...anna },
          add: () => report('finance'),
          ends: [endProvider, endProject],
          types: ['membership.reported', 'identity_provider.removed'],
        },
        'a mapping with its provider': {
          object: { type: 'role_mapping', ...finance },
          add: async () => undefined,
          ends: [endProvider, endProject],
          types: ['role_mapping.added', 'identity_provider.removed'],
        },
        'a mapping with its project': {
          object: { type: 'role_mapping', ...finance },
          add: async () => undefined,
          ends: [endProject, endProvider],
          types: ['role_mapping.added', 'project.removed'],
        },
        'a grant of a user with its project': {
          object: { type: 'user_grant', userId: 'anna', ...portal },
          add: () =>
            good(
              iam.userGrants.add(
                { userId: 'anna', ...portal, roles: [{ roleKey: 'viewer' }] },
                context,
              ),
            ),
          ends: [endProject, endProvider],
          types: ['user_grant.added', 'project.removed'],
        },
        'a role with its project': {
          object: { type: 'project_role', ...portal, roleKey: 'viewer' },
          add: async () => undefined,
          ends: [endProject, endProvider],
          types: ['project_role.added', 'project.removed'],
        },
      } as const

      it.each(Object.entries(cases))(
        '%s',
        async (_, { object, add, ends: [end, endOther], types }) => {
          await map()
          await add()
          const { details } = await end()
          const during = details.sequence - 1n
          const later = await good(iam.head())
          // It has ended already.
          await endOther()
          const { items } = await good(iam.history.list({ object }, context))
          expect(items.map(({ type }) => type)).toEqual(types)
          const followed = []
          for await (const { type } of iam.subscribe({ orgId: 'acme', object, until: 'head' }))
            followed.push(type)
          expect(followed).toEqual(types)
          const at = (sequence: bigint) => iam.history.stateAt({ object, sequence }, context)
          expect(await good(at(during))).toMatchObject({ state: 'active' })
          for (const sequence of [details.sequence, later, await good(iam.head())])
            expect(await refusal(at(sequence))).toMatchObject({ kind: 'NotFound', object })
        },
      )

      it('what lies in a project of another organization shows nothing of its removal', async () => {
        await good(iam.projects.add({ id: 'shop', name: 'Shop' }, inGlobex))
        const seller = { projectId: 'shop', roleKey: 'seller', displayName: 'Seller' }
        await good(iam.projectRoles.add(seller, inGlobex))
        await good(
          iam.projectGrants.add(
            { projectId: 'shop', grantedOrgId: 'acme', roleKeys: ['seller'] },
            inGlobex,
          ),
        )
        const held = { userId: 'anna', projectId: 'shop', projectOrgId: 'globex' }
        await good(iam.userGrants.add({ ...held, roles: [{ roleKey: 'seller' }] }, context))
        await good(iam.projects.remove({ id: 'shop' }, inGlobex))
        const object = { type: 'user_grant', ...held } as const
        const { items } = await good(iam.history.list({ object }, context))
        expect(items.map(({ type }) => type)).toEqual(['user_grant.added'])
        const sequence = await good(iam.head())
        expect(await refusal(iam.history.stateAt({ object, sequence }, context))).toEqual({
          kind: 'NotFound',
          object,
        })
      })
    })

    it('ask for the roles that a change of a mapping gives or takes', async () => {
      const asked: unknown[] = []
      const judged = iamOn(options.store, {
        ...options,
        now,
        authorize: ({ permission, roleKeys, object }) => {
          if (permission === 'role_mapping.write') asked.push(roleKeys)
          if (permission === 'role_mapping.write')
            expect(object).toEqual({ type: 'role_mapping', ...finance, projectOrgId: 'acme' })
          return roleKeys?.includes('accountant') !== true
        },
      })
      const viewer = { ...finance, roleKeys: ['viewer'] }
      await good(judged.roleMappings.add(viewer, context))
      const both = { ...finance, roleKeys: ['accountant', 'viewer'] }
      expect(await refusal(judged.roleMappings.update(both, context))).toMatchObject({
        kind: 'PermissionDenied',
      })
      expect(await refusal(judged.roleMappings.addRoles(both, context))).toMatchObject({
        kind: 'PermissionDenied',
      })
      await good(judged.roleMappings.remove(finance, context))
      expect(asked).toEqual([
        ['viewer'],
        [],
        ['accountant'],
        ['accountant', 'viewer'],
        [],
        ['viewer'],
      ])
    })
  })
}
