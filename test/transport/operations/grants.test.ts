import { aesGcmCipher, createIam, memoryEventStore, permissionsFromCaller } from 'claviger'
import { fixedClock } from 'claviger/testing'
import { fetchHandler } from 'claviger/transport'
import { describe, expect, it } from 'vitest'
import { callers } from '../host.js'
import { openHost, violationsIn } from '../http-client.js'

const CAROL = '/v1/userGrant?user_id=carol&project_id=portal'

/** A host in which carol has two roles of a project. */
const openGranted = async () => {
  const host = await openHost()
  const { call } = host
  await call('POST', '/v1/projects/portal/roles', '{"roleKey":"viewer","displayName":"Viewer"}')
  const roles = [{ roleKey: 'editor' }, { roleKey: 'viewer', expiresAt: '2099-01-01T00:00:00Z' }]
  const body = JSON.stringify({ userId: 'carol', projectId: 'portal', roles })
  expect((await call('POST', '/v1/userGrants', body)).status).toBe(200)
  return host
}

describe('A grant on the network', () => {
  it('is read anew with an ETag that stays, after a role of it has ended', async () => {
    const { call } = await openGranted()
    const before = await call('GET', CAROL)
    await call('DELETE', '/v1/projects/portal/role?role_key=viewer')
    const etag = before.headers.get('etag') ?? ''
    const after = await call('GET', CAROL, undefined, { 'if-none-match': etag })
    expect(after.status).toBe(200)
    expect(after.headers.get('etag')).toBe(etag)
    expect(after.json.userGrant.roles).toEqual([{ roleKey: 'editor' }])
    const written = await call('POST', CAROL.replace('?', ':deactivate?'), undefined, {
      'if-match': etag,
    })
    expect(written.status).toBe(200)
  })

  it('is named by its query, and in a body not again', async () => {
    const { call } = await openGranted()
    const repeated = '{"userId":"carol","roles":[{"roleKey":"editor"}]}'
    for (const [verb, path] of [
      ['PUT', CAROL],
      ['POST', CAROL.replace('?', ':addRoles?')],
    ] as const)
      expect(violationsIn((await call(verb, path, repeated)).json)).toEqual({
        userId: 'must not be given twice',
      })
  })

  it('is named by both ids', async () => {
    const { call } = await openHost()
    const answer = await call('GET', '/v1/userGrant')
    expect(Object.keys(violationsIn(answer.json)).sort()).toEqual(['projectId', 'userId'])
  })

  it.each([['tomorrow'], ['2099-02-30T00:00:00Z'], [4_070_908_800]])(
    'has no role that ends at %s',
    async (expiresAt) => {
      const { call } = await openGranted()
      const body = JSON.stringify({ roles: [{ roleKey: 'editor', expiresAt }] })
      const answer = await call('PUT', CAROL, body)
      expect(violationsIn(answer.json)).toEqual({
        'roles[0].expiresAt': 'must be a time of RFC 3339 in the years 1 to 9999',
      })
    },
  )

  it.each(['roles', 'roleKey', 'expiresAt', 'resourceOwner'])(
    'stands in no order of %s',
    async (field) => {
      const { call } = await openHost()
      const answer = await call('GET', `/v1/userGrants?order_by=${field}`)
      expect(violationsIn(answer.json)).toEqual({
        orderBy:
          'must be a comma-separated list of: userId, projectId, projectOrgId, state, sequence, creationDate, changeDate, resource; append " desc" to reverse',
      })
    },
  )

  it('is not taken with all others in a dry run', async () => {
    const { call } = await openGranted()
    const body = '{"userId":"carol","validateOnly":true}'
    const answer = await call('POST', '/v1/userGrants:removeAll', body)
    expect(violationsIn(answer.json)).toEqual({ validateOnly: 'is not a field of the request' })
    expect((await call('GET', CAROL)).status).toBe(200)
  })
})

describe('Who has which role, on the network', () => {
  it.each([
    ['userRoles', '/v1/userRoles?user_id=carol', ['editor', 'viewer']],
    ['roleHolders', '/v1/projects/portal/roleHolders?', ['editor', 'viewer']],
  ] as const)('is told page by page: %s', async (field, path, expected) => {
    const { call } = await openGranted()
    const found: string[] = []
    let token = ''
    do {
      const { json } = await call('GET', `${path}&page_size=1&page_token=${token}`)
      expect(json[field]).toHaveLength(1)
      found.push(json[field][0].roleKey)
      token = encodeURIComponent(json.nextPageToken)
    } while (token !== '')
    expect(found).toEqual(expected)
  })

  it('takes no token of another question', async () => {
    const { call } = await openGranted()
    const first = await call('GET', '/v1/userRoles?user_id=carol&page_size=1')
    const token = encodeURIComponent(first.json.nextPageToken)
    const answer = await call('GET', `/v1/userRoles?user_id=dave&page_token=${token}`)
    expect(Object.keys(violationsIn(answer.json))).toEqual(['pageToken'])
  })

  it('is returned for a time in the past, with roles that have expired since', async () => {
    const clock = fixedClock('2026-02-03T04:05:06Z')
    const iam = createIam({
      store: memoryEventStore({ now: clock }),
      secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } }),
      authorize: permissionsFromCaller,
      now: clock,
    })
    const handler = fetchHandler(iam, { authenticate: () => callers['admin'] })
    const context = { caller: callers['admin'] }
    await iam.projects.add({ id: 'portal', name: 'Portal' }, context)
    const role = { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' }
    await iam.projectRoles.add(role, context)
    const expiresAt = new Date('2026-02-03T06:00:00Z')
    const roles = [{ roleKey: 'editor', expiresAt }]
    await iam.userGrants.add({ userId: 'carol', projectId: 'portal', roles }, context)
    clock.set('2026-02-03T07:00:00Z')

    const holders = async (query: string) => {
      const url = `http://localhost/v1/projects/portal/roleHolders${query}`
      return (await (await handler(new Request(url))).json()).roleHolders
    }
    expect(await holders('')).toEqual([])
    expect(await holders('?at=2026-02-03T04:05:05.999Z')).toEqual([])
    expect(await holders('?at=2026-02-03T06:59:59.999%2B01:00')).toEqual([
      {
        userId: 'carol',
        orgId: 'acme',
        roleKey: 'editor',
        expiresAt: '2026-02-03T06:00:00.000Z',
        from: '2026-02-03T04:05:06.000Z',
      },
    ])
    const check = '/v1/access:check?user_id=carol&project_id=portal&role_key=editor'
    const answer = await handler(new Request(`http://localhost${check}`))
    expect(await answer.json()).toEqual({
      allowed: false,
      roleKeys: [],
      permissions: [],
      reasons: [{ kind: 'Expired' }],
    })
  })
})
