import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { webhookReceiver } from '../../../docs/examples/b2b-saas/webhook-receiver.ts'

export interface Handled {
  readonly id: bigint
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What a test makes of a message, by its id; all is taken and answered as it should be when absent. */
export interface Behaviour {
  /** Refuses it with this status before it is dealt with. */
  readonly refuse?: (id: bigint) => number | undefined
  /** Called once it was dealt with; may answer with another status. */
  readonly answer?: (id: bigint) => Promise<number | undefined>
}

/** What a customer runs: takes messages by the receiver of the example. */
export const startCustomerServer = async () => {
  const handled: Handled[] = []
  const delivered: { readonly id: bigint; readonly status: number; readonly body: string }[] = []
  let behaviour: Behaviour = {}
  let receive: ReturnType<typeof webhookReceiver> | undefined

  const server = createServer(async (request, response) => {
    const header = (name: string) => String(request.headers[name])
    const body = await text(request)
    const id = BigInt(header('webhook-id'))
    const refused = behaviour.refuse?.(id)
    const status =
      refused ??
      (await receive?.({
        id: header('webhook-id'),
        timestamp: header('webhook-timestamp'),
        signature: header('webhook-signature'),
        body,
      })) ??
      503
    delivered.push({ id, status, body })
    response.writeHead((refused === undefined && (await behaviour.answer?.(id))) || status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    handled,
    delivered,
    /** Takes messages that are signed with `secret`. */
    expect: (secret: string) => {
      receive = webhookReceiver({
        secret,
        takeOnce: async (id, message) => {
          if (id > (handled.at(-1)?.id ?? 0n))
            handled.push({ ...(message as Omit<Handled, 'id'>), id })
        },
      })
    },
    behave: (next: Behaviour) => {
      behaviour = next
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
