import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  aesGcmCipher,
  type Caller,
  createIam,
  memoryEventStore,
  permissionsFromCaller,
} from 'claviger'
import {
  type ConsoleOptions,
  consoleHandler,
  type DirectoryContext,
  type OrganizationDirectory,
  type UserDirectory,
} from 'claviger/console'
import { expect, it } from 'vitest'

const ANNA = { id: 'u1', name: 'Anna Berger', email: 'anna@acme.example' }

const open = (
  users: Partial<UserDirectory> = {},
  permissions: Caller['permissions'] = ['user.grant.read'],
  more: Partial<ConsoleOptions> = {},
) => {
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
    authorize: permissionsFromCaller,
  })
  const caller: Caller = { userId: 'olivia', orgId: 'acme', permissions }
  const failures: unknown[] = []
  const asked: [unknown, DirectoryContext][] = []
  const handler = consoleHandler(iam, {
    authenticate: (headers) => (headers.get('cookie') === 'none' ? undefined : caller),
    onError: (cause) => failures.push(cause),
    users: {
      describe: (ids, context) => {
        asked.push([ids, context])
        return [ANNA]
      },
      find: (text, context) => {
        asked.push([text, context])
        return [ANNA]
      },
      ...users,
    },
    ...more,
  })
  const at = async (path: string, headers: Record<string, string> = {}) => {
    const response = await handler(new Request(`http://app.test/api/${path}`, { headers }))
    return { status: response.status, body: await response.json() }
  }
  const get = (query: string, headers: Record<string, string> = {}) => at(`users?${query}`, headers)
  return { handler, at, get, failures, asked, caller }
}

it('describes users by their ids, for the caller and the organization of the request', async () => {
  const { get, asked, caller } = open()
  expect(await get('id=u1&id=u2')).toEqual({ status: 200, body: { users: [ANNA] } })
  expect(await get('text=Ann')).toEqual({ status: 200, body: { users: [ANNA] } })
  const context = { caller, orgId: 'acme' }
  expect(asked).toEqual([
    [['u1', 'u2'], context],
    ['Ann', context],
  ])
})

it('answers over Node.js as well', async () => {
  const { handler } = open()
  const server = createServer((request, response) => handler(request, response)).listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/api/users?id=u1`)
  expect(await response.json()).toEqual({ users: [ANNA] })
  expect(response.headers.get('cache-control')).toBe('no-store')
  server.close()
  server.closeAllConnections()
})

it('names nobody to callers who may read neither grants nor history', async () => {
  const { get, asked } = open({}, ['project.read'])
  expect((await get('id=u1')).status).toBe(403)
  expect((await get('text=Ann')).status).toBe(403)
  expect((await open().get('id=u1', { cookie: 'none' })).status).toBe(401)
  expect((await open().get('id=u1', { 'x-service-orgid': 'globex' })).status).toBe(403)
  expect(asked).toEqual([])
  expect((await open({}, ['event.read']).get('id=u1')).status).toBe(200)
})

it('shows of an answer what was asked for, and of a picture what may be loaded', async () => {
  const users = [
    { ...ANNA, picture: '/anna.png', password: 'secret' },
    { id: 'u2', name: '', picture: 'https://elsewhere.example/2.png' },
    { id: 'u9', name: 'Not asked for' },
  ]
  const { get } = open({ describe: () => users })
  expect((await get('id=u1&id=u2')).body).toEqual({
    users: [
      { ...ANNA, picture: '/anna.png' },
      { id: 'u2', name: 'u2' },
    ],
  })
  const many = Array.from({ length: 50 }, (_, index) => ({ id: `u${index}`, name: `U ${index}` }))
  expect((await open({ find: () => many }).get('text=U')).body.users).toHaveLength(20)
})

it.each([
  '',
  'text=',
  `text=${'x'.repeat(401)}`,
  `id=${'x'.repeat(401)}`,
  Array.from({ length: 101 }, (_, index) => `id=${index}`).join('&'),
])('refuses a question out of bounds', async (query) => {
  const { get, asked } = open()
  expect((await get(query)).status).toBe(400)
  expect(asked).toEqual([])
})

const down = (): never => {
  throw new Error('down')
}
/** What a host may do that keeps no contract. */
const FAULTS: readonly (readonly [string, () => unknown])[] = [
  ['throws', down],
  ['rejects', async () => down()],
  ['answers nothing', () => undefined],
  ['answers no users', () => [{ id: 'u1' }]],
]

it.each(FAULTS)(
  'answers 503 when the host %s, and shows the cause to it alone',
  async (_, fault) => {
    const { get, failures } = open({ describe: fault as UserDirectory['describe'] })
    const { status, body } = await get('id=u1')
    expect(status).toBe(503)
    expect(JSON.stringify(body)).not.toContain('down')
    expect(failures).toHaveLength(1)
  },
)

const GLOBEX = { id: 'globex', name: 'Globex GmbH' }
const organizations = (find: unknown) => ({
  organizations: { describe: () => [], find: find as NonNullable<OrganizationDirectory['find']> },
})

it('finds organizations for callers who may read project grants, and shows id and name alone', async () => {
  const hostile = [
    { ...GLOBEX, secret: 'x' },
    { id: 'o2', name: '<script>window.hacked=1</script>' },
    { id: 'o3', name: 'N'.repeat(1_000) },
    ...Array.from({ length: 30 }, (_, index) => ({ id: `m${index}`, name: 'Many' })),
  ]
  const found = organizations((text: string, { orgId }: DirectoryContext) =>
    text === 'glo' && orgId === 'acme' ? hostile : [],
  )
  const { at } = open({}, ['project.grant.read'], found)
  const { status, body } = await at('organizations?text=glo')
  expect(status).toBe(200)
  expect(body.organizations).toHaveLength(20)
  expect(body.organizations.slice(0, 3)).toEqual([
    GLOBEX,
    hostile[1],
    { id: 'o3', name: 'N'.repeat(400) },
  ])
  expect((await at('organizations?text=')).status).toBe(400)
  expect((await at(`organizations?text=${'x'.repeat(401)}`)).status).toBe(400)
  expect((await open({}, ['project.read'], found).at('organizations?text=glo')).status).toBe(403)
  expect((await open({}, ['project.grant.read']).at('organizations?text=glo')).status).toBe(400)
})

it.each(FAULTS)('answers 503 when the host %s for organizations', async (_, fault) => {
  const { at, failures } = open({}, ['project.grant.read'], organizations(fault))
  const { status, body } = await at('organizations?text=glo')
  expect(status).toBe(503)
  expect(JSON.stringify(body)).not.toContain('down')
  expect(failures).toHaveLength(1)
})

it('tells the pages which parts the host shows the caller', async () => {
  const areasOf = async (areas: unknown) => {
    const { at, failures } = open({}, ['user.grant.read'], {
      areas: areas as NonNullable<ConsoleOptions['areas']>,
    })
    const { status, body } = await at('v1/permissions')
    expect(status).toBe(200)
    expect(body.session).toMatchObject({ userId: 'olivia', orgId: 'acme' })
    return [body.session.areas, failures.length]
  }
  expect(await areasOf(['users'])).toEqual([undefined, 0])
  const byOrganization = ({ orgId }: DirectoryContext) =>
    orgId === 'acme' ? ['users', 'nothing'] : []
  expect(await areasOf(byOrganization)).toEqual([['users'], 0])
  // Nothing beyond the overview while the host cannot say.
  expect(await areasOf(down)).toEqual([[], 1])
  expect(await areasOf(() => undefined)).toEqual([[], 1])
})
