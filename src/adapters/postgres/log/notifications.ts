import type { Client } from 'pg'
import { type Environment, systemEnvironment } from '../../../ports/environment.js'
import { listeners } from '../../store/record-events.js'
import { CLOSE_TIMEOUT_MS, limitClose } from '../connection/clients.js'
import type { Connections } from '../connection/connections.js'

/** Least time between two notifications of one process, in milliseconds. */
const INTERVAL_MS = 10

/** Notifications of new events, in this process and to others. */
export interface Notifications {
  /** Calls `wake` when there may be new events; the function returned ends the calls. */
  readonly onAppend: (wake: () => void) => () => void
  /** Reports a commit: to this process at once, to others a little later, once for many commits. */
  readonly send: () => void
  readonly close: () => Promise<void>
}

/** `connect` opens the connection that listens; `connections` send. */
export const notificationsOn = ({
  connections,
  connect,
  channel,
  environment = systemEnvironment,
}: {
  readonly environment?: Environment
  readonly connections: Connections
  readonly connect: () => Promise<Client>
  readonly channel: string
}): Notifications => {
  const { add, isEmpty, wakeAll } = listeners()
  let listening: ReturnType<typeof keepListening> | undefined
  let isPausing = false
  let isDue = false

  const notify = async (): Promise<void> => {
    isDue = false
    isPausing = true
    // A lost notification does no harm: subscribers also poll.
    await connections.read({ text: `NOTIFY "${channel}"` }).catch(() => undefined)
    await environment.sleep(INTERVAL_MS, undefined, true)
    isPausing = false
    if (isDue && !connections.isClosed()) void notify()
  }

  const stopListening = async (): Promise<void> => {
    const ending = listening
    listening = undefined
    await ending?.end()
  }

  return {
    send: () => {
      wakeAll()
      isDue = true
      if (!isPausing) void notify()
    },
    onAppend: (wake) => {
      const remove = add(wake)
      if (!connections.isClosed())
        listening ??= keepListening({ connect, channel, wake: wakeAll, environment })
      return () => {
        remove()
        if (isEmpty()) void stopListening()
      }
    },
    close: stopListening,
  }
}

/** Pause before another try to connect, in milliseconds; doubled each time. */
const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 10_000

/**
 * Listens on a connection of its own until `end`. A lost connection is replaced, and `wake` is called then,
 * because notifications may have been missed. Does not keep the program alive.
 */
export const keepListening = ({
  connect,
  channel,
  wake,
  environment: { sleep, random } = systemEnvironment,
}: {
  readonly environment?: Environment
  readonly connect: () => Promise<Client>
  readonly channel: string
  readonly wake: () => void
}): { readonly end: () => Promise<void> } => {
  let isEnded = false
  let current: Client | undefined
  let pause = MIN_PAUSE_MS

  const disconnect = async (): Promise<void> => {
    const client = current
    current = undefined
    if (!client) return
    limitClose(client)
    await client.end()
  }

  const listen = async (client: Client): Promise<void> => {
    client.on('notification', wake)
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
    client.on('error', () => lose())
    client.on('end', () => lose())
    await client.query(`LISTEN "${channel}"`)
    pause = MIN_PAUSE_MS
    wake()
    await lost
  }

  const run = async (): Promise<void> => {
    if (isEnded) return
    try {
      current = await connect()
      // Unless `end` was called while it connected.
      if (!isEnded) await listen(current)
    } catch {
      // The server cannot be reached or does not listen: subscribers poll meanwhile.
    }
    await disconnect()
    if (isEnded) return
    const runAgain = () => {
      running = run()
    }
    sleep(pause * (0.5 + random() / 2), undefined, true).then(runAgain)
    pause = Math.min(2 * pause, MAX_PAUSE_MS)
  }

  let running = run()
  return {
    end: async () => {
      isEnded = true
      if (current) return disconnect()
      // It is connecting, which may take for ever.
      const connected = new AbortController()
      void running.then(() => connected.abort())
      await sleep(CLOSE_TIMEOUT_MS, connected.signal)
    },
  }
}
