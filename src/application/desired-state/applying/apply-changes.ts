import { err, ok, Result } from 'neverthrow'
import type { IamError } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import type { Marks } from '../../recording/metadata.js'
import { type AnyStreamState, detailsOf, sequenceOf } from '../../recording/stream-state.js'
import { transact } from '../../recording/transact.js'
import type { Runtime } from '../../runtime.js'
import { raceAbort, yieldToEventLoop } from '../../waiting.js'
import type { PendingChange } from '../planning/pending-change.js'
import { type Appendable, appendsOf } from './appends-of.js'
import type { AppliedChange } from './applied.js'
import { decideChange } from './decide-change.js'
import { outdatedBy, type PlannedOn } from './plan-outdated.js'

/** Changes of one project and what lies in it, the project first, or of one provider; with marks to record. */
export interface MarkedChanges {
  readonly changes: readonly PendingChange[]
  readonly marks: Marks
}

/** Applies units one after the other. After a refusal, the units before it stay applied. */
export const applyEach = async <Unit>(
  units: Iterable<Unit>,
  apply: (unit: Unit) => Promise<Result<readonly AppliedChange[], IamError>>,
): Promise<Result<readonly AppliedChange[], IamError>> => {
  const changes: AppliedChange[] = []
  for (const unit of units) {
    const applied = await apply(unit)
    if (applied.isErr()) return err(applied.error)
    // There may be more changes than a call takes arguments.
    for (const change of applied.value) changes.push(change)
  }
  return ok(changes)
}

/** Streams after the appends of one unit, by the change that was recorded in them. */
type Recorded = Map<PendingChange, AnyStreamState>

/**
 * Records the changes of one unit: in one append, or in several when there are more role changes than one
 * takes, or grants. Each append requires that the objects it changes, and the project, have not changed since they were
 * planned.
 */
export const applyChanges = async (
  runtime: Runtime,
  call: AdmittedCall,
  { changes, marks }: MarkedChanges,
): Promise<Result<readonly AppliedChange[], IamError>> => {
  await yieldToEventLoop()
  if (call.signal?.aborted) return err({ kind: 'Cancelled' })
  const recorded: Recorded = new Map()
  for (const appendable of await raceAbort(appendsOf(runtime, call, changes), call.signal)) {
    const result = await append(runtime, call, { ...appendable, marks, recorded })
    if (result.isErr()) return err(result.error)
    await yieldToEventLoop()
  }
  return ok(
    changes.map((pending) => {
      const snapshot = recorded.get(pending)
      const details = snapshot ? detailsOf(snapshot, call.orgId) : pending.details
      return { ...pending.change, ...(details && { details }) }
    }),
  )
}

const append = (
  runtime: Runtime,
  call: AdmittedCall,
  {
    writes,
    guard,
    marks,
    recorded,
  }: Appendable & { readonly marks: Marks; readonly recorded: Recorded },
): Promise<Result<void, IamError>> =>
  transact(runtime, call, {
    marks,
    decide: async (streams) => {
      const read = guard ? [guard, ...writes] : writes
      const decided = await Promise.all(
        read.map(async (pending) => ({
          pending,
          ...(await decideChange(streams, pending.change)),
        })),
      )
      const outdated = outdatedBy(
        decided.map(({ pending, before }) => plannedOn(pending, before, recorded.get(pending))),
      )
      if (outdated) return err(outdated)
      const decisions = decided.slice(-writes.length).map((each) => each.change)
      return Result.combine(decisions).map((changes) => ({ changes }))
    },
    answer: ({ streams }) => {
      for (const [index, stream] of streams.entries()) {
        const pending = writes[index]
        if (pending) recorded.set(pending, stream)
      }
    },
  })

/** The sequence that a change was planned on, or that an earlier append of its unit left, and the current one. */
const plannedOn = (
  { change: { object }, details, lastEvent }: PendingChange,
  before: AnyStreamState,
  recorded: AnyStreamState | undefined,
): PlannedOn => {
  const expected = recorded ? sequenceOf(recorded) : details?.sequence
  const actual = sequenceOf(before)
  // What was added and removed again since is absent too; only its last event differs.
  return actual === undefined && lastEvent !== undefined
    ? { object, expected: lastEvent, actual: before.changed }
    : { object, expected, actual }
}
