import { type Iam, StoreFault } from 'claviger'
import { chance, pause, pick } from './chance.ts'
import { usedMemory } from './heap.ts'
import { startHost, type Troubles } from './host.ts'
import type { Ledger } from './ledger.ts'
import { sendAny } from './load.ts'
import type { Place } from './place.ts'

/** Longest pause of a worker between two calls, in milliseconds. */
const LONGEST_PAUSE = 12

/** Between two disturbances, and two programs that come and go, in milliseconds. */
const DISTURB_EVERY = 1_000
const VISIT_EVERY = 300

/** How many calls a program sends that comes and goes. */
const CALLS_OF_A_VISIT = 5

/** How often memory is looked at for one sample, and the time between, in milliseconds. */
const LOOKS = 5
const BETWEEN_LOOKS = 20

/** What all share who work on a log. */
export interface Work {
  readonly place: Place
  readonly ledger: Ledger
  readonly troubles: Troubles
  /** Of the host of every call; it never aborts, so whatever listens to it for ever adds up. */
  readonly signal: AbortSignal
  /** How long there is to go on, in milliseconds; 0 when nothing is to be begun any more. */
  readonly left: () => number
}

/** Runs `turn` again and again, with a pause in between, for as long as there is time. */
const keep = async ({ left }: Work, longest: () => number, turn: () => Promise<void>) => {
  while (left() > 0) {
    await turn()
    await pause(Math.min(left(), longest()))
  }
}

/** Sends one call after the other to `iam`. */
export const keepCalling = (iam: Iam, work: Work): Promise<void> =>
  keep(
    work,
    () => pick(LONGEST_PAUSE),
    () => sendAny(iam, work.ledger, work.signal),
  )

/** Lets things go wrong. */
export const keepDisturbing = (work: Work): Promise<void> =>
  keep(work, () => DISTURB_EVERY, work.place.disturb)

/** Starts programs that send some calls and end, sometimes before they have the answers. */
export const keepVisiting = (work: Work): Promise<void> =>
  keep(
    work,
    () => VISIT_EVERY,
    async () => {
      try {
        await visit(work)
      } catch (error) {
        // The server is just away.
        if (!(error instanceof StoreFault)) throw error
      }
    },
  )

const visit = async ({ place, ledger, troubles, signal }: Work): Promise<void> => {
  const { iam, close } = await startHost(place, troubles)
  const calls = Array.from({ length: CALLS_OF_A_VISIT }, () => sendAny(iam, ledger, signal))
  if (chance(0.5)) await Promise.all(calls)
  await close()
  await Promise.all(calls)
}

/** Takes samples of the memory in use, other than that of the ledger. */
export const keepSampling = (work: Work, every: number, samples: number[]): Promise<void> =>
  keep(
    work,
    () => every,
    async () => {
      const looks: number[] = []
      for (let look = 0; look < LOOKS; look++) {
        looks.push(usedMemory() - work.ledger.bytes)
        await pause(BETWEEN_LOOKS)
      }
      // The least holds the least of what is only under way.
      samples.push(Math.min(...looks))
    },
  )
