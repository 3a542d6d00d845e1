import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type EventStore, memoryReadModel, type ReadModel } from '../../../src/index.js'
import {
  badFields,
  context,
  good,
  type Iam,
  iamOn,
  inGlobex,
  oidc,
  refusal,
  start,
} from '../host.js'

let store: EventStore
let iam: Iam

beforeEach(() => {
  const started = start()
  store = started.store
  iam = started.iam
})

const projects = [
  { id: 'p1', name: 'beta', hasProjectCheck: true },
  { id: 'p2', name: 'Alpha' },
  { id: 'p3', name: 'alpha' },
  { id: 'p4', name: '😀' },
  { id: 'p5', name: '\uFFFD' },
  { id: 'p6', name: '100%_sure' },
]

const addProjects = async (): Promise<void> => {
  for (const project of projects) await good(iam.projects.add(project, context))
  await good(iam.projects.deactivate({ id: 'p2' }, context))
  await good(iam.projects.add({ id: 'p7', name: 'of another' }, inGlobex))
}

type ListInput = Parameters<Iam['projects']['list']>[0]

const idsOf = async (input: ListInput): Promise<readonly string[]> =>
  (await good(iam.projects.list(input, context))).items.map(({ id }) => id)

describe('A list', () => {
  beforeEach(addProjects)

  it('is sorted by id, with the total size and the position that it reflects', async () => {
    const page = await good(iam.projects.list({}, context))
    expect(page.items.map(({ id }) => id)).toEqual(['p1', 'p2', 'p3', 'p4', 'p5', 'p6'])
    expect(page).toEqual({
      items: expect.anything(),
      totalSize: 6,
      sequence: await store.lastPosition(),
    })
    for (const item of page.items)
      expect(item).toEqual(await good(iam.projects.get({ id: item.id }, context)))
  })

  it.each<[string, ListInput, readonly string[]]>([
    ['equals', { filter: { name: { equals: 'alpha' } } }, ['p3']],
    [
      'equals in any case',
      { filter: { name: { equals: 'ALPHA', ignoreCase: true } } },
      ['p2', 'p3'],
    ],
    ['startsWith', { filter: { name: { startsWith: 'Al' } } }, ['p2']],
    ['contains', { filter: { name: { contains: 'ph' } } }, ['p2', 'p3']],
    ['contains %', { filter: { name: { contains: '%' } } }, ['p6']],
    ['contains _', { filter: { name: { contains: '_' } } }, ['p6']],
    ['both', { filter: { name: { startsWith: 'a', contains: 'l' } } }, ['p3']],
    [
      'the empty text',
      { filter: { name: { startsWith: '' } } },
      ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'],
    ],
    ['state', { filter: { state: 'inactive' } }, ['p2']],
    ['all conditions', { filter: { state: 'active', name: { contains: 'lpha' } } }, ['p3']],
    ['id', { filter: { id: { equals: 'p4' } } }, ['p4']],
  ])('is filtered by %s', async (_, input, expected) => {
    expect(await idsOf(input)).toEqual(expected)
  })

  it.each<[string, ListInput['sort'], readonly string[]]>([
    ['text, code point by code point', [{ field: 'name' }], ['p6', 'p2', 'p3', 'p1', 'p5', 'p4']],
    [
      'text, downwards',
      [{ field: 'name', direction: 'desc' }],
      ['p4', 'p5', 'p1', 'p3', 'p2', 'p6'],
    ],
    [
      'flags, then ids',
      [{ field: 'hasProjectCheck', direction: 'desc' }],
      ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'],
    ],
    [
      'several fields',
      [
        { field: 'state', direction: 'desc' },
        { field: 'id', direction: 'desc' },
      ],
      ['p2', 'p6', 'p5', 'p4', 'p3', 'p1'],
    ],
    ['sequence', [{ field: 'sequence', direction: 'desc' }], ['p2', 'p6', 'p5', 'p4', 'p3', 'p1']],
    [
      'time, then id',
      [{ field: 'creationDate', direction: 'desc' }],
      ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'],
    ],
  ])('is sorted by %s, on one page or on many', async (_, sort, expected) => {
    expect(await idsOf({ sort })).toEqual(expected)
    const found: string[] = []
    let pageToken: string | undefined
    do {
      const page = await good(iam.projects.list({ sort, pageSize: 1, pageToken }, context))
      expect(page.totalSize).toBe(6)
      found.push(...page.items.map(({ id }) => id))
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    expect(found).toEqual(expected)
  })

  it('has a hundred rows on a page by default', async () => {
    const roles = Array.from({ length: 101 }, (_, n) => ({ roleKey: `r${n}`, displayName: 'R' }))
    await good(iam.projectRoles.addMany({ projectId: 'p1', roles }, context))
    const page = await good(iam.projectRoles.list({ projectId: 'p1' }, context))
    expect(page.items).toHaveLength(100)
    expect(page.nextPageToken).toBeDefined()
    expect((await good(iam.history.list({}, context))).items).toHaveLength(100)
  })

  it('has no next page after its last row', async () => {
    const page = await good(iam.projects.list({ pageSize: 6 }, context))
    expect(page.items).toHaveLength(6)
    expect(page).not.toHaveProperty('nextPageToken')
    const first = await good(iam.projects.list({ pageSize: 5 }, context))
    const second = await good(
      iam.projects.list({ pageSize: 5, pageToken: first.nextPageToken }, context),
    )
    expect(second.items).toHaveLength(1)
    expect(second).not.toHaveProperty('nextPageToken')
  })

  it('neither repeats nor loses rows while others are added and removed', async () => {
    const first = await good(iam.projects.list({ pageSize: 3 }, context))
    await good(iam.projects.add({ id: 'p0', name: 'before' }, context))
    await good(iam.projects.remove({ id: 'p3' }, context))
    await good(iam.projects.add({ id: 'p55', name: 'after' }, context))
    const { nextPageToken: pageToken } = first
    const second = await good(iam.projects.list({ pageSize: 100, pageToken }, context))
    expect(second.items.map(({ id }) => id)).toEqual(['p4', 'p5', 'p55', 'p6'])
  })

  it.each<[string, ListInput]>([
    ['filter.name', { filter: { name: {} } }],
    ['filter.name', { filter: { name: 'alpha' as never } }],
    ['filter.name.contains', { filter: { name: { contains: 'a\0' } } }],
    ['filter.name.ignoreCase', { filter: { name: { equals: 'a', ignoreCase: 1 as never } } }],
    ['filter.name.matches', { filter: { name: { equals: 'a', matches: 'a' } as never } }],
    ['filter.clientSecret', { filter: { clientSecret: { equals: 'a' } } as never }],
    ['filter.state', { filter: { state: 'removed' as never } }],
    ['sort', { sort: [{ field: 'name' }, { field: 'name', direction: 'desc' }] }],
    ['sort', { sort: 'name' as never }],
    ['sort[0].field', { sort: [{ field: 'constructor' as never }] }],
    ['sort[0].direction', { sort: [{ field: 'name', direction: 'down' as never }] }],
    ['pageSize', { pageSize: 0 }],
    ['pageSize', { pageSize: 1001 }],
    ['pageSize', { pageSize: 1.5 }],
    ['pageSize', { pageSize: '10' as never }],
    ['pageToken', { pageToken: 5 as never }],
    ['pageToken', { pageToken: 'x'.repeat(16_385) }],
    ['projectId', { projectId: 'p1' } as never],
  ])('refuses a malformed %s', async (field, input) => {
    expect(await badFields(iam.projects.list(input, context))).toEqual([field])
  })
})

describe('The order in the query of a read model', () => {
  it.each([
    [[], ['id']],
    [[{ field: 'name' }], ['name', 'id']],
    [
      [{ field: 'name' }, { field: 'id' }, { field: 'sequence' }],
      ['name', 'id'],
    ],
    [[{ field: 'id' }, { field: 'name' }], ['id']],
  ] as const)('ends with the id, which leaves nothing to decide: %j', async (sort, asked) => {
    const readModel = memoryReadModel()
    const list = vi.spyOn(readModel, 'list')
    await good(iamOn(store, { readModel }).projects.list({ sort: [...sort] }, context))
    expect(list.mock.calls[0]?.[0].sort.map(({ field }) => field)).toEqual(asked)
  })
})

describe('A page token', () => {
  beforeEach(addProjects)

  const tokenOf = async (input: ListInput, within = context): Promise<string> => {
    const page = await good(iam.projects.list({ pageSize: 1, ...input }, within))
    return page.nextPageToken ?? ''
  }

  it('is valid for any page size, and in every process', async () => {
    const pageToken = await tokenOf({})
    const other = await good(iamOn(store).projects.list({ pageToken, pageSize: 7 }, context))
    expect(other.items.map(({ id }) => id)).toEqual(['p2', 'p3', 'p4', 'p5', 'p6'])
  })

  it.each<[string, ListInput]>([
    ['filter', { filter: { state: 'active' } }],
    ['order', { sort: [{ field: 'name' }] }],
    ['direction', { sort: [{ field: 'id', direction: 'desc' }] }],
  ])('is refused for another %s', async (_, other) => {
    const pageToken = await tokenOf({})
    const error = await refusal(iam.projects.list({ ...other, pageToken }, context))
    expect(error).toMatchObject({ kind: 'InvalidArgument', violations: [{ field: 'pageToken' }] })
    const back = await tokenOf(other)
    expect(await badFields(iam.projects.list({ pageToken: back }, context))).toEqual(['pageToken'])
  })

  it('is refused in another organization, for another kind of object or another project', async () => {
    await good(iam.projects.add({ id: 'p1', name: 'one' }, inGlobex))
    const pageToken = await tokenOf({})
    expect(await badFields(iam.projects.list({ pageToken }, inGlobex))).toEqual(['pageToken'])
    expect(await badFields(iam.identityProviders.list({ pageToken }, context))).toEqual([
      'pageToken',
    ])
    for (const projectId of ['p1', 'p2'])
      for (const roleKey of ['a', 'b'])
        await good(iam.projectRoles.add({ projectId, roleKey, displayName: 'd' }, context))
    const { nextPageToken } = await good(
      iam.projectRoles.list({ projectId: 'p1', pageSize: 1 }, context),
    )
    const elsewhere = iam.projectRoles.list({ projectId: 'p2', pageToken: nextPageToken }, context)
    expect(await badFields(elsewhere)).toEqual(['pageToken'])
  })

  it.each(['p1', 'absent'])('is refused before the project %s is read', async (projectId) => {
    const reading = iamOn(store).projectRoles.list({ projectId, pageToken: 'made up' }, context)
    expect(await badFields(reading)).toEqual(['pageToken'])
  })

  it('is refused when it was made up', async () => {
    const real = await tokenOf({ sort: [{ field: 'sequence' }] })
    const content = Buffer.from(real, 'base64url').toString()
    const [binding] = JSON.parse(content) as [string]
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const made = [
      '',
      'x',
      '!',
      real.slice(0, -2),
      `${real}A`,
      encode(null),
      encode({}),
      encode([]),
      encode([binding]),
      encode([binding, 'p1']),
      encode([binding, 'p1', 'p1']),
      encode([binding, { n: '1' }, 5]),
      encode([binding, { n: '1' }, 'p1', 'p1']),
      encode([binding, { n: '-1' }, 'p1']),
      encode([binding, { n: '9'.repeat(19) }, 'p1']),
      encode([binding, { n: '1'.repeat(21) }, 'p1']),
      encode([binding, { n: 1 }, 'p1']),
      encode([binding, null, 'p1']),
      encode([`${binding}A`, { n: '1' }, 'p1']),
      Buffer.from([0xff, 0xfe]).toString('base64url'),
      'A'.repeat(16_384),
    ]
    for (const pageToken of made) {
      const call = iam.projects.list({ sort: [{ field: 'sequence' }], pageToken }, context)
      expect(await badFields(call), pageToken).toEqual(['pageToken'])
    }
  })
})

describe('The list of each kind of object', () => {
  it('holds identity providers without their secrets', async () => {
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'b', name: 'One' }, context))
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'a', name: 'Two' }, context))
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'c' }, inGlobex))
    const page = await good(
      iam.identityProviders.list(
        { filter: { issuer: { startsWith: 'https://' } }, sort: [{ field: 'name' }] },
        context,
      ),
    )
    expect(page.items.map(({ idpId }) => idpId)).toEqual(['b', 'a'])
    expect(page.items[0]).toEqual(await good(iam.identityProviders.get({ idpId: 'b' }, context)))
    expect(Object.keys(page.items[0] ?? {}).toSorted()).toEqual([
      'autoRegister',
      'clientId',
      'details',
      'displayNameMapping',
      'idpId',
      'issuer',
      'name',
      'scopes',
      'state',
      'stylingType',
      'usernameMapping',
    ])
  })

  it('holds the roles of one project', async () => {
    for (const id of ['p1', 'p2']) {
      await good(iam.projects.add({ id, name: id }, context))
      const roles = ['x', 'y', 'z'].map((roleKey) => ({
        roleKey,
        displayName: `${roleKey} of ${id}`,
        group: roleKey === 'y' ? 'one' : 'two',
      }))
      await good(iam.projectRoles.addMany({ projectId: id, roles }, context))
    }
    const filter = { group: { equals: 'two' } }
    const sort = [{ field: 'roleKey', direction: 'desc' }] as const
    const page = await good(iam.projectRoles.list({ projectId: 'p2', filter, sort }, context))
    expect(page).toMatchObject({ totalSize: 2, items: [{ roleKey: 'z' }, { roleKey: 'x' }] })
    expect(page.items[0]).toEqual(
      await good(iam.projectRoles.get({ projectId: 'p2', roleKey: 'z' }, context)),
    )
  })

  it('of the roles of a project shows the roles it was added with, or that there is no project', async () => {
    const kept = memoryReadModel()
    const adding = iamOn(store, { authorize: () => true, readModel: kept })
    const roles = [{ roleKey: 'editor', displayName: 'Editor' }]
    let lists = 0
    const readModel: ReadModel = {
      ...kept,
      list: async (query) => {
        const listing = await kept.list(query)
        if (lists++ === 0)
          await good(adding.apply({ projects: [{ id: 'p1', name: 'New', roles }] }, context))
        await good(adding.catchUp(kept))
        return listing
      },
    }
    const reading = iamOn(store, { readModel })
    const page = await good(reading.projectRoles.list({ projectId: 'p1' }, context))
    const project = await good(reading.projects.get({ id: 'p1' }, context))
    expect(page).toMatchObject({ totalSize: 1, items: roles })
    expect(page.sequence).toBeGreaterThanOrEqual(project.details.sequence)
    expect(lists).toBe(2)
  })

  it('ends although a read model answers a position of 0', async () => {
    const kept = memoryReadModel()
    const list: ReadModel['list'] = async (query) => ({ ...(await kept.list(query)), sequence: 0n })
    const reading = iamOn(store, { readModel: { ...kept, list } })
    await good(iam.projects.add({ id: 'p1', name: 'n' }, context))
    expect(await good(reading.projectRoles.list({ projectId: 'p1' }, context))).toMatchObject({
      items: [],
    })
  })

  it('of roles refuses a state that roles never have', async () => {
    await good(iam.projects.add({ id: 'p1', name: 'n' }, context))
    const listed = (state: string) =>
      iam.projectRoles.list({ projectId: 'p1', filter: { state } } as never, context)
    expect(await good(listed('active'))).toMatchObject({ totalSize: 0 })
    expect(await refusal(listed('inactive'))).toMatchObject({
      kind: 'InvalidArgument',
      violations: [{ field: 'filter.state' }],
    })
  })

  it('of a project without roles is empty', async () => {
    await good(iam.projects.add({ id: 'p1', name: 'n' }, context))
    expect(await good(iam.projectRoles.list({ projectId: 'p1' }, context))).toMatchObject({
      items: [],
      totalSize: 0,
    })
  })
})
