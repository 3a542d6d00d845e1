import type { EventStore, ReadModel } from '../../src/index.js'
import type { ReadModelHome } from '../../src/testing/index.js'

interface Opened {
  readonly store: EventStore
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
    last = await openNamed(name)
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
