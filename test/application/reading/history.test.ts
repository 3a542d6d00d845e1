import { beforeEach, describe, expect, it } from 'vitest'
import { items as itemsOf, type Project } from '../../../src/index.js'
import { OIDC_DEFAULTS, PROJECT_DEFAULTS } from '../../defaults.js'
import {
  addSamples,
  badFields,
  caller,
  clockedStore,
  context,
  everything,
  good,
  type Iam,
  iamOn,
  inGlobex,
  logOf,
  positionAt,
  refusal,
  startOfTime,
} from '../host.js'

let world: ReturnType<typeof clockedStore>
let iam: Iam

beforeEach(async () => {
  world = clockedStore()
  iam = iamOn(world.store)
  await addSamples(iam)
})

const google = { idpId: 'google' }
const portal = { id: 'portal' }
const editor = { projectId: 'portal', roleKey: 'editor' }
const project = { type: 'project', ...portal } as const
const provider = { type: 'identity_provider', ...google } as const
const role = { type: 'project_role', ...editor } as const
const bob = {
  caller: { userId: 'bob', orgId: 'acme', permissions: everything },
  correlationId: 'request 7',
  reason: 'ticket 4711',
}

const later = (): Date => {
  world.clock.advance(60_000)
  return world.clock()
}

describe('history.list', () => {
  it('shows who changed what, when, from which value to which', async () => {
    const time = later()
    await good(
      iam.projects.update(
        { ...PROJECT_DEFAULTS, ...portal, name: 'New', hasProjectCheck: true },
        bob,
      ),
    )
    const { items, ...rest } = await good(iam.history.list({ object: project }, context))
    expect(rest).toEqual({})
    expect(items).toHaveLength(2)
    expect(items[1]).toEqual({
      sequence: positionAt(time),
      time,
      actor: { userId: 'bob', orgId: 'acme' },
      type: 'project.updated',
      object: project,
      changes: [
        { field: 'name', from: 'Portal', to: 'New' },
        { field: 'hasProjectCheck', from: false, to: true },
      ],
      correlationId: 'request 7',
      reason: 'ticket 4711',
    })
    expect(items[0]).not.toHaveProperty('correlationId')
    expect(items[0]).not.toHaveProperty('reason')
    expect(items[0]?.changes).toContainEqual({ field: 'name', from: undefined, to: 'Portal' })
  })

  it('shows only that a secret changed, and both values of a list', async () => {
    const config = { ...google, clientId: 'client-1', issuer: 'i', scopes: ['email'] }
    const update = { ...OIDC_DEFAULTS, ...config, clientSecret: 'new' }
    await good(iam.identityProviders.updateOidcConfig(update, context))
    await good(
      iam.identityProviders.updateOidcConfig(
        { ...OIDC_DEFAULTS, ...update, clientSecret: '', issuer: 'j' },
        context,
      ),
    )
    const { items } = await good(iam.history.list({ object: provider }, context))
    expect(items[0]?.changes).toContainEqual({ field: 'clientSecret', changed: true })
    expect(items.slice(1).map(({ changes }) => changes)).toEqual([
      [
        { field: 'issuer', from: 'https://accounts.example.com', to: 'i' },
        { field: 'scopes', from: ['openid', 'email'], to: ['email'] },
        { field: 'clientSecret', changed: true },
      ],
      [{ field: 'issuer', from: 'i', to: 'j' }],
    ])
  })

  it('lists one organization, oldest first, with removed objects', async () => {
    await addSamples(iam, inGlobex)
    await good(iam.projectRoles.remove(editor, context))
    await good(iam.projects.remove(portal, context))
    const { items } = await good(iam.history.list({}, context))
    expect(items.map(({ type }) => type)).toEqual([
      'identity_provider.oidc_added',
      'project.added',
      'project_role.added',
      'project_role.removed',
      'project.removed',
    ])
    expect(items.at(-1)?.changes).toEqual([{ field: 'state', from: 'active', to: 'removed' }])
    const ofRole = await good(iam.history.list({ object: role }, context))
    expect(ofRole.items.map(({ object }) => object)).toEqual([role, role])
    const elsewhere = await good(iam.history.list({ object: role }, inGlobex))
    expect(elsewhere.items).toHaveLength(1)
  })

  it('is filtered by actor, by event types and by both', async () => {
    await good(iam.projects.deactivate(portal, bob))
    await good(iam.projectRoles.remove(editor, bob))
    const typesOf = async (input: Parameters<Iam['history']['list']>[0]) =>
      (await good(iam.history.list(input, context))).items.map(({ type }) => type)
    expect(await typesOf({ actor: 'bob' })).toEqual(['project.deactivated', 'project_role.removed'])
    expect(await typesOf({ types: ['project.added', 'project_role.removed'] })).toEqual([
      'project.added',
      'project_role.removed',
    ])
    expect(await typesOf({ types: ['project.added'], actor: 'bob' })).toEqual([])
    expect(await typesOf({ object: project, actor: 'bob' })).toEqual(['project.deactivated'])
    expect(await typesOf({ actor: 'Bob' })).toEqual([])
  })

  it('continues after the last entry of a page, and has no page after the end', async () => {
    for (const name of ['a', 'b', 'c'])
      await good(iam.projects.update({ ...PROJECT_DEFAULTS, ...portal, name }, context))
    const all = (await good(iam.history.list({}, context))).items
    for (const limit of [1, 2, 3, 5, 6, 7]) {
      const found = []
      let after: bigint | undefined
      do {
        const page = await good(iam.history.list({ limit, after }, context))
        expect(page.items.length).toBeGreaterThan(0)
        found.push(...page.items)
        after = page.nextAfter
      } while (after !== undefined)
      expect(found).toEqual(all)
    }
    const last = all.at(-1)?.sequence
    expect(await good(iam.history.list({ after: last }, context))).toEqual({ items: [] })
  })

  it('begins with the newest entry, and continues before the last entry of a page', async () => {
    for (const name of ['a', 'b', 'c']) await good(iam.projects.patch({ ...portal, name }, context))
    const all = (await good(iam.history.list({ order: 'asc' }, context))).items
    expect(all).toHaveLength(6)
    for (const limit of [1, 2, 3, 5, 6, 7]) {
      const found = []
      let before: bigint | undefined
      do {
        const page = await good(iam.history.list({ order: 'desc', limit, before }, context))
        expect(page.items.length).toBe(Math.min(limit, all.length - found.length))
        expect(page).not.toHaveProperty('nextAfter')
        found.push(...page.items)
        before = page.nextBefore
      } while (before !== undefined)
      expect(found).toEqual(all.toReversed())
    }
    const first = await good(iam.history.list({ limit: 1 }, context))
    expect(first).toEqual({ items: all.slice(0, 1), nextAfter: all[0]?.sequence })
  })

  it.each(['asc', 'desc'] as const)(
    'lies between two positions, in the order %s',
    async (order) => {
      for (const name of ['a', 'b', 'c'])
        await good(iam.projects.patch({ ...portal, name }, context))
      const all = (await good(iam.history.list({}, context))).items
      const sequences = async (input: Parameters<Iam['history']['list']>[0]) => {
        const { items } = await good(iam.history.list({ ...input, order }, context))
        return (order === 'asc' ? items : items.toReversed()).map(({ sequence }) => sequence)
      }
      const at = (index: number) => all[index]?.sequence
      const between = (from: number, to: number) => all.slice(from, to).map((e) => e.sequence)
      expect(await sequences({ before: at(2) })).toEqual(between(0, 2))
      expect(await sequences({ after: at(2) })).toEqual(between(3, 6))
      expect(await sequences({ after: at(1), before: at(4) })).toEqual(between(2, 4))
      expect(await sequences({ after: at(4), before: at(1) })).toEqual([])
      expect(await sequences({ before: 0n })).toEqual([])
      expect(await sequences({ before: 2n ** 64n - 1n })).toEqual(between(0, 6))
    },
  )

  it.each(['asc', 'desc'] as const)(
    'lies between two times, the first of them included, in the order %s',
    async (order) => {
      const times = [later()]
      await good(iam.projects.patch({ ...portal, name: 'a' }, context))
      await good(iam.projects.patch({ ...portal, name: 'b' }, context))
      times.push(later())
      await good(iam.projects.patch({ ...portal, name: 'c' }, context))
      const [a, b, c] = (await good(iam.history.list({}, context))).items
        .slice(3)
        .map(({ sequence }) => sequence)
      const [first = startOfTime, second = startOfTime] = times
      const near = (time: Date, milliseconds: number) => new Date(time.getTime() + milliseconds)
      const sequences = async (input: Parameters<Iam['history']['list']>[0]) => {
        const asked = { ...input, object: project, order }
        const { items } = await good(iam.history.list(asked, context))
        return (order === 'asc' ? items : items.toReversed()).map(({ sequence }) => sequence)
      }
      expect(await sequences({ time: { from: first } })).toEqual([a, b, c])
      expect(await sequences({ time: { from: near(first, 1) } })).toEqual([c])
      expect(await sequences({ time: { from: first, to: second } })).toEqual([a, b])
      expect(await sequences({ time: { from: first, to: near(second, 1) } })).toEqual([a, b, c])
      expect(await sequences({ time: { from: first, to: first } })).toEqual([])
      expect(await sequences({ time: { from: second, to: first } })).toEqual([])
      expect(await sequences({ time: { to: first } })).toHaveLength(1)
      expect(await sequences({ time: {} })).toHaveLength(4)
      expect(await sequences({ time: { from: new Date(-8.64e15) } })).toHaveLength(4)
      expect(await sequences({ time: { to: new Date(-8.64e15) } })).toEqual([])
      expect(await sequences({ time: { to: new Date(8.64e15) } })).toHaveLength(4)
      // Whichever bound is the closer one holds.
      expect(await sequences({ time: { from: first }, after: a })).toEqual([b, c])
      expect(await sequences({ time: { from: second }, after: a })).toEqual([c])
      expect(await sequences({ time: { from: first, to: second }, before: b })).toEqual([a])
      expect(await sequences({ time: { from: first, to: second }, before: c })).toEqual([a, b])
    },
  )

  it('pages within two times', async () => {
    const from = later()
    for (const name of ['a', 'b', 'c']) await good(iam.projects.patch({ ...portal, name }, context))
    const to = later()
    await good(iam.projects.deactivate(portal, context))
    const page = await good(
      iam.history.list({ time: { from, to }, order: 'desc', limit: 2 }, context),
    )
    const rest = { time: { from, to }, order: 'desc', limit: 2, before: page.nextBefore } as const
    const last = await good(iam.history.list(rest, context))
    const names = [...page.items, ...last.items].map(({ changes: [change] }) =>
      change && 'to' in change ? change.to : undefined,
    )
    expect(names).toEqual(['c', 'b', 'a'])
    expect(last).not.toHaveProperty('nextBefore')
  })

  it('of a project may include its roles, with removed ones', async () => {
    await addSamples(iam, inGlobex)
    await good(iam.projectRoles.add({ ...editor, roleKey: 'gone', displayName: 'x' }, context))
    await good(iam.projectRoles.remove({ ...editor, roleKey: 'gone' }, context))
    await good(iam.projects.add({ id: 'shop', name: 'Shop' }, context))
    await good(iam.projectRoles.add({ ...editor, projectId: 'shop', displayName: 'x' }, context))
    await good(iam.projects.remove(portal, context))
    const asked = { object: project, including: 'roles' } as const
    const { items } = await good(iam.history.list(asked, context))
    expect(items.map(({ type }) => type)).toEqual([
      'project.added',
      'project_role.added',
      'project_role.added',
      'project_role.removed',
      'project.removed',
    ])
    const newest = await good(iam.history.list({ ...asked, order: 'desc', limit: 2 }, context))
    expect(newest.items).toEqual(items.toReversed().slice(0, 2))
    const alone = await good(iam.history.list({ object: project }, context))
    expect(alone.items).toEqual([items[0], items[4]])
  })

  it('of a project with all in it has its roles, grants and mappings, and nothing else', async () => {
    const asked = { projectId: 'portal', projectOrgId: 'acme' }
    const roles = [{ roleKey: 'editor' }]
    await good(iam.userGrants.add({ userId: 'zoe', ...asked, roles }, context))
    const { items } = await good(iam.history.list({ projectId: 'portal' }, context))
    expect(items).toEqual((await good(iam.history.list(asked, context))).items)
    const all = await good(iam.history.list({ limit: 1000 }, context))
    const isOfPortal = ({ object }: (typeof all.items)[number]) =>
      (object.type === 'project' && object.id === 'portal') ||
      ('projectId' in object && object.projectId === 'portal')
    expect(items).toEqual(all.items.filter(isOfPortal))
    expect(items.at(-1)).toMatchObject({ type: 'user_grant.added', object: { userId: 'zoe' } })
    const ofZoe = await good(iam.history.list({ ...asked, user: 'zoe' }, context))
    expect(ofZoe.items).toEqual(items.slice(-1))
    expect((await good(iam.history.list(asked, inGlobex))).items).toEqual([])
  })

  it('of a permission has what changed who may use it, in the roles that had it then', async () => {
    const shop = { projectId: 'shop' }
    await good(iam.projects.add({ id: 'shop', name: 'Shop' }, context))
    const add = (roleKey: string, permissions: string[]) =>
      good(iam.projectRoles.add({ ...shop, roleKey, displayName: roleKey, permissions }, context))
    const give = (userId: string, roleKey: string) =>
      good(iam.userGrants.add({ ...shop, userId, roles: [{ roleKey }] }, context))
    await add('approver', ['invoice.approve'])
    await add('viewer', ['invoice.read'])
    await give('ann', 'approver')
    await give('bob', 'viewer')
    await good(iam.userGrants.deactivate({ ...shop, userId: 'bob' }, context))
    const approves = { permissions: ['invoice.read', 'invoice.approve'] }
    await good(iam.projectRoles.patch({ ...shop, roleKey: 'viewer', ...approves }, context))
    await good(iam.projectRoles.patch({ ...shop, roleKey: 'viewer', displayName: 'V' }, context))
    await good(iam.userGrants.reactivate({ ...shop, userId: 'bob' }, context))
    await good(iam.userGrants.remove({ ...shop, userId: 'ann' }, context))
    const projectGrant = { ...shop, grantedOrgId: 'globex', roleKeys: ['viewer'] }
    await good(iam.projectGrants.add(projectGrant, context))
    await good(iam.projectRoles.patch({ ...shop, roleKey: 'viewer', permissions: [] }, context))
    await good(iam.userGrants.remove({ ...shop, userId: 'bob' }, context))
    await good(iam.projectRoles.remove({ ...shop, roleKey: 'approver' }, context))
    await good(iam.projects.deactivate({ id: 'shop' }, context))
    const asked = { ...shop, permission: 'invoice.approve' }
    const { items } = await good(iam.history.list(asked, context))
    const named = items.map(({ type, object }) => [type, ...Object.values(object).slice(1, 3)])
    expect(named).toEqual([
      ['project_role.added', 'shop', 'approver'],
      ['user_grant.added', 'ann', 'shop'],
      ['project_role.updated', 'shop', 'viewer'],
      ['user_grant.reactivated', 'bob', 'shop'],
      ['user_grant.removed', 'ann', 'shop'],
      ['project_grant.added', 'shop', 'globex'],
      ['project_role.updated', 'shop', 'viewer'],
      ['project_role.removed', 'shop', 'approver'],
      ['project.deactivated', 'shop'],
    ])
    const inTurn: unknown[] = []
    const newestFirst = { ...asked, order: 'desc', limit: 2 } as const
    for await (const entry of itemsOf(iam.history.list, newestFirst, context)) inTurn.push(entry)
    expect(inTurn).toEqual(items.toReversed())
    const ofRole = { ...shop, roleKey: 'approver' }
    const types = (await good(iam.history.list(ofRole, context))).items.map(({ type }) => type)
    expect(types).toEqual([
      'project_role.added',
      'user_grant.added',
      'user_grant.removed',
      'project_role.removed',
      'project.deactivated',
    ])
    const ofBob = await good(iam.history.list({ ...asked, user: 'bob' }, context))
    expect(ofBob.items.map(({ type }) => type)).toEqual(['user_grant.reactivated'])
  })

  it('of a permission is also of a project that another organization granted', async () => {
    const projectGrant = { projectId: 'portal', grantedOrgId: 'globex', roleKeys: ['editor'] }
    await good(iam.projectGrants.add(projectGrant, context))
    const received = { projectId: 'portal', projectOrgId: 'acme' }
    const roles = [{ roleKey: 'editor' }]
    await good(iam.userGrants.add({ ...received, userId: 'gil', roles }, inGlobex))
    const asked = { ...received, permission: 'invoice.approve' }
    expect((await good(iam.history.list(asked, inGlobex))).items).toEqual([])
    const permissions = ['invoice.approve']
    await good(iam.projectRoles.patch({ ...editor, permissions }, context))
    await good(iam.userGrants.remove({ ...received, userId: 'gil' }, inGlobex))
    const { items } = await good(iam.history.list(asked, inGlobex))
    expect(items.map(({ type }) => type)).toEqual(['user_grant.removed'])
  })

  it('of a permission says where to go on when it has looked through much', async () => {
    await good(iam.projects.add({ id: 'shop', name: 'Shop' }, context))
    const role = { projectId: 'shop', roleKey: 'payer' }
    await good(iam.projectRoles.add({ ...role, displayName: '0', permissions: ['pay'] }, context))
    for (let at = 1; at <= 5_000; at++)
      await good(iam.projectRoles.patch({ ...role, displayName: `${at}` }, context))
    const newest = { projectId: 'shop', permission: 'pay', order: 'desc' } as const
    const page = await good(iam.history.list(newest, context))
    expect(page.items).toEqual([])
    const next = await good(iam.history.list({ ...newest, before: page.nextBefore }, context))
    expect(next.items.map(({ type }) => type)).toEqual(['project_role.added'])
    expect(next).not.toHaveProperty('nextBefore')
  })

  it('of a role ends with the removal of its project', async () => {
    await good(iam.projectRoles.add({ ...editor, roleKey: 'gone', displayName: 'x' }, context))
    await good(iam.projectRoles.remove({ ...editor, roleKey: 'gone' }, context))
    const removed = await good(iam.projects.remove(portal, bob))
    const { items } = await good(iam.history.list({ object: role }, context))
    expect(items.map(({ type }) => type)).toEqual(['project_role.added', 'project.removed'])
    expect(items[1]).toMatchObject({
      sequence: removed.details.sequence,
      actor: { userId: 'bob', orgId: 'acme' },
      object: project,
      changes: [{ field: 'state', from: 'active', to: 'removed' }],
      correlationId: 'request 7',
      reason: 'ticket 4711',
    })
    const types = ['project.removed'] as const
    const ends = await good(iam.history.list({ object: role, types, actor: 'bob' }, context))
    expect(ends.items).toEqual([items[1]])
    const first = await good(iam.history.list({ object: role, limit: 1 }, context))
    expect(first).toEqual({ items: [items[0]], nextAfter: items[0]?.sequence })
    const last = await good(iam.history.list({ object: role, limit: 1, order: 'desc' }, context))
    expect(last).toEqual({ items: [items[1]], nextBefore: items[1]?.sequence })
    const gone = { ...role, roleKey: 'gone' }
    const ofGone = await good(iam.history.list({ object: gone }, context))
    expect(ofGone.items.map(({ type }) => type)).toEqual([
      'project_role.added',
      'project_role.removed',
    ])
    const never = await good(iam.history.list({ object: { ...role, roleKey: 'never' } }, context))
    expect(never.items).toEqual([])
  })

  it.each([
    ['object', { object: { type: 'organization', id: 'acme' } }],
    ['object', { object: {} }],
    ['object', { object: 'portal' }],
    ['object.id', { object: { type: 'project', id: 'a b' } }],
    ['object.id', { object: { type: 'project' } }],
    ['object.roleKey', { object: { type: 'project_role', projectId: 'p', roleKey: '' } }],
    ['object.more', { object: { type: 'project', id: 'p', more: 1 } }],
    ['projectId', { projectId: 'a b' }],
    ['projectId', { object: project, projectId: 'portal' }],
    ['projectOrgId', { projectOrgId: 'acme' }],
    ['projectOrgId', { projectId: 'portal', projectOrgId: '' }],
    ['roleKey', { roleKey: 'editor' }],
    ['roleKey', { projectId: 'portal', roleKey: '' }],
    ['permission', { permission: 'invoice.read' }],
    ['permission', { projectId: 'portal', permission: 'all of them' }],
    ['actor', { actor: '' }],
    ['types', { types: [] }],
    ['types', { types: 'project.added' }],
    ['types[1]', { types: ['project.added', 'project.exploded'] }],
    ['after', { after: 1 }],
    ['after', { after: -1n }],
    ['order', { order: 'newest' }],
    ['before', { before: 1 }],
    ['before', { before: -1n }],
    ['before', { before: 2n ** 64n }],
    ['time', { time: new Date() }],
    ['time.from', { time: { from: new Date(Number.NaN) } }],
    ['time.from', { time: { from: '2024-01-01' } }],
    ['time.to', { time: { to: new Date(Number.NaN) } }],
    ['time.until', { time: { until: new Date() } }],
    ['including', { including: 'roles' }],
    ['including', { including: 'roles', object: role }],
    ['including', { including: 'roles', object: provider }],
    ['including', { including: 'grants', object: project }],
    ['limit', { limit: 0 }],
    ['limit', { limit: 1001 }],
    ['more', { more: 1 }],
  ])('refuses a malformed %s', async (field, input) => {
    const found = await badFields(iam.history.list(input as never, context))
    expect(found.map((name) => (name === 'object.type' ? 'object' : name))).toEqual([field])
  })
})

