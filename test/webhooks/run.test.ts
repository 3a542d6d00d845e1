import { describe, expect, it } from 'vitest'
import { aesGcmCipher, createIam, memoryEventStore, orThrow } from '../../src/index.js'
import type { WebhookEndpoint } from '../../src/webhooks/endpoint.js'
import { addProjects, nameOf, newIam, running, SECRET } from './receivers.js'

const context = (orgId: string) => ({ caller: { userId: 'admin', orgId } })

describe('A message', () => {
  it('tells every change, in order, to an endpoint that begins at the start', async () => {
    const iam = newIam()
    await addProjects(iam, 'acme/a', 'other/b', 'acme/c')
    const { received, until } = await running(() => 204, { iam })
    await addProjects(iam, 'acme/d')
    await until(() => received.length === 4)
    expect(received.map(nameOf).filter((name) => name.startsWith('acme'))).toEqual([
      'acme/a',
      'acme/c',
      'acme/d',
    ])
    expect(received.map(nameOf)).toContain('other/b')
  })

  it('tells only what comes later to an endpoint that begins at the head', async () => {
    const iam = newIam()
    await addProjects(iam, 'acme/a')
    const { received, until, setup } = await running(() => 200, {
      iam,
      endpoint: { after: undefined },
    })
    await until(async () => (await setup.options.cursors.read('one')).version > 0)
    await addProjects(iam, 'acme/b')
    await until(() => received.length > 0)
    expect(received.map(nameOf)).toEqual(['acme/b'])
  })

  it('is only of the organization and the types that the endpoint is for', async () => {
    const iam = newIam()
    await addProjects(iam, 'acme/a', 'other/b')
    const types = ['project.removed'] as const
    const { received, until } = await running(() => 200, {
      iam,
      endpoint: { orgId: 'acme', types },
    })
    const { projectId } = await orThrow(iam.projects.add({ name: 'c' }, context('acme')))
    await orThrow(iam.projects.remove({ id: projectId }, context('acme')))
    await until(() => received.length > 0)
    expect(received.map(({ event }) => [event.orgid, event.type])).toEqual([
      ['acme', 'project.removed'],
    ])
  })

  it('names the resource of a role', async () => {
    const iam = newIam()
    await addProjects(iam, 'acme/a')
    const [project] = (await orThrow(iam.projects.list({}, context('acme')))).items
    const role = { projectId: `${project?.id}`, roleKey: 'editor' }
    await orThrow(iam.projectRoles.add({ ...role, displayName: 'Editor' }, context('acme')))
    const grant = { projectId: role.projectId, userId: 'bo', roles: [{ roleKey: 'editor' }] }
    await orThrow(iam.userGrants.add(grant, context('acme')))
    await orThrow(iam.userGrants.add({ ...grant, resource: 'workspace:42' }, context('acme')))
    const { received, until } = await running(() => 200, {
      iam,
      endpoint: { types: ['user_grant.added'] },
    })
    await until(() => received.length === 2)
    const bodies = received.map(({ body }) => JSON.parse(body))
    expect(bodies.map(({ data }) => data.object.resource)).toEqual([undefined, 'workspace:42'])
  })

  it('is sent again under the same id and with the same body until it is taken', async () => {
    const { iam, received, deliveries, until } = await running((_, count) =>
      count < 5 ? 500 : 200,
    )
    await addProjects(iam, 'acme/a')
    await until(() => deliveries.some(({ outcome }) => outcome === 'taken'))
    expect(received).toHaveLength(5)
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toHaveProperty('size', 1)
    expect(new Set(received.map(({ body }) => body))).toHaveProperty('size', 1)
    expect(deliveries.map(({ attempt, outcome, status }) => [attempt, outcome, status])).toEqual([
      [1, 'refused', 500],
      [2, 'refused', 500],
      [3, 'refused', 500],
      [4, 'refused', 500],
      [5, 'taken', 200],
    ])
  })

  it('that is refused holds up its organization alone', async () => {
    const iam = newIam()
    await addProjects(iam, 'acme/a', 'acme/b', 'other/c', 'other/d')
    let isMended = false
    const { received, until } = await running(
      ({ event }) => (event.orgid === 'acme' && !isMended ? 503 : 200),
      { iam },
    )
    await until(() => received.map(nameOf).includes('other/d'))
    expect(received.map(nameOf)).not.toContain('acme/b')
    isMended = true
    await until(() => received.map(nameOf).includes('acme/b'))
    const taken = received.map(nameOf).filter((name) => name.startsWith('acme'))
    expect(taken.at(-2)).toBe('acme/a')
  })

  it('that nobody answers, or a redirect does, was not taken', async () => {
    const answers = [
      () => new Error('no connection'),
      () => Response.redirect('https://other.test/'),
      () => new Promise<never>(() => undefined),
      () => 204,
    ]
    const { iam, deliveries, until } = await running((_, count) => answers[count - 1]?.() ?? 204, {
      timeout: 30,
    })
    await addProjects(iam, 'acme/a')
    await until(() => deliveries.length === 4)
    expect(deliveries.map(({ outcome, reason }) => reason ?? outcome)).toEqual([
      'network',
      'redirect',
      'timeout',
      'taken',
    ])
  })

  it('is taken however long the answer is, of which little is read', async () => {
    let bytes = 0
    const endless = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            bytes += 1_024
            controller.enqueue(new Uint8Array(1_024))
          },
        }),
      )
    const { iam, deliveries, until } = await running(endless)
    await addProjects(iam, 'acme/a')
    await until(() => deliveries.length > 0)
    expect(deliveries[0]?.outcome).toBe('taken')
    expect(bytes).toBeLessThan(40_000)
  })

  it('is taken as soon as its status arrives, also when the body never ends', async () => {
    const silent = () =>
      new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }))
    const { iam, deliveries, until } = await running(silent, { timeout: 30 })
    await addProjects(iam, 'acme/a')
    await until(() => deliveries.length > 0)
    expect(deliveries[0]).toMatchObject({ outcome: 'taken', status: 200 })
  })

  it('is not sent to a private address', async () => {
    const { iam, deliveries, received, until } = await running(() => 200, {
      endpoint: { url: 'https://10.0.0.1/' },
    })
    await addProjects(iam, 'acme/a')
    await until(() => deliveries.length > 0)
    expect(deliveries[0]).toMatchObject({ outcome: 'unreachable', reason: 'address' })
    expect(received).toEqual([])
  })
})

