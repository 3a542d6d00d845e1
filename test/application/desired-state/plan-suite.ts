import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatPlan } from '../../../src/application/desired-state/plan/plan.js'
import type { OpenStore } from '../stores.js'
import { byHand, partial } from './desired-states.js'
import { doByHand } from './do-by-hand.js'
import {
  ALL,
  allEvents,
  context,
  contextOf,
  done,
  onEmpty,
  refused,
  without,
} from './organization.js'

const portal = { id: 'portal', name: 'Portal' }
const editor = { roleKey: 'editor', displayName: 'Editor', group: 'content' }
const google = { idpId: 'google', name: 'Google', clientId: 'c1', issuer: 'https://accounts.test' }
const withSecret = { ...google, clientSecret: 'top secret' }
const portalRef = { type: 'project', id: 'portal' }
const roleRef = (roleKey: string) => ({ type: 'project_role', projectId: 'portal', roleKey })

/** What `iam.plan` does on any store. */
export const planSuite = (open: OpenStore): void => {
  test('a plan lists added objects, in the declared order', () =>
    onEmpty(open, async ({ iam }) => {
      const desired = { projects: [{ ...portal, roles: [editor] }] }
      const plan = await done(iam.plan(desired, context))
      expect(plan).toEqual({
        orgId: 'acme',
        desired,
        changes: [
          expect.objectContaining({ action: 'add', object: portalRef }),
          {
            action: 'add',
            object: roleRef('editor'),
            fields: [
              { field: 'displayName', to: 'Editor' },
              { field: 'group', to: 'content' },
            ],
          },
        ],
        counts: { add: 2, update: 0, remove: 0, unchanged: 0 },
        undeclared: [],
      })
    }))

  test('the permissions of a role are planned, kept where they are not declared, and taken by []', () =>
    onEmpty(open, async ({ iam }) => {
      const desired = (permissions?: readonly string[]) => ({
        projects: [{ ...portal, roles: [{ ...editor, ...(permissions && { permissions }) }] }],
      })
      const fieldsOf = async (permissions?: readonly string[]) => {
        const { changes } = await done(iam.plan(desired(permissions), context))
        return changes[1]?.fields
      }
      expect(await fieldsOf(['b', 'a'])).toContainEqual({ field: 'permissions', to: ['a', 'b'] })
      await done(iam.apply(desired(['b', 'a']), context))
      expect(await fieldsOf()).toEqual([])
      expect(await fieldsOf(['b', 'a'])).toEqual([])
      expect(await fieldsOf(['c'])).toEqual([{ field: 'permissions', from: ['a', 'b'], to: ['c'] }])
      await done(iam.apply(desired(['c']), context))
      await done(iam.apply(desired(), context))
      const role = { projectId: 'portal', roleKey: 'editor' }
      expect((await done(iam.projectRoles.get(role, context))).permissions).toEqual(['c'])
      await done(iam.apply(desired([]), context))
      expect((await done(iam.projectRoles.get(role, context))).permissions).toEqual([])
    }))

  test('a plan never writes', () =>
    onEmpty(open, async (world) => {
      const { iam } = world
      await fc.assert(
        fc.asyncProperty(
          partial,
          fc.array(byHand, { maxLength: 4 }),
          partial,
          async (a, deeds, b) => {
            await iam.apply(a, context)
            for (const deed of deeds) await doByHand(iam, deed)
            const before = [world.appends, await world.plain.lastPosition()]
            await iam.plan(b, context)
            expect([world.appends, await world.plain.lastPosition()]).toEqual(before)
          },
        ),
        { numRuns: 20 },
      )
    }))

  test('an update shows old and new values, and only declared fields count', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add({ ...portal, hasProjectCheck: true }, context))
      const settings = { projectRoleCheck: true }
      const { changes } = await done(
        iam.plan({ projects: [{ id: 'portal', name: 'Gate', settings }] }, context),
      )
      expect(changes).toMatchObject([
        {
          action: 'update',
          fields: [
            { field: 'name', from: 'Portal', to: 'Gate' },
            { field: 'projectRoleCheck', from: false, to: true },
          ],
        },
      ])
    }))

  test('a role keeps a group that is not declared', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      await done(iam.projectRoles.add({ projectId: 'portal', ...editor }, context))
      const roles = [{ roleKey: 'editor', displayName: 'Editor' }]
      const { counts } = await done(iam.plan({ projects: [{ ...portal, roles }] }, context))
      expect(counts).toEqual({ add: 0, update: 0, remove: 0, unchanged: 2 })
    }))

  test('a provider keeps undeclared fields, and its update can have two events', () =>
    onEmpty(open, async ({ iam, plain }) => {
      const full = {
        ...withSecret,
        scopes: ['email'],
        autoRegister: true,
        stylingType: 'STYLING_TYPE_GOOGLE',
        displayNameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
        usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
      } as const
      await done(iam.identityProviders.addOidc(full, context))
      const { name: _, ...nameless } = google
      const same = await done(iam.plan({ identityProviders: [nameless] }, context))
      expect(same.changes).toMatchObject([{ action: 'unchanged', fields: [] }])
      const other = { ...google, name: 'Other', clientId: 'c2' }
      const { clientSecret: __, ...shown } = full
      const { changes } = await done(iam.plan({ identityProviders: [other] }, context))
      expect(changes[0]?.fields.map(({ field }) => field)).toEqual(['name', 'clientId'])
      const before = await plain.lastPosition()
      await done(iam.apply({ identityProviders: [other] }, context))
      const recorded = await allEvents(plain, before)
      expect(Object.assign({}, ...recorded.map(({ data }) => data))).toEqual({ ...shown, ...other })
      expect(recorded).toHaveLength(2)
    }))

  test('a secret shows as set, unchanged or changed, and never in plain text', () =>
    onEmpty(open, async ({ iam }) => {
      const shown = async (clientSecret: string) => {
        const plan = await done(
          iam.plan({ identityProviders: [{ ...google, clientSecret }] }, context),
        )
        expect(JSON.stringify(plan) + formatPlan(plan)).not.toContain(clientSecret)
        const [change] = plan.changes
        return [change?.action, change?.fields.filter(({ field }) => field === 'clientSecret')]
      }
      const secretIs = (secret: string) => [{ field: 'clientSecret', secret }]
      expect(await shown('top secret')).toEqual(['add', secretIs('set')])
      await done(iam.apply({ identityProviders: [withSecret] }, context))
      expect(await shown('top secret')).toEqual(['unchanged', secretIs('unchanged')])
      expect(await shown('another one')).toEqual(['update', secretIs('changed')])
    }))

  test('a declared secret counts as a change for a caller who may not read the stored one', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.apply({ identityProviders: [withSecret] }, context))
      const blind = without('identity_provider.secret.read')
      const { counts } = await done(iam.plan({ identityProviders: [withSecret] }, blind))
      expect(counts.update).toBe(1)
      const undeclared = await done(iam.plan({ identityProviders: [google] }, blind))
      expect(undeclared.counts.unchanged).toBe(1)
    }))

  test('a new provider requires a name and a secret', () =>
    onEmpty(open, async ({ iam }) => {
      const { name: _, ...nameless } = withSecret
      const { clientSecret: __, ...bare } = nameless
      for (const [provider, fields] of [
        [google, ['clientSecret']],
        [nameless, ['name']],
        [bare, ['name', 'clientSecret']],
      ] as const)
        for (const call of [iam.plan, iam.apply])
          expect(await refused(call({ identityProviders: [provider] }, context))).toEqual({
            kind: 'InvalidArgument',
            violations: fields.map((field) => ({
              field: `identityProviders[0].${field}`,
              description: 'is required to add the provider',
            })),
          })
    }))

  test('a provider may be added without an issuer, and keeps none until its OIDC configuration changes', () =>
    onEmpty(open, async ({ iam }) => {
      const early = { ...withSecret, issuer: '' }
      const planned = await done(iam.plan({ identityProviders: [early] }, context))
      expect(planned.changes).toMatchObject([{ action: 'add' }])
      await done(iam.apply(JSON.parse(JSON.stringify(planned)), context))
      const again = await done(iam.apply({ identityProviders: [early] }, context))
      expect(again.counts).toEqual({ add: 0, update: 0, remove: 0, unchanged: 1 })
      const renamed = { ...early, name: 'Early' }
      const { changes } = await done(iam.plan({ identityProviders: [renamed] }, context))
      expect(changes).toMatchObject([
        { action: 'update', fields: [{ field: 'name' }, { secret: 'unchanged' }] },
      ])
      const known = { ...google, issuer: 'https://accounts.test' }
      const { counts } = await done(iam.apply({ identityProviders: [known] }, context))
      expect(counts.update).toBe(1)
    }))

  test('an update of the OIDC configuration requires an issuer, as in the method', () =>
    onEmpty(open, async (world) => {
      const { iam } = world
      const early = { ...withSecret, idpId: 'early', issuer: '' }
      await done(iam.apply({ identityProviders: [early, withSecret] }, context))
      const before = world.appends
      for (const change of [
        { ...early, clientId: 'c2' },
        { ...early, clientSecret: 'another one' },
        { ...google, issuer: '' },
      ]) {
        const identityProviders = [{ ...withSecret, idpId: 'new' }, change]
        for (const call of [iam.plan, iam.apply])
          expect(await refused(call({ identityProviders }, context))).toEqual({
            kind: 'InvalidArgument',
            violations: [
              {
                field: 'identityProviders[1].issuer',
                description: 'must not be empty',
              },
            ],
          })
      }
      expect(world.appends).toBe(before)
    }))

  test('pruning removes only marked roles that are no longer declared', () =>
    onEmpty(open, async ({ iam }) => {
      const roles = [
        editor,
        { roleKey: 'touched', displayName: 'T' },
        { roleKey: 'taken', displayName: 'T' },
      ]
      await done(iam.apply({ managedBy: 'code', projects: [{ ...portal, roles }] }, context))
      const ofOthers = [{ roleKey: 'theirs', displayName: 'Theirs' }]
      await done(iam.apply({ managedBy: 'x', projects: [{ ...portal, roles: ofOthers }] }, context))
      const inPortal = { projectId: 'portal' }
      await done(iam.projectRoles.add({ ...inPortal, roleKey: 'own', displayName: 'Own' }, context))
      await done(
        iam.projectRoles.update(
          { group: '', ...inPortal, roleKey: 'touched', displayName: 'U' },
          context,
        ),
      )
      await done(iam.projectRoles.remove({ ...inPortal, roleKey: 'taken' }, context))
      await done(
        iam.projectRoles.add({ ...inPortal, roleKey: 'taken', displayName: 'Own' }, context),
      )

      const removedBy = async (prune: boolean | undefined, declared: { readonly roles?: [] }) => {
        const desired = { managedBy: 'code', prune, projects: [{ ...portal, ...declared }] }
        const { changes } = await done(iam.plan(desired, context))
        return changes.filter(({ action }) => action === 'remove').map(({ object }) => object)
      }
      expect(await removedBy(true, { roles: [] })).toEqual([roleRef('editor'), roleRef('touched')])
      expect(await removedBy(false, { roles: [] })).toEqual([])
      expect(await removedBy(undefined, { roles: [] })).toEqual([])
      expect(await removedBy(true, {})).toEqual([])
    }))

  test('undeclared projects and providers are reported and stay as they are', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      await done(iam.identityProviders.addOidc(withSecret, context))
      const nothing = { projects: [], identityProviders: [], prune: true, managedBy: 'code' }
      const googleRef = { type: 'identity_provider', idpId: 'google' }
      expect(await done(iam.plan(nothing, context))).toMatchObject({
        changes: [],
        undeclared: [portalRef, googleRef],
      })
      expect((await done(iam.plan({ projects: [] }, context))).undeclared).toEqual([portalRef])
      const all = { projects: [portal], identityProviders: [google] }
      expect((await done(iam.plan(all, context))).undeclared).toEqual([])
      expect((await done(iam.plan(nothing, contextOf([])))).undeclared).toEqual([])
      const caller = { ...context.caller, permissionsIn: { other: ALL } }
      expect((await done(iam.plan(nothing, { caller, orgId: 'other' }))).undeclared).toEqual([])
    }))

  test('a plan sees everything that was recorded before, with any consistency', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.apply({ projects: [{ ...portal, roles: [editor] }] }, context))
      const desired = { projects: [{ ...portal, roles: [editor] }] }
      const { counts } = await done(iam.plan(desired, { ...context, consistency: 'eventual' }))
      expect(counts.unchanged).toBe(2)
    }))

  test('equal plans have equal text', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.apply({ projects: [{ ...portal, roles: [editor] }] }, context))
      const roles = [
        { ...editor, group: 'it "is"\u001b[31m\u202e' },
        { roleKey: 'viewer', displayName: 'Viewer' },
      ]
      const desired = {
        projects: [{ id: 'portal', name: 'Gate', roles }],
        identityProviders: [withSecret],
      }
      const texts = [
        formatPlan(await done(iam.plan(desired, context))),
        formatPlan(await done(iam.plan(desired, context))),
      ]
      expect(texts[0]).toBe(texts[1])
      expect(texts[0]).toMatchInlineSnapshot(`
        "~ project portal
            name: "Portal" -> "Gate"
        ~ role portal "editor"
            group: "content" -> "it \\"is\\"\\u001b[31m\\u{202e}"
        + role portal "viewer"
            displayName: "Viewer"
            group: ""
        + identity provider google
            name: "Google"
            stylingType: "STYLING_TYPE_UNSPECIFIED"
            autoRegister: false
            clientId: "c1"
            issuer: "https://accounts.test"
            scopes: []
            displayNameMapping: "OIDC_MAPPING_FIELD_UNSPECIFIED"
            usernameMapping: "OIDC_MAPPING_FIELD_UNSPECIFIED"
            clientSecret: (set)
        2 to add, 2 to update, 0 to remove, 0 unchanged"
      `)
    }))
}
