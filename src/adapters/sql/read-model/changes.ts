import { TYPES } from '../../../domain/aggregates.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { Position } from '../../../ports/event-store.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import type { ViewType } from '../../../ports/read-model.js'
import { type Row as ObjectRow, project } from '../../../projections/project.js'
import { isOfObject, objectOf } from '../../../projections/read-events.js'
import { getOrAdd, type RowKey, rowKeyOf } from '../../../projections/rows.js'
import {
  allOf,
  columnNamed,
  type Dialect,
  type Integer,
  param,
  type Row,
  rowsOf,
  type Statement,
  type Steps,
  sql,
} from '../dialect.js'
import { factRowsOf, intervals } from './fact-rows.js'
import { decodeGrant, encodeGrant, grantKeyOf, grantsOf, type StoredGrant } from './grants.js'
import { areStored, type Known, keep } from './known.js'
import { type Generations, readGenerations } from './numbers.js'
import { bodyOf, encodeObject, rowOf } from './stored-rows.js'
import { CHANGES, CHECKPOINT, checkpointIn, GRANTS, KEPT_EVENTS, OBJECTS } from './tables.js'

/** Events to be applied, and the checkpoint that they follow. */
export interface Batch {
  /** The checkpoint that the events follow. */
  readonly from: Position
  /** In the order of the log. */
  readonly events: readonly KnownEvent[]
}

/** The checkpoint after `batch`. */
export const endOf = ({ from, events }: Batch): Position => events.at(-1)?.position ?? from

/** Moves the checkpoint when it is where `batch` begins and all `conditions` hold, and then finds a row. */
export const checkpointMove = (
  { table }: Dialect,
  batch: Batch,
  conditions: readonly Statement[] = [],
): Statement => {
  const met = allOf([sql`position = ${param(batch.from)}`, ...conditions])
  return sql`UPDATE ${table(CHECKPOINT)} SET position = ${param(endOf(batch))} WHERE ${met} RETURNING 1`
}

/** Moves the checkpoint. @returns false when it is not where `batch` begins */
export function* moveCheckpoint(dialect: Dialect, batch: Batch): Steps<boolean> {
  const [moved] = yield checkpointMove(dialect, batch)
  if (moved !== undefined || batch.from > 0n) return moved !== undefined
  // The row is missing before the first batch, or because a backup left it out.
  const table = dialect.table(CHECKPOINT)
  const [added] = yield {
    sql: `INSERT INTO ${table} (position) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM ${table}) RETURNING 1`,
    parameters: [endOf(batch)],
  }
  return added !== undefined
}

/** The changes of a batch of events. */
interface Changes {
  /** The checkpoints at which something was read. */
  readonly reached: ReadonlySet<Position>
  /** Hold while what was known, and not read, is still right. */
  readonly assumed: readonly Statement[]
  /** Keeps what is written, once it is. */
  readonly learn: (known: Known) => void
  /**
   * Write the changes, each row once, so that they may run in any order. Each is made when it is needed: a database may
   * run the one before meanwhile.
   */
  readonly statements: Iterable<Statement>
}

/** An object whose stream has events in a batch. */
interface Entry {
  readonly ref: ObjectRef
  readonly orgId: string
  readonly rowKey: RowKey
  /** Where the row before the first event is found. */
  readonly source: 'nothing' | 'memory' | 'table'
  /** Whether the table has a row, which a removed grant to a user keeps. */
  isStored: boolean
  row: ObjectRow | undefined
}

/** An event and the row of its object before and after it. */
interface Projected {
  readonly event: KnownEvent
  readonly entry: Entry
  readonly before: ObjectRow | undefined
  readonly after: ObjectRow | undefined
}

