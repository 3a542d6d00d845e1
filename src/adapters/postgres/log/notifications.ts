import type { Client } from 'pg'
import { listeners } from '../../store/listeners.js'
import type { Connections } from '../connection/connections.js'
import { keepListening } from './listen.js'

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
}: {
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
    setTimeout(() => {
      isPausing = false
      if (isDue && !connections.isClosed()) void notify()
    }, INTERVAL_MS).unref()
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
      if (!connections.isClosed()) {
        listening ??= keepListening({ connect, channel, wake: wakeAll })
      }
      return () => {
        remove()
        if (isEmpty()) void stopListening()
      }
    },
    close: stopListening,
  }
}