describe('history.stateAt', () => {
  it('shows an object as it was right after each of its events', async () => {
    const shown: Project[] = []
    const see = async () => shown.push(await good(iam.projects.get(portal, context)))
    await see()
    later()
    await good(iam.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'New' }, context))
    await see()
    await good(iam.projects.deactivate(portal, context))
    await see()
    later()
    await good(iam.projects.remove(portal, context))
    for (const then of shown) {
      const { sequence } = then.details
      expect(await good(iam.history.stateAt({ object: project, sequence }, context))).toEqual(then)
    }
    const before = { object: project, sequence: positionAt(startOfTime) }
    expect(await refusal(iam.history.stateAt(before, context))).toEqual({
      kind: 'NotFound',
      object: project,
    })
    const after = { object: project, sequence: await world.store.lastPosition() }
    expect(await refusal(iam.history.stateAt(after, context))).toMatchObject({ kind: 'NotFound' })
  })

  it('shows roles and identity providers as well', async () => {
    await good(iam.projectRoles.update({ group: '', ...editor, displayName: 'New' }, context))
    await good(iam.identityProviders.deactivate(google, context))
    const sequence = await world.store.lastPosition()
    for (const [object, shown] of [
      [role, await good(iam.projectRoles.get(editor, context))],
      [provider, await good(iam.identityProviders.get(google, context))],
    ] as const)
      expect(await good(iam.history.stateAt({ object, sequence }, context))).toEqual(shown)
  })

  it('shows an object as it was at the end of a millisecond', async () => {
    const changed = later()
    await good(iam.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'one' }, context))
    await good(iam.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'two' }, context))
    const at = (milliseconds: number) => ({
      object: project,
      time: new Date(changed.getTime() + milliseconds),
    })
    expect(await good(iam.history.stateAt(at(0), context))).toMatchObject({ name: 'two' })
    expect(await good(iam.history.stateAt(at(1), context))).toMatchObject({ name: 'two' })
    expect(await good(iam.history.stateAt(at(-1), context))).toMatchObject({ name: 'Portal' })
    for (const time of [new Date(0), new Date(-1), new Date(-8.64e15)])
      expect(await refusal(iam.history.stateAt({ object: project, time }, context))).toMatchObject({
        kind: 'NotFound',
      })
    const endOfTime = { object: project, time: new Date(8.64e15) }
    expect(await good(iam.history.stateAt(endOfTime, context))).toMatchObject({ name: 'two' })
  })

  it('shows a role until its project was removed, and each role of one key in its time', async () => {
    const first = await good(iam.projectRoles.get(editor, context))
    await good(iam.projectRoles.remove(editor, context))
    const between = await world.store.lastPosition()
    await good(iam.projectRoles.add({ ...editor, displayName: 'Second' }, context))
    const second = await good(iam.projectRoles.get(editor, context))
    const removed = await good(iam.projects.remove(portal, context))
    const at = (sequence: bigint) => iam.history.stateAt({ object: role, sequence }, context)
    expect(await good(at(first.details.sequence))).toEqual(first)
    expect(await refusal(at(between))).toEqual({ kind: 'NotFound', object: role })
    expect(await good(at(removed.details.sequence - 1n))).toEqual(second)
    expect(await refusal(at(removed.details.sequence))).toEqual({ kind: 'NotFound', object: role })
  })

  it('shows an identity provider without its secret', async () => {
    const shown = await good(iam.identityProviders.get(google, context))
    const [added] = await logOf(world.store)
    const sequence = added?.position ?? 0n
    expect(await good(iam.history.stateAt({ object: provider, sequence }, context))).toEqual(shown)
    expect(shown).not.toHaveProperty('clientSecret')
  })

  it('accepts any sequence that protobuf can hold, and no larger one', async () => {
    const largest = 2n ** 64n - 1n
    const at = (sequence: bigint) => iam.history.stateAt({ object: project, sequence }, context)
    expect(await good(at(largest))).toEqual(await good(iam.projects.get(portal, context)))
    expect(await refusal(at(largest + 1n))).toEqual({
      kind: 'InvalidArgument',
      violations: [{ field: 'sequence', description: 'must be a bigint from 0 to 2^64 - 1' }],
    })
  })

  it.each([
    ['sequence', {}],
    ['sequence', { sequence: 1n, time: new Date() }],
    ['sequence', { sequence: 1 }],
    ['time', { time: new Date(Number.NaN) }],
    ['time', { time: '2024-01-01T00:00:00Z' }],
    ['object', { object: undefined, sequence: 1n }],
  ])('refuses a malformed %s', async (field, input) => {
    const call = iam.history.stateAt({ object: project, ...input } as never, context)
    const found = await badFields(call)
    expect(found.map((name) => (name === 'object.type' ? 'object' : name))).toContain(field)
  })

  it('needs a permission of its own', async () => {
    const poor = {
      caller: { ...caller, permissions: everything.filter((right) => right !== 'event.read') },
    }
    const call = iam.history.stateAt({ object: project, sequence: 1n }, poor)
    expect(await refusal(call)).toMatchObject({ permission: 'event.read' })
  })
})