describe('A history that cannot be read', () => {
  it('holds up its organization, and is reported', async () => {
    const iam = newIam()
    await addProjects(iam, 'acme/a', 'other/b')
    let isRefused = true
    const { received, deliveries, until } = await running(() => 200, {
      iam,
      caller: (orgId) => {
        if (orgId === 'acme' && isRefused) throw new Error('no caller')
        return { userId: 'webhooks', orgId }
      },
    })
    await until(() => deliveries.length > 2 && received.length > 0)
    expect(received.map(nameOf)).toEqual(['other/b'])
    expect(deliveries).toContainEqual(
      expect.objectContaining({ orgId: 'acme', outcome: 'unreadable' }),
    )
    isRefused = false
    await until(() => received.length === 2)
    expect(received.map(nameOf)).toEqual(['other/b', 'acme/a'])
  })
})

describe('What the host gives', () => {
  it('may come and go while it runs, and may fail', async () => {
    const iam = newIam()
    await addProjects(iam, 'acme/a')
    const first = {
      id: 'one',
      url: 'https://one.test/',
      secrets: [SECRET],
      after: 0n,
      organizations: 'all' as const,
    }
    let listed = [first]
    let fails = true
    const { received, faults, until, setup } = await running(() => 200, {
      iam,
      endpoints: () => {
        if (fails) throw new Error('no endpoints')
        return listed
      },
    })
    await until(() => faults.length > 0)
    fails = false
    await until(() => received.length === 1)
    listed = [{ ...first, id: 'two', url: 'https://two.test/' }]
    await until(() => received.length === 2)
    await until(async () => (await setup.options.cursors.read('one')).lease === undefined)
    await addProjects(iam, 'acme/b')
    await until(() => received.length === 3)
    listed = [first]
    await until(() => received.length === 4)
    expect(received.map(({ url }) => url.slice(8, 11))).toEqual(['one', 'two', 'two', 'one'])
    expect(received.map(nameOf)).toEqual(['acme/a', 'acme/a', 'acme/b', 'acme/b'])
  })

  it('is served except for malformed parts, which are reported', async () => {
    const good = {
      id: 'good',
      url: 'https://one.test/',
      secrets: [SECRET],
      after: 0n,
      organizations: 'all' as const,
    }
    const { organizations, ...ofNone } = good
    const listed: readonly WebhookEndpoint[] = [
      { ...good, id: '' },
      { ...good, id: 'half \ud800' },
      { ...good, id: 'url', url: 'nowhere' },
      { ...good, id: 'secret', secrets: ['whsec_short'] },
      { ...good, id: 'lines', secrets: [`${SECRET}\n`] },
      { ...good, id: 'types', types: [] },
      { ...ofNone, id: 'none' } as never,
      { ...ofNone, id: 'undefined', orgId: undefined } as never,
      { ...good, id: 'both', orgId: 'acme' } as never,
      { ...ofNone, id: 'every', organizations: 'every' } as never,
      good,
      good,
    ]
    const { iam, received, faults, until } = await running(() => 200, { endpoints: () => listed })
    await addProjects(iam, 'acme/a')
    await until(() => received.length > 0)
    expect(faults.slice(0, 11).map(({ endpoint, cause }) => [endpoint, String(cause)])).toEqual([
      [undefined, 'InvalidEndpoint: id must be 1 to 200 characters'],
      [undefined, 'InvalidEndpoint: id must be 1 to 200 characters'],
      ['url', 'InvalidEndpoint: url must be an absolute URL'],
      [
        'secret',
        'InvalidEndpoint: secrets must be 1 to 10 texts: whsec_ followed by 24 to 64 bytes in base64',
      ],
      [
        'lines',
        'InvalidEndpoint: secrets must be 1 to 10 texts: whsec_ followed by 24 to 64 bytes in base64',
      ],
      ['types', 'InvalidEndpoint: types must have at least 1 item'],
      ...['none', 'undefined', 'both'].map((id) => [
        id,
        "InvalidEndpoint: orgId must name an organization, or organizations must be 'all'",
      ]),
      ['every', "InvalidEndpoint: organizations must be 'all'"],
      ['good', 'InvalidEndpoint: id is already used by another endpoint'],
    ])
  })

  it('may throw in its hooks without any harm', async () => {
    const { iam, received, until } = await running((_, count) => (count === 1 ? 500 : 200), {
      onDelivery: () => {
        throw new Error('hook')
      },
    })
    await addProjects(iam, 'acme/a', 'acme/b')
    await until(() => received.length === 3)
    expect(received.map(nameOf)).toEqual(['acme/a', 'acme/a', 'acme/b'])
  })
})

