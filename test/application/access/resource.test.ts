import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { authZenHandler } from '../../../src/authzen/index.js'
import {
  type IamOptions,
  type LiveChecks,
  memoryEventStore,
  memoryReadModel,
} from '../../../src/index.js'
import { caller, context, good, type Iam, iamOn, oidc, refusal } from '../host.js'

const HOMES: readonly (readonly [string, () => Pick<IamOptions, 'store' | 'readModel'>])[] = [
  ['memory', () => ({ store: memoryEventStore(), readModel: memoryReadModel() })],
  ['SQLite', () => openSqlite(':memory:')],
]

const HERE = 'workspace:42'
const ELSEWHERE = 'workspace:421'
const project = { projectId: 'app' }
const reader = { ...project, userId: 'bo' }

/** An answer of AuthZEN. */
interface Answered {
  readonly decision?: boolean
  readonly results?: readonly { readonly id?: string; readonly name?: string }[]
}

/**
 * `bo` is editor of one workspace by a grant, `cy` by a group, and `ada` of the whole project. Each read is asked about
 * that workspace, about another one, and about the whole project.
 */
describe.each(HOMES)('A role on one resource, in %s', (_, open) => {
  let iam: Iam
  let live: LiveChecks
  let beforeRemoval: Date
  const ending = new AbortController()
  let time = Date.parse('2030-01-01T00:00:00Z')

  beforeAll(async () => {
    const { store, ...ports } = open()
    iam = iamOn(store, { ...ports, now: () => new Date(time), authorize: () => true })
    await good(iam.projects.add({ id: 'app', name: 'App', projectRoleCheck: true }, context))
    const editor = { ...project, roleKey: 'editor', displayName: 'Editor' }
    await good(iam.projectRoles.add({ ...editor, permissions: ['doc.edit'] }, context))
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'okta' }, context))
    const roles = [{ roleKey: 'editor' }]
    await good(iam.userGrants.add({ ...reader, resource: HERE, roles }, context))
    await good(iam.userGrants.add({ ...project, userId: 'ada', roles }, context))
    const mapping = { ...project, idpId: 'okta', group: 'staff', roleKeys: ['editor'] }
    await good(iam.roleMappings.add({ ...mapping, resource: HERE }, context))
    await good(iam.memberships.report({ idpId: 'okta', userId: 'cy', groups: ['staff'] }, context))
    live = await good(iam.access.live({ signal: ending.signal }))
    time += 60_000
    beforeRemoval = new Date(time - 30_000)
  })
  afterAll(() => ending.abort())

  const of = (userId: string, resource: string | undefined) => ({
    ...project,
    userId,
    ...(resource !== undefined && { resource }),
  })
  /** What AuthZEN answers about the workspaces, and about the project. */
  const authZen = async (path: string, question: object): Promise<Answered> => {
    const ids = (resource?: string) => ({ projectId: 'app', ...(resource && { resource }) })
    const handler = authZenHandler(iam, {
      ...{ authenticate: () => caller, identifier: 'https://pdp.example.com' },
      resources: {
        app: {
          project: () => ids(),
          id: ({ resource }) => (resource === undefined ? 'app' : undefined),
        },
        workspace: {
          project: (id) => ids(`workspace:${id}`),
          id: ({ resource }) => resource?.replace('workspace:', ''),
        },
      },
    })
    const response = await handler(
      new Request(`https://pdp.example.com/access/v1/${path}`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify(question),
      }),
    )
    return response.json()
  }
  const asked = (on: string | undefined) => {
    const [type = '', id = 'app'] = (on ?? 'app').split(':')
    return { action: { name: 'doc.edit' }, resource: { type, id } }
  }

  const here = (items: readonly { readonly resource?: string }[], asked: string | undefined) =>
    items.some(({ resource }) => resource === undefined || resource === asked)

  /** Whether a user is editor there, by every read that can say it. */
  const reads: Readonly<
    Record<string, (userId: string, on: string | undefined) => Promise<boolean>>
  > = {
    'check of a role': async (userId, on) =>
      (await good(iam.access.check({ ...of(userId, on), roleKey: 'editor' }, context))).allowed,
    'check of a permission': async (userId, on) =>
      (await good(iam.access.check({ ...of(userId, on), permission: 'doc.edit' }, context)))
        .allowed,
    'role keys of a check': async (userId, on) =>
      (
        await good(iam.access.check({ ...of(userId, on), roleKey: 'none' }, context))
      ).roleKeys.includes('editor'),
    'permissions of the login': async (userId, on) =>
      (await good(iam.access.check(of(userId, on), context))).permissions.includes('doc.edit'),
    'check of the past': async (userId, on) =>
      (
        await good(
          iam.access.check({ ...of(userId, on), roleKey: 'editor', at: beforeRemoval }, context),
        )
      ).allowed,
    require: async (userId, on) =>
      (await iam.access.require({ ...of(userId, on), roleKey: 'editor' }, context)).isOk(),
    explain: async (userId, on) =>
      (await good(iam.access.explain({ ...of(userId, on), roleKey: 'editor' }, context))).allowed,
    'explain of the past': async (userId, on) => {
      const question = { ...of(userId, on), roleKey: 'editor', at: beforeRemoval }
      return (await good(iam.access.explain(question, context))).allowed
    },
    'evaluation of AuthZEN': async (userId, on) => {
      const subject = { type: 'user', id: userId }
      return (await authZen('evaluation', { subject, ...asked(on) })).decision === true
    },
    'search of users of AuthZEN': async (userId, on) => {
      const question = { subject: { type: 'user' }, ...asked(on) }
      const { results = [] } = await authZen('search/subject', question)
      return results.some(({ id }) => id === userId)
    },
    'search of permissions of AuthZEN': async (userId, on) => {
      const { resource } = asked(on)
      const question = { subject: { type: 'user', id: userId }, resource }
      const { results = [] } = await authZen('search/action', question)
      return results.some(({ name }) => name === 'doc.edit')
    },
    'search of resources of AuthZEN': async (userId, on) => {
      const { action, resource } = asked(on)
      const question = { subject: { type: 'user', id: userId }, action }
      const list = async (type: string) =>
        (await authZen('search/resource', { ...question, resource: { type } })).results ?? []
      const found = [...(await list('app')), ...(await list(resource.type))]
      return found.some(({ id }) => id === resource.id || id === 'app')
    },
    'users of the past': async (userId, on) => {
      const asked = { ...project, at: beforeRemoval, ...(on && { resource: on }) }
      const { items } = await good(iam.access.users(asked, context))
      return here(items.find((item) => item.userId === userId)?.roles ?? [], on)
    },
    'scopesOf the past': async (userId, on) => {
      const asked = { userId, permission: 'doc.edit', at: beforeRemoval }
      return here((await good(iam.access.scopesOf(asked, context))).items, on)
    },
    'whoHas of the past': async (userId, on) => {
      const asked = { ...project, userId, at: beforeRemoval, ...(on && { resource: on }) }
      return here((await good(iam.access.whoHas(asked, context))).items, on)
    },
    'users by their ids': async (userId, on) => {
      const { items } = await good(iam.access.users({ ...project, userIds: [userId] }, context))
      return here(items[0]?.roles ?? [], on)
    },
    'the bound question': async (userId, on) =>
      iam.access.of({ ...of(userId, on), orgId: 'acme' }).can('doc.edit'),
    'the bound question, live': async (userId, on) =>
      iam.access.of({ ...of(userId, on), orgId: 'acme' }).can('doc.edit', { live }),
    rolesOf: async (userId, on) =>
      here((await good(iam.access.rolesOf({ userId }, context))).items, on),
    'rolesOf on a resource': async (userId, on) =>
      here(
        (await good(iam.access.rolesOf({ userId, ...(on && { resource: on }) }, context))).items,
        on,
      ),
    'rolesOf the past': async (userId, on) =>
      here((await good(iam.access.rolesOf({ userId, at: beforeRemoval }, context))).items, on),
    scopesOf: async (userId, on) =>
      here(
        (await good(iam.access.scopesOf({ userId, permission: 'doc.edit' }, context))).items,
        on,
      ),
    whoHas: async (userId, on) =>
      here((await good(iam.access.whoHas({ ...project, userId }, context))).items, on),
    'whoHas on a resource': async (userId, on) => {
      const asked = { ...project, ...(on && { resource: on }), permission: 'doc.edit' }
      const { items } = await good(iam.access.whoHas(asked, context))
      return here(
        items.filter((item) => item.userId === userId),
        on,
      )
    },
    users: async (userId, on) => {
      const { items } = await good(iam.access.users({ ...project }, context))
      return here(items.find((item) => item.userId === userId)?.roles ?? [], on)
    },
    'users on a resource': async (userId, on) => {
      const asked = { ...project, ...(on && { resource: on }) }
      const { items } = await good(iam.access.users(asked, context))
      return here(items.find((item) => item.userId === userId)?.roles ?? [], on)
    },
    'live can': async (userId, on) =>
      live.can({ ...of(userId, on), orgId: 'acme', roleKey: 'editor' }),
    'live check': async (userId, on) =>
      live.check({ ...of(userId, on), orgId: 'acme', permission: 'doc.edit' }).allowed,
    'live scopesOf': async (userId, on) =>
      here(live.scopesOf({ orgId: 'acme', userId, roleKey: 'editor' }), on),
    'a grant': async (userId, on) => {
      const places = [undefined, ...(on === undefined ? [] : [on])]
      const found = await Promise.all(
        places.map((each) => iam.userGrants.get(of(userId, each), context)),
      )
      return found.some((grant) => grant.isOk())
    },
    'the list of grants': async (userId, on) => {
      const { items } = await good(iam.userGrants.list({}, context))
      return here(
        items.filter((item) => item.userId === userId),
        on,
      )
    },
  }

  test.each(Object.keys(reads))('counts there alone: %s', async (name) => {
    const read = reads[name]
    if (!read) throw new Error('There is such a read')
    expect(await read('ada', undefined), 'ada, everywhere').toBe(true)
    expect(await read('ada', HERE), 'ada, on the workspace').toBe(true)
    expect(await read('bo', HERE), 'bo, on the workspace').toBe(true)
    expect(await read('bo', ELSEWHERE), 'bo, on another').toBe(false)
    expect(await read('bo', undefined), 'bo, everywhere').toBe(false)
    if (name === 'a grant' || name === 'the list of grants') return
    expect(await read('cy', HERE), 'cy, on the workspace').toBe(true)
    expect(await read('cy', ELSEWHERE), 'cy, on another').toBe(false)
    expect(await read('cy', undefined), 'cy, everywhere').toBe(false)
    expect(await read('nobody', HERE), 'nobody').toBe(false)
  })

  test('is a role of the project at login, but not in the claims of the project.', async () => {
    for (const userId of ['ada', 'bo', 'cy']) {
      const user = { id: 'app', userId, userOrgId: 'acme' }
      expect((await good(iam.access.check(of(userId, undefined), context))).allowed).toBe(true)
      expect((await good(iam.access.check(of(userId, ELSEWHERE), context))).allowed).toBe(true)
      const past = { ...of(userId, undefined), at: beforeRemoval }
      expect((await good(iam.access.check(past, context))).allowed).toBe(true)
      expect(live.can({ ...of(userId, undefined), orgId: 'acme' })).toBe(true)
      expect((await iam.projects.checkLogin(user, context)).isOk()).toBe(true)
      expect(await good(iam.projects.roleClaims(user, context))).toEqual([])
    }
    const nobody = { id: 'app', userId: 'nobody', userOrgId: 'acme' }
    expect(await refusal(iam.projects.checkLogin(nobody, context))).toEqual({
      kind: 'ProjectRoleRequired',
    })
    expect(live.can({ ...of('nobody', undefined), orgId: 'acme' })).toBe(false)
    await good(iam.projects.patch({ id: 'app', projectRoleAssertion: true }, context))
    const claims = (userId: string) =>
      good(iam.projects.roleClaims({ id: 'app', userId, userOrgId: 'acme' }, context))
    expect((await claims('ada')).map(({ roleKey }) => roleKey)).toEqual(['editor'])
    expect(await claims('bo')).toEqual([])
  })

  test('shows its resource in every list and in the history.', async () => {
    const { items: held } = await good(iam.access.rolesOf({ userId: 'bo' }, context))
    expect(held).toMatchObject([{ ...project, roleKey: 'editor', resource: HERE, via: 'grant' }])
    const asked = { ...project, resource: HERE }
    const { items: holders } = await good(iam.access.whoHas(asked, context))
    expect(holders.map(({ userId, resource }) => [userId, resource])).toEqual([
      ['ada', undefined],
      ['bo', HERE],
      ['cy', HERE],
    ])
    const filter = { resource: { equals: HERE } }
    const grants = await good(iam.userGrants.list({ filter }, context))
    expect(grants.items.map(({ userId }) => userId)).toEqual(['bo'])
    const mappings = await good(iam.roleMappings.list({ filter }, context))
    expect(mappings.items).toMatchObject([{ group: 'staff', resource: HERE }])
    const object = { type: 'user_grant', ...reader, resource: HERE } as const
    const { items: history } = await good(iam.history.list({ object }, context))
    expect(history.map(({ type, object: of }) => [type, of])).toEqual([
      ['user_grant.added', { ...object, projectOrgId: 'acme' }],
    ])
    const { resource: _, ...whole } = object
    expect((await good(iam.history.list({ object: whole }, context))).items).toEqual([])
  })
})

test('a resource of a page of holders needs its project.', async () => {
  const iam = iamOn(memoryEventStore(), { authorize: () => true })
  for (const method of [iam.access.whoHas, iam.access.users])
    expect(await refusal(method({ resource: HERE }, context))).toMatchObject({
      violations: [{ field: 'resource', description: 'needs a projectId' }],
    })
})
