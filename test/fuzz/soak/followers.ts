import type { Iam, Position, Projection } from 'claviger'
import { soon } from './chance.ts'

/** How long they may be behind the log once nothing is written any more, in milliseconds. */
const PATIENCE = 30_000

/** Who is told of every event while a log is under load. */
export interface Followers {
  /** Ends them once they are at `head`, the last of `events`; what they saw otherwise than recorded. */
  readonly end: (head: Position, events: number) => Promise<readonly string[]>
}

/** What one of them has seen so far. */
interface Seen {
  position: Position
  events: number
}

/** Starts a subscription and a projection. */
export const startFollowers = (iam: Iam): Followers => {
  const stop = new AbortController()
  const subscription: Seen = { position: 0n, events: 0 }
  const projection: Seen = { position: 0n, events: 0 }
  const problems: string[] = []

  const subscribe = async (): Promise<void> => {
    for await (const { position } of iam.subscribe({ signal: stop.signal })) {
      if (position <= subscription.position) problems.push(`the subscription saw ${position} late`)
      subscription.position = position
      subscription.events++
    }
  }

  const run = async (): Promise<void> => {
    const ended = await iam.run(countingProjection(projection), { signal: stop.signal })
    if (ended.isErr()) problems.push(`the projection ended: ${ended.error.kind}`)
  }

  const running = Promise.all([subscribe(), run()])
  return {
    end: async (head, events) => {
      const all = { subscription, projection }
      await soon(() => Object.values(all).every(({ position }) => position >= head), PATIENCE)
      stop.abort()
      await running
      for (const [name, seen] of Object.entries(all)) {
        if (seen.events === events && seen.position === head) continue
        problems.push(`the ${name} saw ${seen.events} of ${events} events, to ${seen.position}`)
      }
      return problems
    },
  }
}

const countingProjection = (seen: Seen): Projection => ({
  name: 'count',
  checkpoint: async () => seen.position,
  apply: async (from, events) => {
    if (from !== seen.position) return false
    seen.position = events.at(-1)?.position ?? from
    seen.events += events.length
    return true
  },
  reset: async () => {
    seen.position = 0n
    seen.events = 0
  },
})
