import { CloudEvent, HTTP } from 'cloudevents'
import { Webhook } from 'standardwebhooks'
import { expect, it, vi } from 'vitest'
import { type Iam, orThrow } from '../../src/index.js'
import { addProjects, caller, newIam, running, SECRET } from './receivers.js'

const OTHER = `whsec_${btoa('another secret of thirty-two byte')}`

it('Published receivers take what is sent: Standard Webhooks and CloudEvents', async () => {
  const { iam, received, clock, until } = await running(() => 204)
  await addProjects(iam, 'acme/Porträt “Ω”')
  await until(() => received.length > 0)
  const { headers = {}, body = '' } = received[0] ?? {}
  expect(new Webhook(SECRET).verify(body, headers)).toEqual(JSON.parse(body))
  expect(() => new Webhook(OTHER).verify(body, headers)).toThrow('No matching signature')
  expect(() => new Webhook(SECRET).verify(`${body} `, headers)).toThrow('No matching signature')
  expect(Number(headers['webhook-timestamp'])).toBeLessThanOrEqual(clock.now() / 1_000)

  const event = HTTP.toEvent<object>({ headers, body })
  if (Array.isArray(event)) throw new Error('one event is expected')
  const { items } = await orThrow(iam.history.list({}, { caller: caller('acme') }))
  const [entry] = items
  expect(event).toMatchObject({
    specversion: '1.0',
    id: headers['webhook-id'],
    type: 'project.added',
    source: 'claviger',
    time: entry?.time.toISOString(),
    orgid: 'acme',
    data: { sequence: String(entry?.sequence), actor: { userId: 'admin' }, type: 'project.added' },
  })
  expect(event.subject).toMatch(/^project\/[^/]+$/)
})

it('Messages of two stores, or under two sources, never share an id', async () => {
  const idsOf = async (iam: Iam, source?: string) => {
    const { received, until } = await running(() => 204, { iam, ...(source && { source }) })
    await until(() => received.length === 2)
    return received.map(({ headers }) => headers['webhook-id'] ?? '')
  }
  vi.spyOn(Date, 'now').mockReturnValue(Date.now())
  const [one, other] = [newIam(), newIam()]
  for (const iam of [one, other]) await addProjects(iam, 'acme/a', 'acme/b')
  vi.restoreAllMocks()
  const [ofOne, ofOther] = [await idsOf(one), await idsOf(other)]
  const positionsOf = (ids: readonly string[]) => ids.map((id) => id.split('-')[1])
  // Both stores recorded at the same time, at the same positions.
  expect(positionsOf(ofOne)).toEqual(positionsOf(ofOther))
  expect(new Set([...ofOne, ...ofOther, ...(await idsOf(one, 'staging'))]).size).toBe(6)
  // Each process that sends for a store gives its messages the same ids.
  expect(await idsOf(one)).toEqual(ofOne)
})

it('A message about an object with any key is a valid CloudEvent', async () => {
  const { iam, received, until } = await running(() => 204, {
    endpoint: { types: ['project_role.added'] },
  })
  const context = { caller: { userId: 'admin', orgId: 'acme' } }
  const { projectId } = await orThrow(iam.projects.add({ name: 'a' }, context))
  const roleKey = 'a/b\r\nx-injected: 1 😀"'
  await orThrow(iam.projectRoles.add({ projectId, roleKey, displayName: roleKey }, context))
  await until(() => received.length > 0)
  const { headers = {}, body = '' } = received[0] ?? {}
  new Webhook(SECRET).verify(body, headers)
  const event = new CloudEvent<object>(JSON.parse(body))
  expect(event.validate()).toBe(true)
  expect(event.subject?.split('/').map(decodeURIComponent)).toEqual([
    'project_role',
    projectId,
    roleKey,
  ])
})

it('A message has a signature of each secret, so both sides rotate without a refusal', async () => {
  const secrets = [SECRET]
  const iam = newIam()
  const one = { id: 'one', url: 'https://one.test/', organizations: 'all' as const, after: 0n }
  const listed = () => [{ ...one, secrets: [...secrets] }]
  let receiver = new Webhook(SECRET)
  const { received, deliveries, until } = await running(
    ({ body, headers }) => {
      receiver.verify(body, headers)
      return 200
    },
    { iam, endpoints: listed },
  )
  const step = async (name: string) => {
    const count = received.length
    await addProjects(iam, `acme/${name}`)
    await until(() => received.length > count)
  }
  await step('before')
  secrets.push(OTHER)
  await until(async () => {
    await step('both')
    return received.at(-1)?.headers['webhook-signature']?.split(' ').length === 2
  })
  receiver = new Webhook(OTHER)
  await step('other')
  secrets.shift()
  await until(async () => {
    await step('after')
    return received.at(-1)?.headers['webhook-signature']?.split(' ').length === 1
  })
  expect(deliveries.filter(({ outcome }) => outcome !== 'taken')).toEqual([])
})
