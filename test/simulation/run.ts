import type { LiveChecks } from '../../src/application/access/live-checks.js'
import type { Expiry } from './ask.js'
import type { Chance } from './chance.js'
import type { Judge } from './judge.js'
import type { Process, Scheduler } from './scheduler.js'
import type { Server } from './system.js'
import type { Endpoint } from './webhooks.js'
import type { Operation } from './workload.js'

/** How much happens in a run: shrinking takes some of it away. */
export interface Plan {
  /** Numbers of the operations to perform. */
  readonly operations: readonly number[]
  readonly hasFaults: boolean
  readonly hasCrashes: boolean
}

export interface Instance extends ReturnType<Server['open']> {
  readonly process: Process
  readonly crash: () => void
  /** Resolves when it crashes. */
  readonly crashed: Promise<void>
  /** The moment that its eventual answers have shown, since the server last went back. */
  seen: { moment: number }
  /** Absent until they have caught up. */
  live?: LiveChecks
  /** The moment that its live checks have shown, or that a write through it has made. */
  liveFrom: number
}

/** The system while it runs. */
export interface Run {
  readonly seed: number
  readonly plan: Plan
  readonly chance: Chance
  readonly scheduler: Scheduler
  readonly judge: Judge
  readonly server: Server
  readonly instances: Instance[]
  readonly tell: (line: string) => void
  /** Whether faults have ended, and every instance has recovered. */
  hasRecovered: boolean
  /** Operations that were answered as certainly not recorded. */
  readonly disowned: Set<string>
  /** Of the links that clients have been given, by link. */
  readonly tokens: Map<string, string>
  /** Absent where nobody has webhooks. */
  readonly endpoint: Endpoint | undefined
  readonly hasLiveChecks: boolean
  /** What is asked, by operation. */
  readonly asked: Map<string, Operation>
  /** When roles that were given expire. */
  readonly expiries: Expiry[]
  /** Whether instances may become slow. */
  readonly isWide: boolean
  hasSlowed: boolean
  /** Operations that were certainly refused, so that nothing of them is stored. */
  readonly rowless: Set<string>
  /** Longest pause of a client between two operations, in milliseconds. */
  readonly pause: number
  /** What callers expected of the objects that they changed, by operation. */
  readonly expected: Map<string, bigint>
  /** Position of the last event of each object, by its name in the model. */
  readonly sequences: Map<string, bigint>
  /** When each moment began, and the position of the last event that it began with. */
  readonly began: { readonly moment: number; readonly at: number; readonly last?: bigint }[]
}
