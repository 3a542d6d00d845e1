import {
  HELD_ROLE,
  isHeld,
  newGrantOf,
  type Place,
  projectIdOf,
  questionOf,
  type World,
} from '../world.ts'
import type { GrantKey } from './tables.ts'

/** The queries that a host writes with a query builder. */
export interface Queries {
  readonly has: (grant: GrantKey) => PromiseLike<boolean>
  /** Adds a grant and its audit row in one transaction. */
  readonly add: (grant: GrantKey) => PromiseLike<unknown>
  /** The 20 grants after this one, by user and project. */
  readonly pageAfter: (
    grant: Pick<GrantKey, 'userId' | 'projectId'>,
  ) => PromiseLike<readonly GrantKey[]>
  readonly close: () => Promise<void>
}

/** The jobs of the benchmark, done by such queries. */
export const byHand = (place: Place, { has, add, pageAfter, close }: Queries): World => {
  const newOne = (index: number) => ({ ...newGrantOf(index), roleKey: HELD_ROLE })
  const first = { userId: '', projectId: projectIdOf(0) }
  let last: Pick<GrantKey, 'userId' | 'projectId'> = first
  return {
    jobs: {
      check: {
        call: async (index) => (await has(questionOf(index, place))) === isHeld(index),
      },
      add: {
        call: async (index) => {
          await add(newOne(index))
          return true
        },
      },
      'add, then get': {
        call: async (index) => {
          await add(newOne(index))
          return has(newOne(index))
        },
      },
      list: {
        call: async () => {
          const rows = await pageAfter(last)
          last = rows.at(-1) ?? first
          return true
        },
      },
    },
    close,
  }
}
