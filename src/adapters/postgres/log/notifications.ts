import type { Client } from 'pg'
import { listeners } from '../../store/listeners.js'
import type { Connections } from '../connection/connections.js'
import { keepListening } from './listen.js'

/** Least time between two notifications of one process, in milliseconds. */
const INTERVAL = 10

/** Tells who waits for new events, in this process and in others, that there are some. */
export interface News {
  /** Calls `wake` when new events may be there; the function returned ends the calls. */
  readonly onAppend: (wake: () => void) => () => void
  /** Tells that something was committed. Others hear of it a little later, once for many. */
  readonly tell: () => void
  readonly close: () => Promise<void>
}

/** How news travels: `connect` opens a connection that is kept, `connections` send notifications. */
export interface NewsRoutes {
  readonly connections: Connections
  readonly connect: () => Promise<Client>
  readonly channel: string
}

/** @see News */
export const newsOf = ({ connections, connect, channel }: NewsRoutes): News => {
  const { add, isEmpty, wakeAll } = listeners()
  let listening: ReturnType<typeof keepListening> | undefined
  let isWaiting = false
  let isDue = false

  const notify = async (): Promise<void> => {
    isDue = false
    isWaiting = true
    // Lost notifications do no harm: who waits looks from time to time anyway.
    await connections.read({ text: `NOTIFY "${channel}"` }).catch(() => undefined)
    setTimeout(() => {
      isWaiting = false
      if (isDue && !connections.isClosed()) void notify()
    }, INTERVAL).unref()
  }

  const endListening = async (): Promise<void> => {
    const ending = listening
    listening = undefined
    await ending?.end()
  }

  return {
    tell: () => {
      wakeAll()
      isDue = true
      if (!isWaiting) void notify()
    },
    onAppend: (wake) => {
      const remove = add(wake)
      if (!connections.isClosed()) {
        listening ??= keepListening({ connect, channel, wake: wakeAll })
      }
      return () => {
        remove()
        if (isEmpty()) void endListening()
      }
    },
    close: endListening,
  }
}
