import { setTimeout } from 'node:timers/promises'
import { analyzeDatabases } from './databases.ts'
import { openSystem, type SystemName } from './systems.ts'
import type { Job, Place } from './world.ts'

// Opens one world, and runs a round of one of its jobs whenever its parent says so.

/** What the parent asks for. */
export interface RoundRequest {
  readonly job: string
  readonly inFlight: number
  /** About how long a round takes. */
  readonly milliseconds: number
  /** How long the job runs before its first round. */
  readonly warmUp: number
  /** By which of the two it is timed. */
  readonly by: keyof Took
}

/** What a round took: nanoseconds per operation. */
export interface Took {
  /** Of the processor, in this process with all its threads. */
  readonly cpu: number
  /** By the clock on the wall. */
  readonly wall: number
}

const drive = async ({ call }: Job, first: number, calls: number, inFlight: number) => {
  const end = first + calls
  let next = first
  const caller = async (): Promise<void> => {
    while (next < end) {
      const index = next++
      const answer = call(index)
      if (answer !== true && !(await answer)) throw new Error(`Call ${index} was answered wrongly`)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, caller))
}

/** How many calls were made, of all jobs: no index comes twice, so that no job adds what another one did. */
let made = 0

const timed = async (job: Job, calls: number, inFlight: number): Promise<Took> => {
  // What follows the log in the background gets its turn, which calls that never wait do not give it.
  await setTimeout(5)
  const first = made
  made += calls
  const cpuBegin = process.cpuUsage()
  const begin = process.hrtime.bigint()
  await drive(job, first, calls, inFlight)
  const wall = Number(process.hrtime.bigint() - begin)
  const { user, system } = process.cpuUsage(cpuBegin)
  const operations = calls * (job.operations ?? 1)
  return { cpu: ((user + system) * 1_000) / operations, wall: wall / operations }
}

const MOST_CALLS = 2_000_000

/** As many calls let the engine compile a job. Slow jobs make fewer. */
const WARM_UP_CALLS = 2_000

/** Runs a job, with more and more calls, until the engine has compiled it. @returns how many calls fill a round */
const warm = async (job: Job, { inFlight, milliseconds, warmUp, by }: RoundRequest) => {
  const [begin, before] = [performance.now(), made]
  for (let calls = inFlight; ; ) {
    await job.prepare?.()
    const took = (await timed(job, calls, inFlight))[by] * (job.operations ?? 1)
    const filling = Math.min(Math.ceil((milliseconds * 1e6) / took), MOST_CALLS)
    // A first call may have something to build.
    const time = performance.now() - begin
    const isWarm = time >= warmUp && (made - before >= WARM_UP_CALLS || time >= 2.5 * warmUp)
    if (isWarm && calls * 2 >= filling) return Math.max(inFlight, filling)
    calls = Math.max(inFlight, Math.min(calls * 2, filling))
  }
}

/** How many calls each job makes in a round with so much in flight. */
const rounds = new Map<string, number>()

const [systemName, placeText] = process.argv.slice(2)
const place: Place = JSON.parse(placeText ?? '')
const world = await openSystem(systemName as SystemName, place)
await analyzeDatabases()

process.on('message', async (request: RoundRequest) => {
  const job = world.jobs[request.job]
  if (!job) throw new Error(`${systemName} has no job ${request.job}`)
  const key = `${request.job}, ${request.inFlight}`
  const calls = rounds.get(key) ?? (await warm(job, request))
  rounds.set(key, calls)
  await job.prepare?.()
  globalThis.gc?.()
  process.send?.(await timed(job, calls, request.inFlight))
})
process.once('disconnect', async () => {
  await world.close()
  process.exit()
})
process.send?.(Object.keys(world.jobs))
