import type { StreamId } from '../../../domain/values.js'
import type { Position } from '../../../ports/event-store.js'
import { readBatch } from '../../../projections/read-events.js'
import { Fault, fromPort } from '../../errors/fault.js'
import type { Marks } from '../../recording/metadata.js'
import type { Runtime } from '../../runtime.js'
import { yieldToEventLoop } from '../../waiting.js'

/** The marks of desired states on an object since it was last added, its removal included. */
export interface ObjectMarks {
  /** The `managedBy` that was recorded last: the desired state that manages the object. */
  readonly managedBy: string | undefined
  /** The version that the desired state at hand recorded last; 0 for none. */
  readonly version: number
  /** Position of the last event, marked or not; `0n` when there is none. */
  readonly lastEvent: Position
}

/** Streams that are read at the same time. */
const CONCURRENCY = 50

/**
 * The marks on the objects of `streams`; none for a desired state without `managedBy`. Events without a mark
 * leave earlier marks in force.
 */
export const marksOn = async (
  runtime: Runtime,
  { managedBy }: Marks,
  streams: readonly StreamId[],
): Promise<ReadonlyMap<StreamId, ObjectMarks>> => {
  const marks = new Map<StreamId, ObjectMarks>()
  if (managedBy === undefined) return marks
  for (let from = 0; from < streams.length; from += CONCURRENCY) {
    const reading = streams
      .slice(from, from + CONCURRENCY)
      .map(async (stream) => marks.set(stream, await marksOf(runtime, managedBy, stream)))
    await Promise.all(reading)
    await yieldToEventLoop()
  }
  return marks
}

/** Whether a newer version of the desired state has marked the object. Any version is newer than none. */
export const isSuperseded = ({ version = 0 }: Marks, marks: ObjectMarks | undefined): boolean =>
  marks !== undefined && marks.version > version

const marksOf = async (
  { store }: Runtime,
  managedBy: string,
  stream: StreamId,
): Promise<ObjectMarks> => {
  const { known, unreadable } = readBatch(await fromPort(() => store.readStream(stream)))
  if (unreadable) throw new Fault(unreadable)
  // Marks from before a role was removed and added again do not apply to the new role.
  const added = known.findLastIndex(({ type }) => type.endsWith('added'))
  const marked = known.slice(added).filter(({ metadata }) => metadata.managedBy !== undefined)
  const own = marked.findLast(({ metadata }) => metadata.managedBy === managedBy)
  return {
    managedBy: marked.at(-1)?.metadata.managedBy,
    version: own?.metadata.managedVersion ?? 0,
    lastEvent: known.at(-1)?.position ?? 0n,
  }
}
