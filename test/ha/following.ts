import type { Iam, Position, Projection } from 'claviger'

/** A subscription and a projection that keep what they see. */
export interface Following {
  readonly isAt: (head: Position) => boolean
  /** Ends them; the positions that each of them saw, in turn. */
  readonly end: () => Promise<Readonly<Record<string, readonly string[]>>>
}

/** @see Following */
export const startFollowing = (iam: Iam): Following => {
  const stop = new AbortController()
  const subscription: Position[] = []
  const projection: Position[] = []

  const subscribe = async (): Promise<void> => {
    for await (const { position } of iam.subscribe({ signal: stop.signal }))
      subscription.push(position)
  }
  const running = Promise.all([subscribe(), iam.run(keeping(projection), { signal: stop.signal })])
  return {
    isAt: (head) => [subscription, projection].every((seen) => seen.at(-1) === head),
    end: async () => {
      stop.abort()
      await running
      return { subscription: subscription.map(String), projection: projection.map(String) }
    },
  }
}

const keeping = (seen: Position[]): Projection => ({
  name: 'keeping',
  checkpoint: async () => seen.at(-1) ?? 0n,
  apply: async (from, events) => {
    if (from !== (seen.at(-1) ?? 0n)) return false
    seen.push(...events.map(({ position }) => position))
    return true
  },
  reset: async () => {
    seen.length = 0
  },
})
