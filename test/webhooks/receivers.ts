import { onTestFinished } from 'vitest'
import { aesGcmCipher, createIam, type Iam, memoryEventStore, orThrow } from '../../src/index.js'
import { memoryCursors } from '../../src/webhooks/cursors.js'
import type { WebhookEndpoint } from '../../src/webhooks/endpoint.js'
import {
  type Delivery,
  setUp,
  type WebhookFault,
  type WebhookOptions,
} from '../../src/webhooks/options.js'
import { run } from '../../src/webhooks/run.js'
import { virtualClock } from './virtual-clock.js'

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjU'

/** An IAM of a test, in memory. */
export const newIam = (): Iam => {
  const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
  return createIam({ store: memoryEventStore(), secrets, authorize: () => true })
}

export const caller = (orgId: string) => ({ userId: 'webhooks', orgId })

/** Adds projects to organizations. */
export const addProjects = async (iam: Iam, ...names: readonly string[]): Promise<void> => {
  for (const each of names) {
    const [orgId = '', name = ''] = each.split('/')
    await orThrow(iam.projects.add({ name }, { caller: { userId: 'admin', orgId } }))
  }
}

/** A request to a receiver. */
export interface Received {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly event: {
    readonly id: string
    readonly orgid: string
    readonly type: string
    readonly data: {
      readonly sequence: string
      readonly changes: readonly { readonly field: string; readonly to?: unknown }[]
    }
  }
}

/** What a test says of an answer: a status, or none. */
type Answer = number | Response | Promise<never> | Error

/** Runs webhooks on time that passes by itself. */
export const running = async (
  answer: (received: Received, count: number) => Answer,
  given: Partial<WebhookOptions> & {
    readonly endpoint?: Partial<WebhookEndpoint>
    /** Least time that passes at once, in milliseconds. */
    readonly step?: number
  } = {},
) => {
  const { endpoint, step, ...options } = given
  const received: Received[] = []
  const deliveries: Delivery[] = []
  const faults: WebhookFault[] = []
  const iam = options.iam ?? newIam()
  const clock = virtualClock(Date.now(), step)
  const { orgId, ...fields } = endpoint ?? {}
  const one: WebhookEndpoint = {
    id: 'one',
    url: 'https://one.test/',
    secrets: [SECRET],
    after: 0n,
    ...fields,
    ...(orgId === undefined ? { organizations: 'all' } : { orgId, organizations: undefined }),
  }
  const setup = setUp(
    {
      iam,
      caller,
      cursors: memoryCursors(),
      lookup: false,
      endpoints: () => [one],
      onDelivery: (delivery) => deliveries.push(delivery),
      onFault: (fault) => faults.push(fault),
      fetch: async (url, init) => {
        const body = String(init.body)
        const headers = { ...(init.headers as Record<string, string>) }
        const request = { url, headers, body, event: JSON.parse(body) }
        const same = received.filter(({ event }) => event.id === request.event.id)
        received.push(request)
        const answered = await answer(request, same.length + 1)
        if (answered instanceof Error) throw answered
        return answered instanceof Response ? answered : new Response(null, { status: answered })
      },
      ...options,
    },
    clock,
  )
  const ending = new AbortController()
  const ran = run(setup, ending.signal)
  const stop = async () => {
    ending.abort()
    try {
      return await ran
    } finally {
      clock.stop()
    }
  }
  onTestFinished(async () => {
    // A test of a run that is rejected has looked at it.
    await stop().catch(() => undefined)
  })
  /** Waits until something is so. */
  const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
  }
  return { iam: iam as Iam, setup, clock, received, deliveries, faults, ran, stop, until }
}

/** The position of the event of a message. */
export const positionOf = (received: Received | undefined): bigint =>
  BigInt(received?.event.data.sequence ?? 0)

export const nameOf = ({ event }: Received): string =>
  `${event.orgid}/${event.data.changes.find(({ field }) => field === 'name')?.to}`
