import { type Effort, type Measured, median } from './rounds.ts'

/** Work that is timed as a whole. */
export interface Job {
  readonly name: string
  /** How many operations {@link Job.run} does. */
  readonly operations: number
  /** Prepares what is not to be timed. */
  readonly prepare?: () => Promise<unknown>
  /** @returns what shows that the work was done */
  readonly run: () => Promise<number>
  readonly expected: number
}

/** What the rounds of a job came to. */
export interface Timed {
  readonly measured: Measured
  readonly perSecond: number
}

/** Does jobs in turns: each round every one of them once, in rotating order. */
export const runTimed = async (
  { rounds, warmUps }: Effort,
  jobs: readonly Job[],
): Promise<readonly Timed[]> => {
  const nanoseconds: number[][] = jobs.map(() => [])
  for (let round = 0; round < warmUps + rounds; round++) {
    for (let turn = 0; turn < jobs.length; turn++) {
      const index = (round + turn) % jobs.length
      const job = jobs[index]
      if (!job) continue
      const took = await time(job)
      if (round >= warmUps) nanoseconds[index]?.push(took / job.operations)
    }
  }
  return jobs.map(({ name }, index) => {
    const measured = { name, nanoseconds: nanoseconds[index] ?? [] }
    return { measured, perSecond: 1e9 / median(measured.nanoseconds) }
  })
}

const time = async ({ name, prepare, run, expected }: Job): Promise<number> => {
  await prepare?.()
  globalThis.gc?.()
  const begin = process.hrtime.bigint()
  const done = await run()
  const took = Number(process.hrtime.bigint() - begin)
  if (done !== expected) throw new Error(`${name} came to ${done} instead of ${expected}`)
  return took
}