/** Reads the rows that `batch` changes unless they are in `memory`, and makes the statements that write the changes. */
export function* changesOf(dialect: Dialect, batch: Batch, memory?: Known): Steps<Changes> {
  const reached = new Set<Position>()
  const events = batch.events.filter(isOfObject)
  const entries = entriesOf(events, memory)
  /** As they are before the events, which replace the rows. */
  const assumed = TYPES.flatMap((type) => entries.from('memory', type)).map(sequenceOf)
  for (const type of TYPES) {
    const ofType = entries.from('table', type)
    if (ofType.length === 0) continue
    reached.add(
      type === 'user_grant'
        ? yield* loadGrants(dialect, ofType)
        : yield* loadObjects(dialect, type, ofType),
    )
  }
  const projected = events.map((event): Projected => {
    const entry = entries.of(event)
    // Before its first event, an object has no row.
    const before = event.version === 1 ? undefined : entry.row
    entry.row = project(before, event)
    return { event, entry, before, after: entry.row }
  })
  const generations = yield* readGenerations(
    dialect,
    projected.flatMap(({ before, after }) => [before?.fact?.fact, after?.fact?.fact]),
    memory,
  )
  if (generations.reached !== undefined) reached.add(generations.reached)
  return {
    reached,
    assumed: [...assumedOf(dialect, assumed, generations), ...generations.assumed],
    learn: (known) => {
      for (const { event, entry } of projected) {
        const { row } = entry
        // The table may have a row of a removed object of another type.
        if (row || entry.ref.type === 'user_grant')
          keep(known.rows, event.stream, { version: event.version, row })
        else known.rows.delete(event.stream)
      }
      generations.learn(known)
    },
    statements: writesOf(dialect, batch, projected, generations),
  }
}

/** The objects of `events`, by stream. */
const entriesOf = (events: readonly KnownEvent[], known: Known | undefined) => {
  const entries = new Map<string, Entry>()
  for (const { stream, version, ...event } of events)
    getOrAdd(entries, stream, (): Entry => {
      const { resourceOwner: orgId } = event.metadata
      const ref = objectOf(event)
      const kept = known?.rows.get(stream)
      const isKnown = version > 1 && kept?.version === version - 1
      return {
        ref,
        orgId,
        rowKey: rowKeyOf(orgId, ref),
        source: version === 1 ? 'nothing' : isKnown ? 'memory' : 'table',
        isStored: isKnown,
        row: isKnown ? kept.row : undefined,
      }
    })
  return {
    of: ({ stream }: KnownEvent): Entry => {
      const entry = entries.get(stream)
      if (entry === undefined) throw new Error(`The stream ${stream} is not in the batch`)
      return entry
    },
    from: (source: Entry['source'], type: ViewType): readonly Entry[] =>
      [...entries.values()].filter((entry) => entry.ref.type === type && entry.source === source),
  }
}

/** An object, and the sequence that its row has: 0 for a removed grant to a user. */
type Assumed = readonly [entry: Entry, sequence: Position]

const sequenceOf = (entry: Entry): Assumed => [entry, entry.row?.details.sequence ?? 0n]

/** Hold while the rows that were known are those in the tables. */
const assumedOf = (
  dialect: Dialect,
  assumed: readonly Assumed[],
  { placeOf }: Generations,
): readonly Statement[] => {
  const byType = Map.groupBy(assumed, ([{ ref }]) => ref.type)
  return [...byType].map(([type, ofType]) =>
    type === 'user_grant'
      ? areStored(
          dialect,
          GRANTS,
          ['place', 'user_id', 'sequence'],
          ofType.flatMap(([entry, sequence]) => {
            const [orgId, scope, userId] = grantKeyOf(entry)
            const place = placeOf(String(orgId), String(scope))
            // Without a place, no row was ever written.
            return place === undefined ? [] : [[place, userId ?? '', sequence]]
          }),
        )
      : areStored(
          dialect,
          OBJECTS[type],
          ['scope', 'key', 'sequence'],
          ofType.map(([{ rowKey }, sequence]) => [rowKey.scope, rowKey.key, sequence]),
        ),
  )
}

type Loaded<Found extends Row> = readonly [reached: Integer, nth: Integer, ...Found]

/** Rows that were found, with the entry of each, and the checkpoint. */
const loaded = <Found extends Row>(
  rows: readonly Row[],
  entries: readonly Entry[],
  keep: (entry: Entry, found: Found) => void,
): Position => {
  const found = rowsOf<Loaded<Found>>(rows)
  for (const [, nth, ...row] of found) {
    const entry = entries[Number(nth) - 1]
    if (nth === null || entry === undefined) continue
    keep(entry, row)
    entry.isStored = true
  }
  return BigInt(found[0]?.[0] ?? 0)
}