describe('A run', () => {
  const endless = () => new Promise<never>(() => undefined)

  it('ends on abort, even while the host does not return its endpoints', async () => {
    const asked = Promise.withResolvers<void>()
    const { stop } = await running(() => 200, {
      endpoints: () => {
        asked.resolve()
        return endless()
      },
    })
    await asked.promise
    expect((await stop()).isOk()).toBe(true)
  })

  it('ends on abort, even while the store does not respond', async () => {
    const store = { ...memoryEventStore(), lastPosition: endless }
    const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
    const iam = createIam({ store, secrets, authorize: () => true })
    const { stop } = await running(() => 200, { iam })
    expect((await stop()).isOk()).toBe(true)
  })

  it('is rejected by what no message can be signed with, without an unhandled rejection', async () => {
    const secrets = [SECRET]
    const organizations = 'all' as const
    const endpoint = { id: 'one', url: 'https://one.test/', secrets, after: 0n, organizations }
    const { iam, received, setup, ran, until } = await running(() => 200, {
      endpoints: () => [endpoint],
    })
    await addProjects(iam, 'acme/a')
    await until(() => received.length === 1)
    // The list of the host is used as it is.
    secrets[0] = 'none'
    await addProjects(iam, 'acme/b')
    await expect(ran).rejects.toThrow()
    expect((await setup.options.cursors.read('one')).lease).toBeUndefined()
  })
})
