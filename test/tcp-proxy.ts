import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** When a connection is cut: before the request that holds a text gets through, or before its answer. */
export type Moment = 'before the request' | 'before the answer'

/** A network between a client and a server on this machine, with faults on demand. */
export interface TcpProxy {
  readonly port: number
  /** Cuts the connection over which `text` is sent next; that server has or has not read it. */
  readonly cutAt: (text: string, moment: Moment) => void
  /** From now on whatever is sent is kept back, in both directions, until `resume`. */
  readonly freeze: () => void
  /** Freezes once `text` is sent, which is kept back already, and resolves then. */
  readonly freezeAt: (text: string) => Promise<void>
  readonly resume: () => void
  /** Cuts every connection. */
  readonly cut: () => void
  /** Leads new connections to another server. */
  readonly leadTo: (port: number) => void
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** @param target - port of the server */
export const tcpProxy = async (target: number): Promise<TcpProxy> => {
  const sockets = new Set<Socket>()
  let port = target
  let fault: { readonly text: string; readonly moment: Moment } | undefined
  let isFrozen = false
  let trap: { readonly text: string; readonly reach: () => void } | undefined

  const freeze = (): void => {
    isFrozen = true
    for (const socket of sockets) socket.pause()
  }

  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    if (isFrozen) socket.pause()
  }

  const server = createServer((client) => {
    const upstream = connect({ port, host: '127.0.0.1' })
    keep(client)
    keep(upstream)
    let isDoomed = false
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    client.on('close', end)
    upstream.on('close', end)
    client.on('data', (chunk) => {
      if (trap && chunk.includes(trap.text)) {
        freeze()
        client.unshift(chunk)
        return trap.reach()
      }
      const isMeant = fault !== undefined && chunk.includes(fault.text)
      if (isMeant && fault?.moment === 'before the request') end()
      else upstream.write(chunk)
      if (!isMeant) return
      isDoomed = true
      fault = undefined
    })
    upstream.on('data', (chunk) => {
      if (isDoomed) end()
      else client.write(chunk)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()

  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cutAt: (text, moment) => {
      fault = { text, moment }
    },
    freeze,
    freezeAt: (text) =>
      new Promise((resolve) => {
        trap = { text, reach: resolve }
      }),
    resume: () => {
      trap = undefined
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    leadTo: (next) => {
      port = next
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
