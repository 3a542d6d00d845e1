import { describe, expect, it } from 'vitest'
import type { WebhookEndpoint } from '../../src/webhooks/index.js'
import { addProjects, nameOf, type Received, running } from './receivers.js'

// What people reported of receivers behind gateways, and of senders that lost messages: in our own words.

const github = (path: string) => `https://github.com/${path}`

const HEADERS: readonly (readonly [url: string, headers: Readonly<Record<string, string>>])[] = [
  [github('docker/hub-feedback/issues/750'), { 'x-api-key': 'canary-1' }],
  [github('mapbox/ecs-conex/issues/3'), { 'X-API-Key': 'canary-2' }],
  [
    github('NangoHQ/nango/issues/3419'),
    { 'CF-Access-Client-Id': 'canary-3.access', 'CF-Access-Client-Secret': 'canary-4' },
  ],
  [
    github('cloudflare/cloudflare-docs/pull/22035'),
    { Authorization: '{"cf-access-client-id": "canary-5.access"}' },
  ],
  [
    github('runabol/tork/issues/300'),
    { Authorization: 'bearer canary-6', 'X-API-Key': 'canary-7' },
  ],
  [github('hyperledger-aries/aries-framework-go/issues/1327'), { authorization: 'Basic Y2FuYXJ5' }],
  [github('netalertx/NetAlertX/pull/1695'), { 'P-Token': 'canary-8.canary-9' }],
  [
    github('formbricks/formbricks/issues/4816'),
    { Authorization: 'Bearer canary.with.dots_-~+/==' },
  ],
]

describe('A gateway that asks for headers', () => {
  it.each(HEADERS)(
    'gets them with each message, and they appear nowhere else: %s',
    async (_, headers) => {
      const asks = ({ headers: sent }: Received) => {
        const found = new Headers(sent)
        return Object.entries(headers).every(([name, value]) => found.get(name) === value)
      }
      // It refuses the first message, as a gateway does while its key is being changed.
      const { iam, received, deliveries, faults, until } = await running(
        (request, count) => (asks(request) && count > 1 ? 204 : 401),
        { endpoint: { headers } as Partial<WebhookEndpoint> },
      )
      await addProjects(iam, 'acme/a', 'acme/b')
      await until(() => deliveries.filter(({ outcome }) => outcome === 'taken').length === 2)
      expect(received.every(asks)).toBe(true)
      // Not in what the host logs, nor in what the receiver stores.
      const told = JSON.stringify(
        [deliveries, faults, received.map(({ body }) => body)],
        (_key, value) => (typeof value === 'bigint' ? String(value) : value),
      )
      expect(told).not.toMatch(/canary|Y2FuYXJ5/)
    },
  )
})

/** A sender that follows these asks with GET, without the message, and takes the answer of a login page for success. */
const REDIRECTS: readonly (readonly [url: string, status: number, location: string])[] = [
  [github('mollie/api-documentation/pull/602'), 301, 'https://one.test/other/'],
  [github('MrZoller/vantage-point/issues/49'), 302, 'https://one.test/login'],
  [github('formancehq/ledger/pull/1990'), 303, 'https://login.test/'],
  [github('devlikeapro/waha/issues/112'), 301, 'https://one.test'],
  [github('baserow/baserow/issues/1028'), 307, 'http://127.0.0.1/'],
  [github('fanout/webhookinbox/issues/13'), 308, 'https://one.test//'],
]

describe('A redirect', () => {
  it.each(REDIRECTS)(
    'is not followed and takes no message: %s (%i)',
    async (_, status, location) => {
      let isMended = false
      const { iam, received, deliveries, until } = await running(() =>
        isMended ? 204 : new Response(null, { status, headers: { location } }),
      )
      await addProjects(iam, 'acme/a', 'acme/b')
      await until(() => deliveries.length >= 2)
      expect(new Set(deliveries.map(({ reason }) => reason))).toEqual(new Set(['redirect']))
      expect(new Set(received.map(({ url }) => url))).toEqual(new Set(['https://one.test/']))
      isMended = true
      await until(() => deliveries.filter(({ outcome }) => outcome === 'taken').length === 2)
      // In order, and none was lost.
      expect(received.slice(-2).map(nameOf)).toEqual(['acme/a', 'acme/b'])
    },
  )
})
