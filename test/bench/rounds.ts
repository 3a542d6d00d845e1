import type { Took } from './world-process.ts'

/** How much is measured. */
export interface Scale {
  /** Rounds that count; each system runs once in each. */
  readonly rounds: number
  /** About how long a round of one system takes, in milliseconds. */
  readonly milliseconds: number
  /** How long each job of a system runs before that, in milliseconds, until the engine has compiled what runs often. */
  readonly warmUp: number
  /** Events in a large store. */
  readonly large: number
  /** The part of the grants that other stores have. */
  readonly share: number
}

export const FULL: Scale = {
  rounds: 9,
  milliseconds: 500,
  warmUp: 1_500,
  large: 1_000_000,
  share: 1,
}
export const QUICK: Scale = { rounds: 5, milliseconds: 120, warmUp: 400, large: 50_000, share: 1 }
/** Shows that each part runs; its figures say nothing. */
export const SHORT: Scale = { rounds: 1, milliseconds: 5, warmUp: 0, large: 2_000, share: 0.02 }

/** What the rounds of one system took. */
export interface Measured {
  readonly name: string
  readonly rounds: readonly Took[]
}

/** A system that is ready to run, wherever that is. */
export interface Runner {
  readonly name: string
  readonly run: () => Promise<Took>
}

/** Lets runners run in turns: in each round every one of them once, in rotating order. */
export const takeTurns = async (
  runners: readonly Runner[],
  { rounds }: Pick<Scale, 'rounds'>,
): Promise<readonly Measured[]> => {
  const taken: Took[][] = runners.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < runners.length; turn++) {
      const index = (round + turn) % runners.length
      const took = await runners[index]?.run()
      if (took) taken[index]?.push(took)
    }
  }
  return runners.map(({ name }, index) => ({ name, rounds: taken[index] ?? [] }))
}

/** The middle of `values`. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = sorted.length >> 1
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]]
  return sorted.length % 2 === 1 ? high : (low + high) / 2
}

/** How many times as long `one` takes as `other`: the median over the rounds, each compared with its pair. */
export const timesAsLong = (one: Measured, other: Measured, by: keyof Took): number =>
  median(one.rounds.map((took, round) => took[by] / (other.rounds[round]?.[by] ?? Number.NaN)))
