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

/**
 * Lets contestants run in turns: in each round every one of them once, in rotating order. What they
 * say they did is checked against the number of events in their stores.
 *
 * @param isKept - one store for all rounds, for stores that take long to fill; else a new one each time,
 *   of which none is forgotten before the end: code that was compiled for a store that is gone is
 *   thrown away, which no program with one store ever sees
 */
export const runRounds = async (
  contestants: readonly Contestant[],
  { rounds, warmUps }: Effort,
  isKept = false,
): Promise<readonly Measured[]> => {
  const kept = isKept ? await Promise.all(contestants.map(({ open }) => open())) : []
  const used: Subject[] = []
  const nanoseconds: number[][] = contestants.map(() => [])
  const done = contestants.map(() => 0)
  for (let round = 0; round < warmUps + rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const index = (round + turn) % contestants.length
      const contestant = contestants[index]
      if (!contestant) continue
      const subject = kept[index] ?? (await contestant.open())
      used.push(subject)
      const took = await runRound(subject, contestant, done[index] ?? 0)
      if (round >= warmUps) nanoseconds[index]?.push(took / contestant.calls)
      if (isKept) done[index] = (done[index] ?? 0) + contestant.calls
      else await subject.close()
    }
  }
  for (const subject of kept) await subject.close()
  return contestants.map(({ name }, index) => ({ name, nanoseconds: nanoseconds[index] ?? [] }))
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