function* loadObjects(
  dialect: Dialect,
  type: ViewType,
  entries: readonly Entry[],
): Steps<Position> {
  const keys = entries.map(({ rowKey: { scope, key } }) => [scope, key])
  const table = OBJECTS[type]
  const columns = [columnNamed(table, 'scope'), columnNamed(table, 'key')]
  type Found = readonly [body: string, sequence: number | string, creationDate: number | string]
  const rows =
    yield sql`SELECT reached, nth, body, sequence, creation_date FROM (SELECT ${checkpointIn(dialect)} AS reached) AS moment
    LEFT JOIN (SELECT nth, object.body, object.sequence, object.creation_date FROM ${dialect.wanted(columns, keys)}
      JOIN ${dialect.table(table)} AS object ON object.scope = wanted.scope AND object.key = wanted.key) AS found ON TRUE`
  return loaded<Found>(rows, entries, (entry, [body, sequence, creationDate]) => {
    const dates = [BigInt(sequence), new Date(Number(creationDate))] as const
    entry.row = rowOf(type, entry.orgId, body, dates)
  })
}

function* loadGrants(dialect: Dialect, entries: readonly Entry[]): Steps<Position> {
  const rows = yield grantsOf(dialect, entries.map(grantKeyOf))
  return loaded<StoredGrant>(rows, entries, (entry, found) => {
    entry.row = decodeGrant(entry.ref, entry.orgId, found)
  })
}

/** The statements of a batch. */
function* writesOf(
  dialect: Dialect,
  batch: Batch,
  projected: readonly Projected[],
  generations: Generations,
): Iterable<Statement> {
  const facts = intervals()
  const changes: Row[] = []
  for (const { event, entry, before, after } of projected) {
    const { stream, position, version } = event
    generations.replace(before?.fact?.fact, after?.fact?.fact, position)
    const [from, to] = [before, after].map((row) => factRowsOf(stream, row, generations))
    facts.replace(stream, from ?? [], to ?? [], position)
    if (version > 1)
      changes.push([
        position,
        // Where facts began says nothing about what changed.
        before ? bodyOf(entry.ref, { ...before, fact: undefined }) : 'null',
        generations.listed(before?.fact?.fact),
      ])
  }
  yield* generations.statements()
  yield* objectStatements(dialect, projected, generations)
  yield* facts.statements(dialect)
  yield* dialect.insert(CHANGES, changes)
  if (dialect.keepsEvents) yield* dialect.insert(KEPT_EVENTS, batch.events.map(eventRow))
}

/** Write the rows of the objects. */
function* objectStatements(
  dialect: Dialect,
  projected: readonly Projected[],
  generations: Generations,
): Iterable<Statement> {
  const byType = new Map<ViewType, Set<Entry>>()
  for (const { entry } of projected)
    getOrAdd(byType, entry.ref.type, () => new Set<Entry>()).add(entry)
  for (const [type, entries] of byType) {
    const table = OBJECTS[type]
    const [by, set] = [table.columns.slice(0, 2), table.columns.slice(2)].map((columns) =>
      columns.map(({ name }) => name),
    )
    if (by === undefined || set === undefined) continue
    const added: Row[] = []
    const changed: Row[] = []
    const removed: Row[] = []
    for (const entry of entries) {
      const { rowKey, isStored } = entry
      const encoded = encode(entry, generations)
      if (encoded) (isStored ? changed : added).push(encoded)
      else if (isStored && type !== 'user_grant') removed.push([rowKey.scope, rowKey.key])
    }
    yield* dialect.remove(table, by, removed)
    yield* dialect.update(table, { by, set }, changed)
    yield* dialect.insert(table, added)
  }
}

/** The row of an object; undefined if it has none. A removed grant to a user keeps its row, for its past. */
const encode = ({ ref, orgId, rowKey, row }: Entry, generations: Generations): Row | undefined => {
  if (ref.type !== 'user_grant')
    return row && encodeObject(ref, rowKey, row, generations.listed(row.fact?.fact))
  const [, scope] = grantKeyOf({ ref, orgId })
  const place = generations.placeOf(orgId, String(scope))
  return place === undefined ? undefined : encodeGrant(ref, row, place, generations)
}

const eventRow = (event: KnownEvent): Row => [
  event.position,
  event.stream,
  event.version,
  event.type,
  event.schemaVersion,
  JSON.stringify(event.data),
  JSON.stringify(event.metadata),
  event.appendId,
]
