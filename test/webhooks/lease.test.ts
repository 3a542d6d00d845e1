import { expect, it } from 'vitest'
import type { WebhookCursors } from '../../src/ports/webhook-cursors.js'
import { memoryCursors } from '../../src/webhooks/cursors.js'
import { addProjects, nameOf, newIam, running } from './receivers.js'

it('Two processes never send to an endpoint at the same time; the second takes over', async () => {
  const iam = newIam()
  const cursors = memoryCursors()
  let sending = 0
  let most = 0
  const receive = async () => {
    most = Math.max(most, ++sending)
    await new Promise((resolve) => setImmediate(resolve))
    sending--
    return 200 as never
  }
  const first = await running(receive, { iam, cursors })
  const second = await running(receive, { iam, cursors })
  for (let n = 0; n < 20; n++) await addProjects(iam, `acme/${n}`)
  await first.until(() => first.received.length + second.received.length >= 20)
  const [idle, busy] = first.received.length === 0 ? [first, second] : [second, first]
  expect(idle.received).toEqual([])
  await busy.stop()
  await addProjects(iam, 'acme/last')
  await idle.until(() => idle.received.length > 0)
  expect(idle.received.map(nameOf)).toEqual(['acme/last'])
  expect(most).toBe(1)
})

it('A lease that is lost is noticed before the next message is sent', async () => {
  const iam = newIam()
  const sound = memoryCursors()
  let isCut = false
  // The process is cut off from its cursors, as by a partition.
  const whileJoined =
    <Given extends readonly unknown[], Answer>(ask: (...given: Given) => Promise<Answer>) =>
    (...given: Given): Promise<Answer> =>
      isCut ? Promise.reject(new Error('cut off')) : ask(...given)
  const cursors: WebhookCursors = {
    read: whileJoined(sound.read),
    lease: whileJoined(sound.lease),
    write: whileJoined(sound.write),
    release: whileJoined(sound.release),
  }
  const { received, faults, clock, until } = await running(() => 200, { iam, cursors })
  await addProjects(iam, 'acme/a')
  await until(() => received.length === 1)
  isCut = true
  const begin = clock.now()
  await until(() => clock.now() > begin + 30_000)
  await addProjects(iam, 'acme/b')
  await until(() => clock.now() > begin + 60_000)
  expect(received.map(nameOf)).toEqual(['acme/a'])
  expect(faults).toContainEqual(expect.objectContaining({ during: 'cursors', endpoint: 'one' }))
  isCut = false
  await until(() => received.map(nameOf).includes('acme/b'))
})

it('No request begins that may outlast the lease', async () => {
  const iam = newIam()
  const sound = memoryCursors()
  let isCut = false
  let leasedAt = 0
  const cursors: WebhookCursors = {
    ...sound,
    lease: async (...given) => {
      if (isCut) throw new Error('cut off')
      leasedAt = clock.now()
      return sound.lease(...given)
    },
  }
  const { received, clock, until } = await running(() => 200, { iam, cursors, timeout: 10_000 })
  await addProjects(iam, 'acme/a')
  await until(() => received.length === 1)
  isCut = true
  const last = leasedAt
  await until(() => clock.now() >= last + 20_000)
  // The lease has ten seconds left, and a request may take as long.
  await addProjects(iam, 'acme/b')
  await until(() => clock.now() >= last + 29_000)
  expect(received.map(nameOf)).toEqual(['acme/a'])
  isCut = false
  await until(() => received.length === 2)
})

it('Cursors that never answer are given up after a lease, and told; the run ends all the same', async () => {
  const iam = newIam()
  const sound = memoryCursors()
  let isSilent = false
  const silence = new Promise<never>(() => undefined)
  const cursors: WebhookCursors = {
    read: (endpoint) => (isSilent ? silence : sound.read(endpoint)),
    lease: (...given) => (isSilent ? silence : sound.lease(...given)),
    write: (...given) => (isSilent ? silence : sound.write(...given)),
    release: (...given) => (isSilent ? silence : sound.release(...given)),
  }
  const { received, faults, until, stop } = await running(() => 200, { iam, cursors })
  await addProjects(iam, 'acme/a')
  await until(() => received.length === 1)
  isSilent = true
  await until(() => faults.length > 1)
  expect(faults[0]).toMatchObject({ during: 'cursors', endpoint: 'one' })
  isSilent = false
  await addProjects(iam, 'acme/b')
  await until(() => received.map(nameOf).includes('acme/b'))
  isSilent = true
  expect((await stop()).isOk()).toBe(true)
})

// Ten seconds of work, of which a busy machine makes minutes.
it('With 1,000 organizations that wait, an endpoint reads no further, and goes on after that', {
  timeout: 600_000,
}, async () => {
  const iam = newIam()
  const names = Array.from({ length: 1_010 }, (_, n) => `org-${n}/a`)
  await addProjects(iam, ...names)
  let isMended = false
  const { received, setup, until } = await running(() => (isMended ? 200 : 500), {
    iam,
    lease: 600_000,
  })
  const organizations = () => new Set(received.map(({ event }) => event.orgid))
  await until(() => organizations().size === 1_000)
  expect(organizations()).not.toContain('org-1000')
  isMended = true
  await until(() => organizations().size === 1_010)
  expect(setup.options.cursors).toBeDefined()
})

it('The log is read once for all endpoints that are near its head', async () => {
  const iam = newIam()
  await addProjects(iam, 'acme/before')
  const subscriptions: object[] = []
  const counted = {
    ...iam,
    subscribe: (options = {}) => {
      subscriptions.push(options)
      return iam.subscribe(options)
    },
  }
  const endpoints = Array.from({ length: 20 }, (_, n) => ({
    id: `${n}`,
    url: 'https://one.test/',
    secrets: [`whsec_${btoa('x'.repeat(24))}`],
    organizations: 'all' as const,
  }))
  const { received, setup, until } = await running(() => 200, {
    iam: counted,
    endpoints: () => endpoints,
  })
  const kept = () => Promise.all(endpoints.map(({ id }) => setup.options.cursors.read(id)))
  await until(async () => (await kept()).every(({ version }) => version > 0))
  await addProjects(iam, 'acme/after')
  await until(() => received.length === 20)
  // Those that check what an endpoint is for are never read; one finds the first event, for the ids of messages.
  const read = subscriptions.filter((options) => 'signal' in options)
  expect(read.map((options) => 'until' in options)).toEqual([false, true])
})
