import { ok, type Result } from 'neverthrow'
import type {
  Append,
  EventStore,
  IdempotencyKeyUsed,
  RecordedEvent,
  VersionConflict,
} from '../../ports/event-store.js'
import { outcomeOf } from '../../ports/event-store.js'
import { type Fault, unavailable } from '../errors/fault.js'
import type { Observer } from '../hooks.js'

/** Why an append was not recorded: another writer was faster, or the key was used before. */
type LostRace = VersionConflict | IdempotencyKeyUsed

/** What was recorded, or why nothing was. */
export type Recorded = Result<readonly RecordedEvent[], LostRace>

/** Appends. When the store cannot say whether it recorded the append, it is looked for. */
export const append = async (
  store: EventStore,
  given: Append,
  observer: Observer | undefined,
): Promise<Recorded> => {
  const begin = observer ? performance.now() : 0
  let recorded: Recorded
  try {
    recorded = await store.append(given)
  } catch (cause) {
    recorded = ok(await recordedAfterAll(store, given, cause))
  }
  if (recorded.isOk()) observer?.appended(recorded.value, begin)
  return recorded
}

const recordedAfterAll = async (
  store: EventStore,
  { id }: Append,
  cause: unknown,
): Promise<readonly RecordedEvent[]> => {
  const fault = unavailable(cause, outcomeOf(cause) ?? 'unknown')
  const found = isUnknown(fault) ? await findOwn(store, id) : []
  if (found.length === 0) throw fault
  return found
}

const isUnknown = ({ error }: Fault): boolean =>
  error.kind === 'Unavailable' && error.outcome === 'unknown'

const findOwn = async (store: EventStore, id: string): Promise<readonly RecordedEvent[]> => {
  try {
    return await store.findAppend({ id })
  } catch {
    // The first fault is the one to report: it says that the outcome is unknown.
    return []
  }
}
