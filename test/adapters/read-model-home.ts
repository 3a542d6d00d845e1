import type { EventStore, ReadModel } from '../../src/index.js'
import type { ReadModelHome } from '../../src/laws/index.js'
import type { EventRestore } from '../../src/ports/event-store.js'

interface Opened {
  readonly store: EventStore & Partial<EventRestore>
  readonly readModel: ReadModel
}

/** A home in databases: `newName` names the next one, `openNamed` opens it. One is used again while its log is empty. */
export const databaseHome = (
  newName: () => string,
  openNamed: (name: string) => Opened | Promise<Opened>,
): ReadModelHome => {
  let name = ''
  let last: Opened | undefined
  const reopen = async () => {
    const opened = await openNamed(name)
    last = { ...opened, readModel: withLog(opened) }
    return last.readModel
  }
  return {
    open: async () => {
      if (last && (await last.store.lastPosition()) === 0n) {
        await last.readModel.reset()
        return last.readModel
      }
      name = newName()
      return reopen()
    },
    reopen,
    store: () => last?.store,
  }
}

/**
 * The read model of a database, whose history is the log: the events of a law are restored into the log before they are
 * applied, as far as it takes them.
 */
export const withLog = ({ store, readModel }: Opened): ReadModel => {
  if (!store.restore) return readModel
  const withEvents: ReadModel = {
    ...readModel,
    apply: async (from, events) => {
      const last = await store.lastPosition()
      const missing = events.filter(({ position }) => position > last)
      await store.restore?.(missing).catch(() => undefined)
      return readModel.apply(from, events)
    },
    ...(readModel.readAtHead && {
      readAtHead: (pair) =>
        pair.readModel === withEvents ? readModel.readAtHead?.({ ...pair, readModel }) : undefined,
    }),
  }
  return withEvents
}
