import type { Client } from 'pg'

/** Pause before another try to connect, in milliseconds; doubled each time. */
const SHORTEST_PAUSE = 100
const LONGEST_PAUSE = 10_000

/** Most that the end of a connection is waited for, in milliseconds: it has nothing left to do. */
const FAREWELL = 1_000

/** Cuts `client` soon after it was told to end: a silent server would never end it. */
export const limitFarewell = (client: Client): void => {
  const limit = setTimeout(() => client.connection.stream.destroy(), FAREWELL)
  client.once('end', () => clearTimeout(limit))
}

/** What is listened to, and who is to know. */
export interface Listening {
  readonly connect: () => Promise<Client>
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
  let current: Client | undefined
  let pause = SHORTEST_PAUSE

  const giveUp = async (): Promise<void> => {
    const client = current
    current = undefined
    if (!client) return
    limitFarewell(client)
    await client.end()
  }

  const later = (): void => {
    if (isEnded) return
    const begin = () => {
      running = run()
    }
    setTimeout(begin, pause * (0.5 + Math.random() / 2)).unref()
    pause = Math.min(2 * pause, LONGEST_PAUSE)
  }

  const listen = async (client: Client): Promise<void> => {
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
      current = await connect()
      // Unless it was ended while that was on its way.
      if (!isEnded) await listen(current)
    } catch {
      // Away, or not willing: what is missed meanwhile is found by those who look anyway.
    }
    await giveUp()
    later()
  }

  let running = run()
  return {
    end: async () => {
      isEnded = true
      if (current) return giveUp()
      // One that is on its way is given up when it comes: late, or never.
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
