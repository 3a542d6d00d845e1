import { err, ok } from 'neverthrow'
import type { StreamId } from '../../../domain/values.js'
import type {
  Append,
  IdempotencyKeyUsed,
  StreamWrite,
  Version,
  VersionConflict,
} from '../../../ports/event-store.js'
import type { Verdict } from '../../store/group-commit.js'
import type { PreparedAppend } from '../../store/record-events.js'
import { nextPosition, recordEvents } from '../../store/record-events.js'
import type { SyncDatabase } from './dialect.js'
import { insertEvent, isKeyUsed, lastPosition, versionOf } from './event-log.js'

/** Checks and writes each append of a group, in a transaction that has begun. */
export const writeGroup = (
  database: SyncDatabase,
  group: readonly PreparedAppend[],
  now: number,
): readonly Verdict[] => {
  const versions = knownVersions(database)
  let last = lastPosition(database)
  return group.map((prepared) => {
    const refusal = refusalOf(database, prepared.append, versions)
    if (refusal) return err(refusal)
    const verdict = insertAppend(database, prepared, nextPosition(now, last))
    if (verdict.isOk()) last = Number(verdict.value.at(-1)?.position ?? last)
    return verdict
  })
}

/** Why an append is refused, except for conflicts that the unique index finds at the insert. */
const refusalOf = (
  database: SyncDatabase,
  { writes, metadata: { idempotencyKey } }: Append,
  versions: (stream: StreamId) => Version,
): VersionConflict | IdempotencyKeyUsed | undefined => {
  if (idempotencyKey !== undefined && isKeyUsed(database, idempotencyKey)) {
    return { kind: 'IdempotencyKeyUsed' }
  }
  const isCurrent = (write: StreamWrite) => versions(write.stream) === write.expectedVersion
  const created = createdAlone(writes)
  if (writes.every((write) => write === created || isCurrent(write))) return undefined
  const outdated = writes.find((write) => !isCurrent(write))
  return outdated && { kind: 'VersionConflict', stream: outdated.stream }
}

/**
 * The write that creates a stream when all others are guards. Its version need not be read: the unique index finds
 * a conflict at the insert of its first event, before any other.
 */
const createdAlone = (writes: readonly StreamWrite[]): StreamWrite | undefined => {
  const [written, ...others] = writes.filter(({ events }) => events.length > 0)
  return others.length === 0 && written?.expectedVersion === 0 ? written : undefined
}

const insertAppend = (
  database: SyncDatabase,
  { append, data, metadata }: PreparedAppend,
  first: number,
): Verdict => {
  const recorded = recordEvents(append, first)
  for (const [index, event] of recorded.entries()) {
    const row = { event, data: data[index] ?? '', metadata, beginsAppend: index === 0 }
    if (insertEvent(database, row)) continue
    if (index === 0) return err({ kind: 'VersionConflict', stream: event.stream })
    throw new Error(`The stream ${event.stream} holds a version above its last`)
  }
  return ok(recorded)
}

/** Versions of streams, each read once: no append of a group writes a stream of another one. */
const knownVersions = (database: SyncDatabase): ((stream: StreamId) => Version) => {
  const known = new Map<StreamId, Version>()
  return (stream) => {
    const version = known.get(stream) ?? versionOf(database, stream)
    known.set(stream, version)
    return version
  }
}
