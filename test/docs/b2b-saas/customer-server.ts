import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

export interface Handled {
  /** Position of the change. */
  readonly id: bigint
  readonly type: string
  readonly orgid: string
  readonly time: string
  /** As history has it. */
  readonly data: {
    readonly object: Readonly<Record<string, string>>
    readonly changes: readonly { readonly field: string; readonly to?: unknown }[]
  }
}

/** What a test makes of a message, by its id; all is taken and answered as it should be when absent. */
export interface Behaviour {
  /** Refuses it with this status before it is dealt with. */
  readonly refuse?: (id: bigint) => number | undefined
  /** Called once it was dealt with; may answer with another status. */
  readonly answer?: (id: bigint) => Promise<number | undefined>
}

/** What a customer runs: checks signatures, and takes each message once. */
export const startCustomerServer = async () => {
  const handled: Handled[] = []
  const seen = new Set<string>()
  const delivered: { readonly id: bigint; readonly status: number; readonly body: string }[] = []
  let behaviour: Behaviour = {}
  let webhook: Webhook | undefined

  const isSigned = (body: string, headers: Readonly<Record<string, string>>): boolean => {
    try {
      webhook?.verify(body, headers)
      return webhook !== undefined
    } catch {
      return false
    }
  }

  const server = createServer(async (request, response) => {
    const headers = request.headers as Readonly<Record<string, string>>
    const body = await text(request)
    const name = String(headers['webhook-id'])
    const id = BigInt(name.split('-')[1] ?? -1)
    const refused = behaviour.refuse?.(id)
    const status = refused ?? (isSigned(body, headers) ? 204 : 401)
    if (status === 204 && !seen.has(name)) {
      seen.add(name)
      handled.push({ ...JSON.parse(body), id })
    }
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
      webhook = new Webhook(secret)
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
