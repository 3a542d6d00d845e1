import { consoleHandler } from 'claviger/console'
import { expect, it, onTestFinished } from 'vitest'
import { openHost } from './host.js'

const USERS = [
  { id: 'anna', name: 'Anna Berger', email: 'anna@acme.example' },
  { id: 'olivia', name: 'Olivia Chen' },
]

const open = async (options: Parameters<typeof openHost>[1] = {}) => {
  const failures: unknown[] = []
  const host = await openHost('', {
    users: { describe: async () => USERS, find: async () => [] },
    organizations: { describe: async () => [{ id: 'acme', name: 'Acme Inc.' }] },
    onError: (cause) => failures.push(cause),
    ...options,
  })
  onTestFinished(host.close)
  const ask = async (path: string, who = 'admin', init: RequestInit = {}) => {
    const type = init.body ? { 'content-type': 'application/json' } : {}
    const headers = { cookie: `who=${who}`, ...type }
    const request = new Request(`http://app.test/api/v1/${path}`, { headers, ...init })
    return (await host.handler(request)).json()
  }
  return { ...host, ask, failures }
}

const portal = {
  projectId: 'portal',
  projectOrgId: 'acme',
  name: 'Portal',
  roles: [
    { roleKey: 'viewer', displayName: 'Viewer' },
    { roleKey: 'editor', displayName: 'Editor' },
  ],
}

it('names the users, projects and roles of an answer, and what a request asks for', async () => {
  const { ask } = await open()
  const { names } = await ask('userGrants?filter.user_id.equals=anna')
  expect(names).toEqual({
    orgId: 'acme',
    users: [USERS[0]],
    organizations: [{ id: 'acme', name: 'Acme Inc.' }],
    providers: [],
    projects: [portal],
  })
  const nothing = await ask('userGrants?filter.user_id.equals=anna&filter.state=STATE_INACTIVE')
  expect(nothing.names).toMatchObject({ users: [USERS[0]], projects: [] })
})

it('names what changes of history say, and who made them', async () => {
  const { names } = await (await open()).ask('history?user=carla')
  expect(names.users).toEqual([USERS[1]])
  expect(names.projects[0].roles).toEqual([
    { roleKey: 'editor', displayName: 'Editor' },
    { roleKey: 'billing/admin', displayName: 'Billing administrator' },
  ])
})

it('names the roles of a dry run by the project of its request', async () => {
  const { ask } = await open()
  const { planned, names } = await ask(
    'projects/portal/role?role_key=editor&validate_only=true',
    'admin',
    {
      method: 'DELETE',
    },
  )
  expect(planned.impact.loses.first[0]).toMatchObject({ userId: 'anna', roleKey: 'editor' })
  expect(names.projects[0].roles).toContainEqual({ roleKey: 'editor', displayName: 'Editor' })
  const body = { userId: 'anna', projectId: 'portal', roles: [{ roleKey: 'viewer' }] }
  const given = await ask('userGrant:give', 'admin', {
    method: 'POST',
    body: JSON.stringify({ ...body, validateOnly: true }),
  })
  expect(given.names).toMatchObject({ users: [USERS[0]], projects: [{ name: 'Portal' }] })
})

it('names a received project with the roles that were granted', async () => {
  const { ask } = await open()
  const { names } = await ask('receivedGrants', 'globex')
  expect(names.projects).toEqual([
    { ...portal, roles: [{ roleKey: 'viewer', displayName: 'Viewer' }] },
  ])
  expect(names.organizations).toEqual([{ id: 'acme', name: 'Acme Inc.' }])
})

it('names nothing that the caller may not read', async () => {
  const { iam } = await open()
  const handler = consoleHandler(iam, {
    authenticate: () => ({ userId: 'u', orgId: 'acme', permissions: ['user.grant.read'] }),
  })
  const response = await handler(new Request('http://app.test/api/v1/userGrants'))
  const { names } = await response.json()
  expect(names.projects[0]).toMatchObject({ name: 'portal', roles: [] })
})

it.each([
  [
    'throws',
    () => {
      throw new Error('down')
    },
  ],
  ['answers no list', () => undefined],
  ['answers no users', () => [{ id: 'anna' }]],
])('answers without names when the host %s, and shows it the cause', async (_, describe) => {
  const users = { describe: describe as never, find: async () => [] }
  const { ask, failures } = await open({ users })
  const { names, userGrants } = await ask('userGrants')
  expect([names, userGrants.length]).toEqual([undefined, 3])
  expect(failures).toHaveLength(1)
})

it('leaves refusals as they are', async () => {
  const answer = await (await open()).ask('userGrants', 'nobody')
  expect(answer).toMatchObject({ code: 7 })
  expect(answer).not.toHaveProperty('names')
})

it('sends its files in the coding that a browser reads', async () => {
  const { handler } = await open()
  const page = await handler(new Request('http://app.test/'))
  const [, file = ''] = /src="\.\/([^"]+)"/.exec(await page.text()) ?? []
  const get = async (coding: string) => {
    const headers = { 'accept-encoding': coding }
    const response = await handler(new Request(`http://app.test/${file}`, { headers }))
    return [
      response.headers.get('content-encoding'),
      (await response.arrayBuffer()).byteLength,
    ] as const
  }
  const [, plain] = await get('')
  for (const [accepted, coding] of [
    ['gzip, deflate, br', 'gzip'],
    ['gzip;q=0.5, br', 'gzip'],
    ['deflate', null],
    ['gzip;q=0', null],
  ] as const) {
    const [sent, size] = await get(accepted)
    expect([accepted, sent]).toEqual([accepted, coding])
    expect(size < plain / 2).toBe(coding !== null)
  }
})
