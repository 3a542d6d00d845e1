import type { StreamId } from '../../../domain/values.js'
import type { Position } from '../../../ports/event-store.js'
import { readBatch } from '../../../projections/events/read-events.js'
import { Fault, fromPort } from '../../errors/fault.js'
import type { Runtime } from '../../runtime.js'
import { yieldToEventLoop } from '../../waiting/yield-to-event-loop.js'
import type { Manager } from '../declared/access-version.js'

/** What desired states left on an object since it last came to be, its removal included. */
export interface Marks {
  /** The last marker of all: that of the desired state which manages the object. */
  readonly managedBy: string | undefined
  /** The last version under the marker that was asked for; 0 for none. */
  readonly version: number
  /** Position of the last event, marked or not; `0n` when there is none. */
  readonly last: Position
}

/** Streams that are read at once. */
const AT_ONCE = 50

/**
 * The marks of what `streams` hold; none without a marker to ask for. A change by hand carries no mark and
 * takes none away.
 */
export const marksOn = async (
  runtime: Runtime,
  { managedBy }: Manager,
  streams: readonly StreamId[],
): Promise<ReadonlyMap<StreamId, Marks>> => {
  const marks = new Map<StreamId, Marks>()
  if (managedBy === undefined) return marks
  for (let from = 0; from < streams.length; from += AT_ONCE) {
    const reading = streams
      .slice(from, from + AT_ONCE)
      .map(async (stream) => marks.set(stream, await marksOf(runtime, managedBy, stream)))
    await Promise.all(reading)
    await yieldToEventLoop()
  }
  return marks
}

/** Whether a newer version than that of `manager` has marked the object; no version is older than any. */
export const isSuperseded = ({ version = 0 }: Manager, marks: Marks | undefined): boolean =>
  marks !== undefined && marks.version > version

const marksOf = async ({ store }: Runtime, managedBy: string, stream: StreamId): Promise<Marks> => {
  const { known, unreadable } = readBatch(await fromPort(() => store.readStream(stream)))
  if (unreadable) throw new Fault(unreadable)
  // A role may have come to be before: what is of a former life says nothing of this one.
  const began = known.findLastIndex(({ type }) => type.endsWith('added'))
  const marked = known.slice(began).filter(({ metadata }) => metadata.managedBy !== undefined)
  const own = marked.findLast(({ metadata }) => metadata.managedBy === managedBy)
  return {
    managedBy: marked.at(-1)?.metadata.managedBy,
    version: own?.metadata.managedVersion ?? 0,
    last: known.at(-1)?.position ?? 0n,
  }
}
