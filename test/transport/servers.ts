import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import type { NodeHandler } from 'claviger/transport'

/** Servers without TLS whose handler can be exchanged from one call to the next. */
export interface Servers {
  /** `http://localhost:<port>`, HTTP/1.1. */
  readonly http: string
  /** `http://localhost:<port>`, HTTP/2. */
  readonly http2: string
  handler: NodeHandler
  readonly close: () => Promise<void>
}

/** Begins to listen on two ports that were free. */
export const openServers = async (): Promise<Servers> => {
  const plain = createHttpServer((request, response) => servers.handler(request, response))
  const multiplexed = createHttp2Server((request, response) => servers.handler(request, response))
  const servers: Servers = {
    http: await listening(plain),
    http2: await listening(multiplexed),
    handler: (_request, response) => response.destroy(),
    close: async () => {
      plain.closeAllConnections()
      await Promise.all([closed(plain), closed(multiplexed)])
    },
  }
  return servers
}

/** The address of a server once it listens. */
export const listening = (server: Server): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      resolve(`http://127.0.0.1:${port}`)
    })
  })

/** Ends once the server has no connection left. */
export const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => server.close(() => resolve()))
