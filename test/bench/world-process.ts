import { openSystem, type SystemName } from './systems.ts'
import type { Job, Place } from './world.ts'

// Opens one world, and runs a round of one of its jobs whenever its parent says so.

/** What the parent asks for. */
export interface RoundRequest {
  readonly job: string
  readonly inFlight: number
  /** About how long a round takes. */
  readonly milliseconds: number
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

const time = async (job: Job, first: number, calls: number, inFlight: number): Promise<Took> => {
  await job.prepare?.()
  globalThis.gc?.()
  const cpuBegin = process.cpuUsage()
  const begin = process.hrtime.bigint()
  await drive(job, first, calls, inFlight)
  const wall = Number(process.hrtime.bigint() - begin)
  const { user, system } = process.cpuUsage(cpuBegin)
  const operations = calls * (job.operations ?? 1)
  return { cpu: ((user + system) * 1_000) / operations, wall: wall / operations }
}

const MOST_CALLS = 2_000_000

/** How many calls each job made, and how many it makes in a round with so much in flight. */
const progress = new Map<string, { made: number; calls: number; inFlight: number }>()

/** Doubles the calls until they take long enough to tell how many fill a round. */
const calibrate = async (job: Job, request: RoundRequest, made: number) => {
  const { inFlight, milliseconds, by } = request
  const state = { made, calls: inFlight, inFlight }
  const enough = (milliseconds * 1e6) / 2
  for (;;) {
    const each = await time(job, state.made, state.calls, inFlight)
    state.made += state.calls
    const took = each[by] * state.calls * (job.operations ?? 1)
    if (took < enough && state.calls < MOST_CALLS) {
      state.calls *= 2
      continue
    }
    state.calls = Math.max(inFlight, Math.round((state.calls * milliseconds * 1e6) / took))
    return state
  }
}

const [systemName, placeText] = process.argv.slice(2)
const place: Place = JSON.parse(placeText ?? '')
const world = await openSystem(systemName as SystemName, place)

process.on('message', async (request: RoundRequest) => {
  const job = world.jobs[request.job]
  if (!job) throw new Error(`${systemName} has no job ${request.job}`)
  const last = progress.get(request.job)
  const isKnown = last?.inFlight === request.inFlight
  const state = isKnown ? last : await calibrate(job, request, last?.made ?? 0)
  progress.set(request.job, state)
  const took = await time(job, state.made, state.calls, request.inFlight)
  state.made += state.calls
  process.send?.(took)
})
process.once('disconnect', async () => {
  await world.close()
  process.exit()
})
process.send?.(Object.keys(world.jobs))
