import { expect, it } from 'vitest'
import type { WebhookEndpoint } from '../../src/webhooks/index.js'
import { addProjects, running, SECRET } from './receivers.js'

const url = 'https://one.test/'
const endpoint = { id: 'siem', url, secrets: [SECRET], after: 0n, organizations: 'all' as const }

// What Splunk's collector, Elastic, Datadog, an AWS gateway and Cloudflare Access ask for.
const WANTED = [
  { authorization: 'Splunk 12345678-1234-1234-1234-1234567890AB' },
  { Authorization: 'ApiKey VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw==' },
  { 'DD-API-KEY': 'canary' },
  { 'x-api-key': 'canary' },
  { 'CF-Access-Client-Id': 'a.access', 'CF-Access-Client-Secret': 'canary' },
]

it.each(WANTED)('A message has the headers of its endpoint beside its own: %j', async (headers) => {
  const { iam, received, until } = await running(() => 204, {
    endpoints: () => [{ ...endpoint, headers } as WebhookEndpoint],
  })
  await addProjects(iam, 'acme/a')
  await until(() => received.length > 0)
  const sent = new Headers(received[0]?.headers)
  for (const [name, value] of Object.entries(headers)) expect(sent.get(name)).toBe(value)
  expect(sent.get('content-type')).toBe('application/cloudevents+json')
  expect(sent.get('webhook-signature')).toMatch(/^v1,/)
})

it('Headers that would change the message or the connection, or break a line, are refused without their value', async () => {
  const names = [
    'Host',
    'content-type',
    'Content-Length',
    'transfer-encoding',
    'connection',
    'webhook-signature',
    'Webhook-Id',
    'Proxy-Authorization',
    'cookie',
    'te',
    'two words',
    '',
    'größe',
  ]
  const values = ['', ' ', 'a\r\nx-injected: 1', 'ü', 'a\0', 5, undefined, ['a']]
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, '1']))
  const refused: readonly unknown[] = [
    ...names.map((name) => ({ [name]: 'canary' })),
    ...values.map((value) => ({ 'x-key': value })),
    many,
    { 'x-key': 'canary'.repeat(2_000) },
    { 'x-key': 'canary', 'X-Key': 'canary' },
    [['x-key', 'canary']],
    new Headers({ 'x-key': 'canary' }),
    new Map([['x-key', 'canary']]),
    null,
    'x-key: canary',
  ]
  const listed = refused.map((headers, n) => ({ ...endpoint, id: `e${n}`, headers }) as never)
  const { iam, received, faults, until } = await running(() => 200, {
    endpoints: () => [...listed, endpoint],
  })
  await addProjects(iam, 'acme/a')
  await until(() => received.length > 0)
  expect(new Set(faults.slice(0, refused.length).map(({ endpoint }) => endpoint)).size).toBe(
    refused.length,
  )
  for (const { cause } of faults) {
    expect(String(cause)).toMatch(/^InvalidEndpoint: headers must be at most 20 headers/)
    expect(String(cause)).not.toContain('canary')
  }
})
