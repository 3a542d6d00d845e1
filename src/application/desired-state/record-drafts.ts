import { err, ok, type Result } from 'neverthrow'
import { jsonBytes } from '../../domain/encoding.js'
import type { StreamId } from '../../domain/values.js'
import { MAX_APPEND_BYTES, MAX_WRITES } from '../../ports/event-store.js'
import type { Moved, WriteError } from '../errors/errors.js'
import { type AnyStreamState, type StreamChange, sequenceOf } from '../recording/stream-state.js'
import { transact } from '../recording/transact.js'
import { sequenceMoved } from './compare-plan.js'
import type { Draft, Guard } from './deciding/draft.js'
import type { Planning } from './sealed-secrets.js'

/** Streams as `apply` has left them, by name. */
export type Recorded = Map<StreamId, AnyStreamState>

/**
 * Records the drafts of one unit: in one append, or in several if they take more than an append holds, or end a
 * protection. Each append requires that the objects it changes, those that the changes depend on, and the project have
 * not changed since the decision, except by this call: `earlier` has what it recorded since.
 */
export const recordDrafts = async (
  planning: Planning,
  drafts: readonly Draft[],
  earlier: ReadonlyMap<StreamId, AnyStreamState>,
): Promise<Result<Recorded, WriteError>> => {
  const { environment } = planning.runtime
  const recorded: Recorded = new Map()
  for (const batch of batchesOf(drafts)) {
    await environment.yield()
    if (planning.call.signal?.aborted) return err({ kind: 'Cancelled' })
    const latest = (known: AnyStreamState) =>
      recorded.get(known.name) ?? earlier.get(known.name) ?? known
    const appended = await append(planning, batch, latest)
    if (appended.isErr()) return err(appended.error)
    for (const stream of appended.value) recorded.set(stream.name, stream)
  }
  await environment.yield()
  return ok(recorded)
}

/** The changes of one append. */
interface Batch {
  readonly writes: (Guard & { readonly write: StreamChange })[]
  /** What must not have changed besides the objects that are written. */
  readonly guards: Map<StreamId, Guard>
  /** Whether it ends the protection of its objects. */
  readonly isLift: boolean
}

const append = (
  { runtime, call, access }: Planning,
  { writes, guards, isLift }: Batch,
  latest: (known: AnyStreamState) => AnyStreamState,
): Promise<Result<readonly AnyStreamState[], WriteError>> =>
  transact(runtime, call, {
    marks: isLift ? { ...access, protect: false } : access,
    decide: async (streams) => {
      const moved: Moved[] = []
      const check = ({ object, known }: Guard): AnyStreamState => {
        const expected = latest(known)
        const now = streams.current(expected)
        if (now.changed !== expected.changed) {
          const change = sequenceMoved(sequenceOf(expected), sequenceOf(now)) ?? 'changed'
          moved.push({ object, change })
        }
        return now
      }
      for (const guard of guards.values()) check(guard)
      const changes = writes.map((each) => ({ ...each.write, before: check(each) }))
      return moved.length > 0 ? err({ kind: 'PlanOutdated', moved }) : ok({ changes })
    },
    answer: ({ streams }) => streams,
  })

/**
 * The appends of one unit: as many changes to each as it takes, in their order. A project is protected before the objects
 * in it, and its protection ends after theirs.
 */
const batchesOf = ([head, ...contents]: readonly Draft[]): readonly Batch[] => {
  if (!head) return []
  const project = head.before ? [{ object: head.change.object, known: head.before }] : []
  const batches: Batch[] = []
  for (const isLift of [false, true]) {
    let last: Batch | undefined
    let names = new Set<StreamId>()
    let bytes = 0
    for (const draft of isLift ? [...contents, head] : [head, ...contents]) {
      const { change, write, guards = [] } = draft
      if (!write || (draft.isLift ?? false) !== isLift) continue
      const rests = [...project, ...guards, { object: change.object, known: write.before }]
      const size = write.events.reduce((sum, { data }) => sum + jsonBytes(data), 0)
      const added = rests.filter(({ known }) => !names.has(known.name)).length
      if (!last || names.size + added > MAX_WRITES || bytes + size > MAX_APPEND_BYTES) {
        last = { writes: [], guards: new Map(), isLift }
        batches.push(last)
        names = new Set()
        bytes = 0
      }
      last.writes.push({ object: change.object, known: write.before, write })
      for (const guard of rests) last.guards.set(guard.known.name, guard)
      for (const { known } of rests) names.add(known.name)
      bytes += size
    }
  }
  for (const { writes, guards } of batches)
    for (const { known } of writes) guards.delete(known.name)
  return batches
}
