import { inspect } from 'node:util'
import { orThrow, type Plan } from 'claviger'
import {
  type Imported,
  readBetterAuth,
  readKeycloakRealm,
  readZitadelExport,
} from 'claviger/import'
import { describe, expect, it } from 'vitest'
import { betterAuthInstance } from './better-auth/better-auth-instance.js'
import { CANARY } from './canary.js'
import { keycloakRealm } from './keycloak/keycloak-realm.js'
import { contextOf, emptyIam, moveIn } from './moved-in.js'
import { zitadelExport } from './zitadel/zitadel-export.js'

const SOURCES: readonly (readonly [name: string, read: () => Promise<Imported>])[] = [
  ['Zitadel', async () => readZitadelExport(zitadelExport)],
  ['Keycloak', async () => readKeycloakRealm(keycloakRealm)],
  ['better-auth', async () => readBetterAuth((await betterAuthInstance()).tables)],
]

it('plans every part of a large realm before the first one is applied', async () => {
  const clients = Array.from({ length: 1_001 }, (_, index) => `c${index}`)
  const idps = Array.from({ length: 1_001 }, (_, index) => `idp${index}`)
  const imported = readKeycloakRealm({
    realm: 'acme',
    roles: { client: Object.fromEntries(clients.map((client) => [client, [{ name: 'r' }]])) },
    identityProviders: idps.map((alias) => ({
      alias,
      providerId: 'oidc',
      config: { clientId: 'c', clientSecret: 's', issuer: 'https://idp.example' },
    })),
    identityProviderMappers: ['idp0', 'idp1000'].map((identityProviderAlias) => ({
      identityProviderMapper: 'oidc-role-idp-mapper',
      identityProviderAlias,
      config: { claim: 'groups', 'claim.value': 'x', role: 'c1000.r' },
    })),
  })
  const { iam } = emptyIam()
  const plans: Plan[] = []
  for (const { orgId, access } of imported.organizations)
    plans.push(await orThrow(iam.plan(access, contextOf(orgId))))
  for (const plan of plans) await orThrow(iam.apply(plan, contextOf(plan.orgId)))
  const { items } = await orThrow(iam.roleMappings.list({}, contextOf('acme')))
  expect(items.map(({ idpId, projectId }) => [idpId, projectId])).toEqual([
    ['idp0', 'c1000'],
    ['idp1000', 'c1000'],
  ])
  expect(await moveIn(iam, imported)).toEqual({ refused: 0 })
})

describe.each(SOURCES)('moving in from %s', (_, read) => {
  it('records everything once, and nothing the second time', async () => {
    const imported = await read()
    const { store, iam } = emptyIam()
    expect(await moveIn(iam, imported)).toEqual({ refused: 0 })
    const head = await store.lastPosition()
    expect(head).toBeGreaterThan(0n)

    expect(await moveIn(iam, imported)).toEqual({ refused: 0 })
    expect(await store.lastPosition()).toBe(head)
  })

  it('gives users the roles that they had', async () => {
    const imported = await read()
    const { iam } = emptyIam()
    await moveIn(iam, imported)
    for (const { orgId, userGrants } of imported.organizations)
      for (const { roles, ...of } of userGrants)
        for (const { roleKey } of roles) {
          const checked = await orThrow(iam.access.check({ ...of, roleKey }, contextOf(orgId)))
          expect(checked).toMatchObject({ allowed: true })
        }
  })

  it('adds providers without a secret as inactive, and leaves alone what was completed since', async () => {
    const imported = await read()
    const { store, iam } = emptyIam()
    await moveIn(iam, imported)
    for (const { orgId, access } of imported.organizations)
      for (const { idpId, clientSecret, initialState } of access.identityProviders ?? []) {
        const { state } = await orThrow(iam.identityProviders.get({ idpId }, contextOf(orgId)))
        expect(state).toBe(initialState ?? 'active')
        if (clientSecret !== undefined) continue
        expect(state).toBe('inactive')
        const patch = { idpId, clientSecret: 'set by hand' }
        await orThrow(iam.identityProviders.patch(patch, contextOf(orgId)))
        await orThrow(iam.identityProviders.reactivate({ idpId }, contextOf(orgId)))
      }
    const head = await store.lastPosition()
    await moveIn(iam, imported)
    expect(await store.lastPosition()).toBe(head)
  })

  it('lets no secret into warnings, plans or errors', async () => {
    const imported = await read()
    const { iam } = emptyIam()
    expect(JSON.stringify(imported)).toContain(CANARY)
    expect(JSON.stringify(imported.warnings)).not.toContain(CANARY)
    for (const { orgId, access } of imported.organizations) {
      const plan = await orThrow(iam.plan(access, contextOf(orgId)))
      const refused = await iam.plan({ ...access, version: 0 }, contextOf(orgId))
      expect(JSON.stringify(plan)).not.toContain(CANARY)
      expect(inspect(refused, { depth: 9 })).not.toContain(CANARY)
    }
  })
})

