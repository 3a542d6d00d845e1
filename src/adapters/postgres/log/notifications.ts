import { type Environment, systemEnvironment } from '../../../ports/environment.js'
import { listeners } from '../../store/record-events.js'
import type { Connections } from '../connection/connections.js'
import type { PostgresDriver } from '../driver.js'

/** Longest wait for the end of a connection that is being opened, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000

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

/** `driver` listens, if it can; `connections` send. */
export const notificationsOn = ({
  connections,
  driver,
  channel,
  environment = systemEnvironment,
}: {
  readonly environment?: Environment
  readonly connections: Connections
  readonly driver: Pick<PostgresDriver, 'listen'>
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
      if (driver.listen && !connections.isClosed())
        listening ??= keepListening(driver.listen.bind(driver, channel), wakeAll, environment)
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
 * Listens until `end`, again each time that it was lost. Does not keep the program alive.
 *
 * @param listen - listens until it calls `lost`; resolves with what ends it
 */
export const keepListening = (
  listen: (wake: () => void, lost: () => void) => Promise<() => unknown>,
  wake: () => void,
  { sleep, random }: Environment = systemEnvironment,
): { readonly end: () => Promise<void> } => {
  let isEnded = false
  let stop: (() => unknown) | undefined
  let pause = MIN_PAUSE_MS

  const wakeUnlessEnded = () => {
    if (!isEnded) wake()
  }

  const disconnect = async (): Promise<void> => {
    const ending = stop
    stop = undefined
    try {
      await ending?.()
    } catch {
      // Its connection is gone.
    }
  }

  const run = async (): Promise<void> => {
    if (isEnded) return
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
    try {
      stop = await listen(wakeUnlessEnded, lose)
      pause = MIN_PAUSE_MS
      // Unless `end` was called while it connected.
      if (!isEnded) await lost
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
      if (stop) return disconnect()
      // It is still connecting, which may never end.
      const connected = new AbortController()
      void running.then(() => connected.abort())
      await sleep(CLOSE_TIMEOUT_MS, connected.signal)
    },
  }
}
