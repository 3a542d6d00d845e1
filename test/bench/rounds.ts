import type { Contestant, Subject } from './system.ts'

/** How much is measured. */
export interface Effort {
  /** Rounds that count; each contestant runs once in each. */
  readonly rounds: number
  /** Rounds before that, the same for all. */
  readonly warmUps: number
}

/** What the rounds of one contestant came to. */
export interface Measured {
  readonly name: string
  /** Nanoseconds per call, by round. */
  readonly nanoseconds: readonly number[]
}

/** A contestant that is ready to run, wherever that is. */
export interface Runner {
  readonly name: string
  /** Makes the calls of one round. @returns nanoseconds per call */
  readonly run: () => Promise<number>
  readonly end: () => Promise<void>
}

/** Lets runners run in turns: in each round every one of them once, in rotating order. */
export const takeTurns = async (
  runners: readonly Runner[],
  { rounds, warmUps }: Effort,
): Promise<readonly Measured[]> => {
  const nanoseconds: number[][] = runners.map(() => [])
  for (let round = 0; round < warmUps + rounds; round++) {
    for (let turn = 0; turn < runners.length; turn++) {
      const index = (round + turn) % runners.length
      const took = await runners[index]?.run()
      if (took !== undefined && round >= warmUps) nanoseconds[index]?.push(took)
    }
  }
  for (const runner of runners) await runner.end()
  return runners.map(({ name }, index) => ({ name, nanoseconds: nanoseconds[index] ?? [] }))
}

/** {@link takeTurns} in this process. */
export const runRounds = (
  contestants: readonly Contestant[],
  effort: Effort,
  isKept = false,
): Promise<readonly Measured[]> =>
  takeTurns(
    contestants.map((contestant) => runnerOf(contestant, isKept)),
    effort,
  )

/**
 * A contestant that runs in this process. What it says it did is checked against the number of events
 * in its store.
 *
 * @param isKept - one store for all rounds, for stores that take long to fill; else a new one each time
 */
export const runnerOf = (contestant: Contestant, isKept: boolean): Runner => {
  let kept: Subject | undefined
  let done = 0
  return {
    name: contestant.name,
    run: async () => {
      const subject = kept ?? (await contestant.open())
      const took = await runRound(subject, contestant, done)
      if (isKept) {
        kept = subject
        done += contestant.calls
      } else await subject.close()
      return took / contestant.calls
    },
    end: async () => kept?.close(),
  }
}

/** @returns nanoseconds that all calls took together */
const runRound = async (
  subject: Subject,
  { name, calls, inFlight }: Contestant,
  first: number,
): Promise<number> => {
  const before = await subject.countEvents()
  globalThis.gc?.()
  const begin = process.hrtime.bigint()
  await drive(subject.call, { first, calls, inFlight })
  const took = Number(process.hrtime.bigint() - begin)
  const recorded = (await subject.countEvents()) - before
  if (recorded !== calls) throw new Error(`${name} recorded ${recorded} events in ${calls} calls`)
  return took
}

const drive = async (
  call: Subject['call'],
  { first, calls, inFlight }: { first: number; calls: number; inFlight: number },
): Promise<void> => {
  const end = first + calls
  let next = first
  const caller = async (): Promise<void> => {
    while (next < end) await call(next++)
  }
  await Promise.all(Array.from({ length: inFlight }, caller))
}

/** The middle of `values`. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = sorted.length >> 1
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]]
  return sorted.length % 2 === 1 ? high : (low + high) / 2
}

/** How many times as fast `one` is as `other`: the median over the rounds, each compared with its pair. */
export const timesAsFast = (one: Measured, other: Measured): number =>
  median(one.nanoseconds.map((took, round) => (other.nanoseconds[round] ?? Number.NaN) / took))
