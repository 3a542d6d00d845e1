import type { Effort } from './rounds.ts'
import type { Contestant, System, Task } from './system.ts'

/** How much a run does. */
export interface Scale extends Effort {
  /** Share of the calls of a full run. */
  readonly share: number
  /** Events in a large store. */
  readonly large: number
}

export const FULL: Scale = { rounds: 7, warmUps: 3, share: 1, large: 1_000_000 }
export const QUICK: Scale = { rounds: 5, warmUps: 4, share: 0.2, large: 20_000 }

/** Workload A, in a store that already holds `held` events. */
export const addRole = (held = 0): Task => ({ kind: 'add role', held })

/**
 * Workload B: as many streams as it takes that the rounds lengthen none of them by much, and never
 * more than the cache of states holds.
 */
export const updateProject = (events: 10 | 100 | 1000): Task => ({
  kind: 'update project',
  events,
  streams: { 10: 4096, 100: 1024, 1000: 128 }[events],
})

/** `system` at `task`, with `calls` per round in a full run. */
export const contestant = (
  system: System,
  task: Task,
  { calls, inFlight = 1, share }: { calls: number; inFlight?: number; share: number },
): Contestant => ({
  name: inFlight === 1 ? system.name : `${system.name}, ${inFlight} in flight`,
  open: () => system.open(task),
  // Whole groups, for systems that write a hundred at once.
  calls: Math.max(100, Math.round((calls * share) / 100) * 100),
  inFlight,
})
