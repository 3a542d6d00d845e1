import type { ClientBase } from 'pg'

/** A connection of its own for LISTEN, and how it is given back. */
export interface DirectConnection {
  readonly client: ClientBase
  readonly end: () => Promise<void>
}

/** Pause before another try to connect, in milliseconds; doubled each time. */
const SHORTEST_PAUSE = 100
const LONGEST_PAUSE = 10_000

/** Most that the end of a connection is waited for, in milliseconds: it has nothing left to do. */
export const FAREWELL = 1_000

/** What is listened to, and who is to know. */
export interface Listening {
  readonly connect: () => Promise<DirectConnection>
  readonly channel: string
  readonly wake: () => void
}

/**
 * Listens on a connection of its own until it is ended. A connection that is lost is replaced; after
 * that `wake` is called, for notifications may have been missed. Does not keep the program alive.
 */
export const keepListening = ({
  connect,
  channel,
  wake,
}: Listening): { readonly end: () => Promise<void> } => {
  let isEnded = false
  let current: DirectConnection | undefined
  let pause = SHORTEST_PAUSE

  const giveUp = async (connection: DirectConnection): Promise<void> => {
    if (current === connection) current = undefined
    await connection.end().catch(() => undefined)
  }

  const later = (): void => {
    if (isEnded) return
    const begin = () => {
      running = run()
    }
    setTimeout(begin, pause * (0.5 + Math.random() / 2)).unref()
    pause = Math.min(2 * pause, LONGEST_PAUSE)
  }

  const listen = async (connection: DirectConnection): Promise<void> => {
    const { client } = connection
    client.on('notification', wake)
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
    client.on('error', () => lose())
    client.on('end', () => lose())
    await client.query(`LISTEN "${channel}"`)
    pause = SHORTEST_PAUSE
    wake()
    await lost
  }

  const run = async (): Promise<void> => {
    if (isEnded) return
    try {
      const connection = await connect()
      current = connection
      // Ended while it was on its way.
      if (!isEnded) await listen(connection).finally(() => giveUp(connection))
      else await giveUp(connection)
    } catch {
      // Away, or not willing: what is missed meanwhile is found by those who look anyway.
    }
    later()
  }

  let running = run()
  return {
    end: async () => {
      isEnded = true
      if (current) return giveUp(current)
      // One that is on its way is given up when it comes; a pool may lend it late, or never.
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, FAREWELL)
        void running.then(() => {
          clearTimeout(limit)
          resolve()
        })
      })
    },
  }
}