describe('after something was changed by hand, moving in again', () => {
  const imported = readKeycloakRealm({
    realm: 'acme',
    enabled: true,
    roles: {
      client: { portal: [{ name: 'editor' }, { name: 'viewer' }], shop: [{ name: 'buyer' }] },
    },
    users: [{ id: 'ann', enabled: true, clientRoles: { portal: ['editor'] } }],
  })
  const context = contextOf('acme')

  it('brings back names and roles, and neither users’ roles nor what was removed', async () => {
    const { iam } = emptyIam()
    await moveIn(iam, imported)
    await orThrow(iam.projects.patch({ id: 'portal', name: 'Gate' }, context))
    await orThrow(iam.projectRoles.remove({ projectId: 'portal', roleKey: 'viewer' }, context))
    await orThrow(iam.projects.remove({ id: 'shop' }, context))
    const own = { userId: 'ann', projectId: 'portal' }
    await orThrow(
      iam.projectRoles.add({ projectId: 'portal', roleKey: 'own', displayName: 'Own' }, context),
    )
    await orThrow(iam.userGrants.update({ ...own, roles: [{ roleKey: 'own' }] }, context))

    const [{ access, userGrants } = { access: {}, userGrants: [] }] = imported.organizations
    const { counts } = await orThrow(iam.apply(access, context))
    expect(counts).toEqual({ add: 1, update: 1, remove: 0, unchanged: 1, blocked: 2 })
    const report = await orThrow(iam.userGrants.import({ grants: userGrants }, context))
    expect(report).toMatchObject({
      added: 0,
      refused: [{ index: 0, error: { kind: 'AlreadyExists' } }],
    })
    const { roles } = await orThrow(iam.userGrants.get(own, context))
    expect(roles).toEqual([{ roleKey: 'own' }])
  })

  it('leaves alone what the source knows nothing about', async () => {
    const { store, iam } = emptyIam()
    const { organizations } = readKeycloakRealm(keycloakRealm)
    await moveIn(iam, { organizations, warnings: [] })
    const [idpId, displayNameMapping] = ['sibling', 'OIDC_MAPPING_FIELD_EMAIL'] as const
    const role = { projectId: 'portal', roleKey: 'editor' }
    await orThrow(iam.projectRoles.patch({ ...role, group: 'content' }, context))
    await orThrow(iam.projects.patch({ id: 'portal', projectRoleCheck: true }, context))
    await orThrow(iam.identityProviders.patch({ idpId, displayNameMapping }, context))
    const head = await store.lastPosition()
    await moveIn(iam, { organizations, warnings: [] })
    expect(await store.lastPosition()).toBe(head)
  })

  it('removes what the source has no more only with prune', async () => {
    const { iam } = emptyIam()
    await moveIn(iam, imported)
    const later = readKeycloakRealm({
      realm: 'acme',
      roles: { client: { portal: [{ name: 'editor' }], shop: [{ name: 'buyer' }] } },
    })
    const [{ access } = { access: {} }] = later.organizations
    expect((await orThrow(iam.apply(access, context))).counts).toMatchObject({ remove: 0 })
    const pruned = await orThrow(iam.apply({ ...access, prune: true }, context))
    expect(pruned.counts).toMatchObject({ remove: 1 })
  })
})
