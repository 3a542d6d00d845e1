import type { PostgresConnection, PostgresRow, PostgresStatement } from '../driver.js'

/** How a driver runs statements and transactions that are functions. */
interface Callbacks<Within> {
  /** Runs `work` in a transaction, which is committed when it resolves and rolled back when it rejects. */
  readonly begin: (work: (within: Within) => Promise<void>) => Promise<unknown>
  /** Runs a statement, outside of transactions unless within one. */
  readonly rows: (statement: PostgresStatement, within?: Within) => Promise<readonly PostgresRow[]>
  /** Whether an error says that the connection is gone. Nothing of its transaction is used after that. */
  readonly isLost?: (error: unknown) => boolean
  /** Ends the session of a transaction. Without it a broken one is rolled back. */
  readonly endSession?: (within: Within) => Promise<unknown>
}

/** A transaction that was begun. */
interface Begun<Within> {
  readonly within: Within
  readonly commit: () => void
  readonly rollBack: (reason: unknown) => void
}

const ROLLED_BACK = new Error('Rolled back')

/**
 * The connection of a driver whose transactions are functions. Statements outside of transactions are run as the driver
 * does it.
 */
export const connectionByCallbacks = <Within>({
  begin,
  rows,
  isLost,
  endSession,
}: Callbacks<Within>): Omit<PostgresConnection, 'session'> => {
  let begun: Begun<Within> | undefined
  let ended: Promise<unknown> | undefined
  /** Why the connection is gone: some drivers crash when they are asked to end its transaction. */
  let lost: { readonly reason: unknown } | undefined

  const start = () =>
    new Promise<Begun<Within>>((resolve, reject) => {
      ended = begin(
        (within) => new Promise<void>((commit, rollBack) => resolve({ within, commit, rollBack })),
      )
      ended.catch((reason: unknown) => {
        lost = { reason }
        reject(reason)
      })
    })

  const finish = async (how: (begun: Begun<Within>) => void): Promise<void> => {
    if (begun === undefined) return
    how(begun)
    begun = undefined
    await ended
  }

  const commit = () => finish(({ commit }) => commit())

  const rollBack = () =>
    finish(({ rollBack }) => rollBack(ROLLED_BACK)).catch((reason: unknown) => {
      if (reason !== ROLLED_BACK) throw reason
    })

  const run = async (statement: PostgresStatement): Promise<readonly PostgresRow[]> => {
    try {
      return await rows(statement, begun?.within)
    } catch (reason) {
      if (isLost?.(reason)) lost = { reason }
      throw reason
    }
  }

  return {
    rows: async (statement) => {
      if (lost && begun) throw lost.reason
      const { text } = statement
      if (text === 'COMMIT' || text === 'ROLLBACK') {
        await (text === 'COMMIT' ? commit() : rollBack())
        return []
      }
      if (!text.startsWith('BEGIN')) return run(statement)
      begun = await start()
      return run({ ...statement, text: text.replace('BEGIN', 'SET TRANSACTION') })
    },
    release: (isBroken) => {
      if (lost || begun === undefined) return
      const ending = isBroken && endSession ? endSession(begun.within) : rollBack()
      ending.catch(() => undefined)
    },
  }
}
