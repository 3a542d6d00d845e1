import type { Position } from '../../../ports/event-store.js'
import type {
  FoundAtHead,
  HistoryEntry,
  HistoryQuery,
  Listing,
  ListQuery,
  RefOf,
  Views,
  ViewType,
} from '../../../ports/read-model.js'
import { listedScope, rowKeyOf } from '../../../projections/rows/row-key.js'
import type { Dialect } from '../dialect.js'
import { find, type Integer, type Steps } from '../statement.js'
import { historyStatement } from './statements/history-statement.js'
import {
  momentAndPageStatement,
  momentStatement,
  pageStatement,
} from './statements/list-statement.js'
import { objectAtHeadStatement, objectStatement } from './statements/object-statements.js'
import { decodeEntry, type FoundEntry } from './stored-entries.js'
import { decodeRow, type ShownRow } from './stored-rows.js'
import { checkpointIn } from './tables.js'

/** Position of the last event applied. */
export function* readCheckpoint(dialect: Dialect): Steps<Position> {
  const [row] = yield { name: 'check', sql: `SELECT ${checkpointIn(dialect)}`, parameters: [] }
  return BigInt(row?.[0] ?? 0)
}

/** One object. */
export function* readObject<Type extends ViewType>(
  dialect: Dialect,
  orgId: string,
  ref: RefOf<Type>,
): Steps<Views[Type] | undefined> {
  const [row] = yield* find<ShownRow>(objectStatement(dialect, orgId, ref))
  return row && decodeRow<Type>(rowKeyOf(orgId, ref).scope, row)
}

type Positions = readonly [head: Integer, reached: Integer]

/** What stands in for a row where there is none. */
type NoRow = readonly [null, null, null]

const shownIn = ([shown, sequence, creationDate]: ShownRow | NoRow): readonly ShownRow[] =>
  shown === null ? [] : [[shown, sequence, creationDate]]

/** One object, and how far the read model is. */
export function* readObjectAtHead<Type extends ViewType>(
  dialect: Dialect,
  orgId: string,
  ref: RefOf<Type>,
): Steps<FoundAtHead<Views[Type] | undefined>> {
  const statement = objectAtHeadStatement(dialect, orgId, ref)
  const [found] = yield* find<readonly [...Positions, ...(ShownRow | NoRow)]>(statement)
  const [head, reached, ...row] = found ?? [null, null, null, null, null]
  const [shown] = shownIn(row)
  return {
    head: BigInt(head ?? 0),
    reached: BigInt(reached ?? 0),
    found: shown && decodeRow<Type>(rowKeyOf(orgId, ref).scope, shown),
  }
}

/** A page of objects, and how far the read model is; to be run so that all is of one moment. */
export function* readList<Type extends ViewType>(
  dialect: Dialect,
  query: ListQuery<Type>,
): Steps<FoundAtHead<Listing<Views[Type]>>> {
  const { moment, rows } = dialect.isRemote
    ? yield* momentAndPage(dialect, query)
    : {
        moment: (yield* find<Moment>(momentStatement(dialect, query)))[0],
        rows: yield* find<ShownRow>(pageStatement(dialect, query)),
      }
  const [head, reached, total] = moment ?? []
  const sequence = BigInt(reached ?? 0)
  const items = rows.slice(0, query.limit).map((row) => decodeRow<Type>(listedScope(query), row))
  const totalSize = Number(total ?? 0)
  return {
    head: BigInt(head ?? 0),
    reached: sequence,
    found: { items, hasMore: rows.length > query.limit, totalSize, sequence },
  }
}

type Moment = readonly [...Positions, total: Integer]

function* momentAndPage(dialect: Dialect, query: ListQuery<ViewType>) {
  const statement = momentAndPageStatement(dialect, query)
  const found = yield* find<readonly [...Moment, ...(ShownRow | NoRow)]>(statement)
  return { moment: found[0], rows: found.flatMap(([, , , ...row]) => shownIn(row)) }
}

/** A page of history. */
export function* readHistory(
  dialect: Dialect,
  query: HistoryQuery,
): Steps<readonly HistoryEntry[]> {
  const found = yield* find<FoundEntry>(historyStatement(dialect, query))
  return found.map(decodeEntry)
}
