import type { AssignmentRange } from '../../../domain/kind.js'
import type { Position } from '../../../ports/event-store.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import { isOfObject, kindOf, objectOf } from '../../../projections/events/kind-of.js'
import { changeRow } from '../../../projections/rows/change-row.js'
import { roleScope, rowKeyOf } from '../../../projections/rows/row-key.js'
import type { Dialect } from '../dialect.js'
import type { Statement, Steps } from '../statement.js'
import { nameNumbers } from './name-numbers.js'
import { rowBatch } from './row-batch.js'
import { encodeEntry } from './stored-entries.js'
import type { Shared } from './stored-rows.js'
import { CHECKPOINT, HISTORY } from './tables.js'

/** Events to be applied, and the checkpoint that they follow. */
export interface Batch {
  readonly from: Position
  readonly events: readonly KnownEvent[]
}

/** The changes of a batch of events. */
interface Changes {
  /** The checkpoint at which the rows and names were read. */
  readonly reached: Position
  /** Write the changes. Each is made when it is needed: a database may run the one before meanwhile. */
  readonly statements: Iterable<Statement>
  /** Once all statements are made: whether no two of them change the same row, so that they may run in any order. */
  readonly isUnordered: () => boolean
}

/** The checkpoint after `batch`. */
export const endOf = ({ from, events }: Batch): Position => events.at(-1)?.position ?? from

/** Moves the checkpoint when it is where `batch` begins, and then finds a row. */
export const checkpointMove = ({ table }: Dialect, batch: Batch): Statement => ({
  sql: `UPDATE ${table(CHECKPOINT)} SET position = ? WHERE position = ? RETURNING 1`,
  parameters: [endOf(batch), batch.from],
})

/** Moves the checkpoint. @returns false when it is not where `batch` begins */
export function* moveCheckpoint(dialect: Dialect, batch: Batch): Steps<boolean> {
  const [moved] = yield checkpointMove(dialect, batch)
  if (moved !== undefined || batch.from > 0n) return moved !== undefined
  // There is no row before the first batch, or a backup has left it out.
  const table = dialect.table(CHECKPOINT)
  const [added] = yield {
    sql: `INSERT INTO ${table} (position) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM ${table}) RETURNING 1`,
    parameters: [endOf(batch)],
  }
  return added !== undefined
}

/** Reads the rows that `batch` changes, and makes the statements that write the changes. */
export function* changesOf(dialect: Dialect, batch: Batch): Steps<Changes> {
  const events = batch.events.filter(isOfObject).map((event) => ({
    event,
    rowKey: rowKeyOf(event.metadata.resourceOwner, objectOf(event)),
  }))
  const inOrder = new Set<string>()
  for (const { event, rowKey } of events) {
    inOrder.add(event.metadata.resourceOwner).add(rowKey.scope).add(event.type)
    const project = projectOf(event)
    if (project) inOrder.add(roleScope(project.projectOrgId, project.projectId))
  }
  const names = yield* nameNumbers(dialect, inOrder, batch.from)
  const shared: Shared = { numberOf: names.numberOf, bodies: new Map() }
  const rows = yield* rowBatch(dialect, shared, events)
  function* statements() {
    // What an event does to its row is its entry.
    yield* dialect.insert(HISTORY, events, (keyed) =>
      encodeEntry(keyed, changeRow(rows, keyed.event, keyed.rowKey), shared),
    )
    yield* rows.statements()
    yield* names.statements()
  }

  return {
    reached: names.reached,
    statements: statements(),
    isUnordered: () => events.length === 1 || !rows.isOrdered(),
  }
}

/** The project whose assignments `event` begins or ends, if it may. */
const projectOf = (event: KnownEvent): AssignmentRange | undefined => {
  const { assigns, covers, removal } = kindOf(event.type)
  return assigns || event.type === removal
    ? covers(event.data, event.metadata.resourceOwner)
    : undefined
}
