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
  { inFlight = 1, ...load }: Load & { readonly share: number },
): Contestant => ({
  name: nameOf(system, inFlight),
  open: () => system.open(task),
  calls: callsIn(load),
  inFlight,
})

/** How much a contestant is given to do. */
export interface Load {
  /** Calls per round in a full run. */
  readonly calls: number
  readonly inFlight?: number
}

export const nameOf = ({ name }: System, inFlight: number): string =>
  inFlight === 1 ? name : `${name}, ${inFlight} in flight`

/** Whole groups, for systems that write a hundred at once. */
export const callsIn = ({ calls, share }: Load & { readonly share: number }): number =>
  Math.max(100, Math.round((calls * share) / 100) * 100)
