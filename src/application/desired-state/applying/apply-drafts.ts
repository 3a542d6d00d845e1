import { err, ok, type Result } from 'neverthrow'
import { MAX_WRITES } from '../../../ports/event-store.js'
import type { IamError } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import { detailsOf } from '../../recording/tracked.js'
import { transact } from '../../recording/transact.js'
import type { Runtime } from '../../runtime.js'
import { yieldToEventLoop } from '../../waiting/yield-to-event-loop.js'
import type { Manager } from '../declared/access-version.js'
import type { Draft } from '../planning/draft.js'
import type { AppliedChange } from './applied.js'
import { movedSince } from './moved-since.js'
import { type Part, partOf, sequenceOf } from './pending-change.js'

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
  const parts = drafts.map((draft) => partOf(runtime, call, draft))
  for (const appendable of appendsOf(parts)) {
    const recorded = await append(runtime, call, { ...appendable, manager })
    if (recorded.isErr()) return err(recorded.error)
    await yieldToEventLoop()
  }
  return ok(parts.map((part) => applied(call, part)))
}

/** What goes into one append: what it writes, and what must not have changed by then. */
interface Appendable {
  readonly writes: readonly Part[]
  readonly guard?: Part
}

const isChange = ({ draft: { change } }: Part): boolean => change.events.length > 0

/** As many role changes to an append as it takes; the project is written first, later a guard. */
const appendsOf = ([head, ...rest]: readonly Part[]): readonly Appendable[] => {
  if (!head) return []
  const most = MAX_WRITES - 1
  const roles = rest.filter(isChange)
  const appends: Appendable[] = []
  if (isChange(head)) appends.push({ writes: [head, ...roles.splice(0, most)] })
  while (roles.length > 0) appends.push({ writes: roles.splice(0, most), guard: head })
  return appends
}

const append = async (
  runtime: Runtime,
  call: AdmittedCall,
  { writes, guard, manager }: Appendable & Pick<ToApply, 'manager'>,
): Promise<Result<void, IamError>> => {
  const last = writes.at(-1)
  if (!last) return ok()
  const recorded = await transact(runtime, call, {
    command: { method: call.method, input: {} },
    object: last.tracked,
    writes: writes.map(({ tracked }) => tracked),
    guard: guard?.tracked,
    managedBy: manager.managedBy,
    managedVersion: manager.version,
    decide: () => decide(writes, guard),
    ids: () => ({}),
  })
  // What this append wrote is what the next one expects to find.
  for (const part of writes) part.expected = sequenceOf(part.tracked)
  return recorded.map(() => undefined)
}

const decide = (
  writes: readonly Part[],
  guard: Part | undefined,
): Result<readonly unknown[], IamError> => {
  const outdated = movedSince(
    (guard ? [guard, ...writes] : writes).map(({ draft, expected, tracked }) => {
      const { object } = draft.change
      const actual = sequenceOf(tracked)
      // What came and went since is as absent as before; its last event tells.
      return actual === undefined && draft.ended !== undefined
        ? { object, expected: draft.ended, actual: tracked.snapshot.changed }
        : { object, expected, actual }
    }),
  )
  if (outdated) return err(outdated)
  const decisions = writes.map((part) => part.decide())
  return decisions.find((decision) => decision.isErr())?.map(() => []) ?? ok([])
}

const applied = (call: AdmittedCall, part: Part): AppliedChange => {
  const { change, details } = part.draft
  const since = isChange(part) ? detailsOf(part.tracked.snapshot, call.orgId) : details
  return { ...change, ...(since && { details: since }) }
}
