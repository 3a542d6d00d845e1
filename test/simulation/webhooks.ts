import { cursorsIn } from '../../src/webhooks/cursors.js'
import { setUp } from '../../src/webhooks/options.js'
import { run } from '../../src/webhooks/run.js'
import type { Chance } from './chance.js'
import { Violation } from './judge.js'
import type { Process, Scheduler } from './scheduler.js'
import type { Server } from './system.js'

const SECRET = `whsec_${'MfKQ9r8GKYqrTwjU'.repeat(2)}`

/** Longest that an endpoint takes to answer, in milliseconds; senders would wait for three seconds. */
const SLOWEST = 2_500

/** The longest that messages may take once faults have ended, in milliseconds. */
const PATIENCE = 3_600_000

/** Events of no object, which are not sent. */
const CLAIM = /^(verified_domain|setup_link_token)\./

/** One endpoint, which some of the instances send to in turns. */
export interface Endpoint {
  /** Lets an instance send. */
  readonly serve: (process: Process, opened: ReturnType<Server['open']>) => void
  /** Ends what goes wrong at the endpoint. */
  readonly heal: () => void
  /** Waits until everything has come. @throws Violation when something never does */
  readonly check: () => Promise<void>
}

/** @see Endpoint */
export const endpointOf = (
  scheduler: Scheduler,
  chance: Chance,
  { server, tell }: { readonly server: Server; readonly tell: (line: string) => void },
): Endpoint => {
  const cursors = cursorsIn(scheduler.environmentOf({ name: 'cursors', isCrashed: false }))
  const received = new Set<string>()
  const last = new Map<string, bigint>()
  let sending: Process | undefined
  let refuses = 0.1
  let found: Violation | undefined

  const receive = async (process: Process, body: string): Promise<Response> => {
    const { id: message, orgid } = JSON.parse(body)
    const id = message.split('-').at(-1)
    if (sending && sending !== process && !sending.isCrashed)
      found ??= new Violation(`${process.name} and ${sending.name} send at the same time`)
    sending = process
    await scheduler.wait(chance.random() ** 3 * SLOWEST, process)
    if (sending === process) sending = undefined
    if (chance.happens(refuses)) return new Response(null, { status: 500 })
    tell(`  ${process.name} delivers ${orgid} ${id}`)
    const before = last.get(orgid) ?? 0n
    if (!received.has(id) && BigInt(id) < before)
      found ??= new Violation(`The endpoint is sent ${id} only after ${before}`)
    received.add(id)
    if (BigInt(id) > before) last.set(orgid, BigInt(id))
    return new Response(null, { status: 200 })
  }

  return {
    serve: (process, { iam, environment, askCursors: ask }) => {
      const options = {
        iam,
        caller: (orgId: string) => ({ userId: 'webhooks', orgId }),
        cursors: {
          read: (...given: Parameters<typeof cursors.read>) => ask(() => cursors.read(...given)),
          lease: (...given: Parameters<typeof cursors.lease>) => ask(() => cursors.lease(...given)),
          write: (...given: Parameters<typeof cursors.write>) => ask(() => cursors.write(...given)),
          release: (...given: Parameters<typeof cursors.release>) =>
            ask(() => cursors.release(...given)),
        },
        lookup: false as const,
        lease: 9_000,
        timeout: 3_000,
        endpoints: () => [
          {
            id: 'one',
            url: 'https://one.test/',
            organizations: 'all' as const,
            secrets: [SECRET],
            after: 0n,
          },
        ],
        fetch: (_: string, init: RequestInit) => receive(process, String(init.body)),
      }
      void run(setUp(options, environment), undefined)
    },
    heal: () => {
      refuses = 0
    },
    check: async () => {
      const missing = () =>
        server
          .log()
          .find(({ type, position }) => !CLAIM.test(type) && !received.has(String(position)))
      for (let waited = 0; missing() && !found && waited < PATIENCE; waited += 10_000)
        await scheduler.wait(10_000)
      const never = missing()
      if (found) throw found
      if (never)
        throw new Violation(`The endpoint was never sent ${never.type} at ${never.position}`)
    },
  }
}
