import { err, ok, Result } from 'neverthrow'
import { MAX_WRITES } from '../../../ports/event-store.js'
import type { IamError } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import { detailsOf, sequenceOf } from '../../recording/snapshot.js'
import { transact } from '../../recording/transact.js'
import type { Runtime } from '../../runtime.js'
import { yieldToEventLoop } from '../../waiting/yield-to-event-loop.js'
import type { Manager } from '../declared/access-version.js'
import type { Draft } from '../planning/draft.js'
import type { AppliedChange } from './applied.js'
import { movedSince, type Seen } from './moved-since.js'
import { type Decided, decisionOn, type PendingChange } from './pending-change.js'

/** Changes of one project and its roles, the project first, or of one provider; and who makes them. */
export interface ToApply {
  readonly drafts: readonly Draft[]
  readonly manager: Manager
}

/** Applies one after the other; what was applied before one that is refused stays. */
export const applyEach = async <Unit>(
  units: Iterable<Unit>,
  apply: (unit: Unit) => Promise<Result<readonly AppliedChange[], IamError>>,
): Promise<Result<readonly AppliedChange[], IamError>> => {
  const changes: AppliedChange[] = []
  for (const unit of units) {
    const applied = await apply(unit)
    if (applied.isErr()) return err(applied.error)
    // One by one: there may be more than a call takes arguments.
    for (const change of applied.value) changes.push(change)
  }
  return ok(changes)
}

/**
 * Records what is planned for one project with its roles, or for one provider: in one append, or in
 * several when there are more role changes than one takes. Each is conditional on what the plan saw
 * of the objects that it changes, and of the project.
 */
export const applyDrafts = async (
  runtime: Runtime,
  call: AdmittedCall,
  { drafts, manager }: ToApply,
): Promise<Result<readonly AppliedChange[], IamError>> => {
  await yieldToEventLoop()
  if (call.signal?.aborted) return err({ kind: 'Cancelled' })
  const pending = drafts.map(
    (draft): PendingChange => ({ draft, expected: draft.details?.sequence }),
  )
  for (const appendable of appendsOf(pending)) {
    const recorded = await append(runtime, call, { ...appendable, manager })
    if (recorded.isErr()) return err(recorded.error)
    await yieldToEventLoop()
  }
  return ok(pending.map((each) => applied(call, each)))
}

/** What goes into one append: what it writes, and what must not have changed by then. */
interface Appendable {
  readonly writes: readonly PendingChange[]
  readonly guard?: PendingChange
}

const isChange = ({ draft: { change } }: PendingChange): boolean => change.events.length > 0

/** As many role changes to an append as it takes; the project is written first, later a guard. */
const appendsOf = ([head, ...rest]: readonly PendingChange[]): readonly Appendable[] => {
  if (!head) return []
  const most = MAX_WRITES - 1
  const roles = rest.filter(isChange)
  const appends: Appendable[] = []
  if (isChange(head)) appends.push({ writes: [head, ...roles.splice(0, most)] })
  while (roles.length > 0) appends.push({ writes: roles.splice(0, most), guard: head })
  return appends
}

const append = (
  runtime: Runtime,
  call: AdmittedCall,
  { writes, guard, manager }: Appendable & Pick<ToApply, 'manager'>,
): Promise<Result<void, IamError>> =>
  transact(runtime, call, {
    marks: manager,
    decide: (view) => {
      const decisions = writes.map((pending) => decisionOn(view, pending))
      const looked = guard ? [decisionOn(view, guard), ...decisions] : decisions
      const outdated = movedSince(looked.map(seenOf))
      if (outdated) return err(outdated)
      return Result.combine(decisions.map(({ decide }) => decide())).map((records) => ({ records }))
    },
    answer: ({ snapshots }) => {
      // What this append wrote is what the next one expects to find.
      for (const [index, pending] of writes.entries()) {
        pending.snapshot = snapshots[index]
        pending.expected = pending.snapshot && sequenceOf(pending.snapshot)
      }
    },
  })

const seenOf = ({ pending: { draft, expected }, before }: Decided): Seen => {
  const { object } = draft.change
  const actual = sequenceOf(before)
  // What came and went since is as absent as before; its last event tells.
  return actual === undefined && draft.ended !== undefined
    ? { object, expected: draft.ended, actual: before.changed }
    : { object, expected, actual }
}

const applied = (call: AdmittedCall, { draft, snapshot }: PendingChange): AppliedChange => {
  const details = snapshot ? detailsOf(snapshot, call.orgId) : draft.details
  return { ...draft.change, ...(details && { details }) }
}
