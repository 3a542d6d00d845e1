import type { Position } from '../../../ports/event-store.js'
import type {
  FoundAtHead,
  HistoryEntry,
  HistoryQuery,
  Listing,
  ListQuery,
  RefOf,
  SignInRoute,
  Views,
  ViewType,
} from '../../../ports/read-model.js'
import { listedScope, rowKeyOf } from '../../../projections/rows.js'
import type { Dialect } from '../dialect.js'
import { find, type Integer, type Steps } from '../dialect.js'
import { historyStatement } from './history-statement.js'
import { momentAndPageStatement, momentStatement, pageStatement } from './list-statements.js'
import type { Lookup } from './object-statements.js'
import { routeStatement } from './object-statements.js'
import { decodeEntry, decodeRow, type StoredEntry, type StoredRow } from './stored-rows.js'
import { checkpointIn } from './tables.js'

/** Position of the last event applied. */
export function* readCheckpoint(dialect: Dialect): Steps<Position> {
  const [row] = yield { name: 'check', sql: `SELECT ${checkpointIn(dialect)}`, parameters: [] }
  return BigInt(row?.[0] ?? 0)
}

/** One object. */
export function* readObject<Type extends ViewType>(
  lookup: Lookup,
  orgId: string,
  ref: RefOf<Type>,
): Steps<Views[Type] | undefined> {
  const [row] = yield* find<StoredRow>(lookup(orgId, ref))
  return row && decodeRow<Type>(ref.type, rowKeyOf(orgId, ref).scope, row)
}

/** Positions of the last event and of the checkpoint. */
export type Positions = readonly [head: Integer, reached: Integer]

type NoRow = readonly [null, null, null, ...assigned: readonly string[]]

const isRow = (row: StoredRow | NoRow): row is StoredRow => row[0] !== null

/** One object, and how far the read model is. */
export function* readObjectAtHead<Type extends ViewType>(
  lookup: Lookup,
  orgId: string,
  ref: RefOf<Type>,
): Steps<FoundAtHead<Views[Type] | undefined>> {
  type Found = readonly [...Positions, ...(StoredRow | NoRow)]
  const [found] = yield* find<Found>(lookup(orgId, ref))
  const [head, reached, ...row] = found ?? [null, null, null, null, null]
  const { scope } = rowKeyOf(orgId, ref)
  return {
    head: BigInt(head ?? 0),
    reached: BigInt(reached ?? 0),
    found: isRow(row) ? decodeRow<Type>(ref.type, scope, row) : undefined,
  }
}

/** A page of objects, and how far the read model is; to be run so that all is as of one moment. */
export function* readList<Type extends ViewType>(
  dialect: Dialect,
  query: ListQuery<Type>,
): Steps<FoundAtHead<Listing<Views[Type]>>> {
  const { moment, rows } = yield* momentAndPage(dialect, query)
  const [head, reached, total] = moment ?? []
  const sequence = BigInt(reached ?? 0)
  // Those that were received are of many owners.
  const scope = query.isReceived ? undefined : listedScope(query)
  const items = rows.slice(0, query.limit).map((row) => decodeRow<Type>(query.type, scope, row))
  const totalSize = Number(total ?? 0)
  return {
    head: BigInt(head ?? 0),
    reached: sequence,
    found: { items, hasMore: rows.length > query.limit, totalSize, sequence },
  }
}

type Moment = readonly [...Positions, total: Integer]

function* momentAndPage(dialect: Dialect, query: ListQuery<ViewType>) {
  if (dialect.asLines === undefined) {
    const [moment] = yield* find<Moment>(momentStatement(dialect, query))
    return { moment, rows: yield* find<StoredRow>(pageStatement(dialect, query)) }
  }
  type Found = readonly [...Moment, lines: string | null]
  const [found] = yield* find<Found>(momentAndPageStatement(dialect, query, dialect.asLines))
  return { moment: found, rows: found?.[3]?.split('\n').map(rowIn) ?? [] }
}

const rowIn = (line: string): StoredRow => {
  const [body = '', sequence = '', creationDate = '', ...assigned] = line.split('\t')
  return [body, sequence, creationDate, ...assigned]
}

/** Where users with addresses of a domain sign in, and how far the read model is. */
export function* readRoute(
  dialect: Dialect,
  domain: string,
): Steps<FoundAtHead<SignInRoute | undefined>> {
  type Found = readonly [...Positions, orgId: string | null, idpId: string | null]
  const [found] = yield* find<Found>(routeStatement(dialect, domain))
  const [head, reached, orgId, idpId] = found ?? []
  return {
    head: BigInt(head ?? 0),
    reached: BigInt(reached ?? 0),
    found: orgId && idpId ? { orgId, idpId } : undefined,
  }
}

/** A page of history. */
export function* readHistory(
  dialect: Dialect,
  query: HistoryQuery,
): Steps<readonly HistoryEntry[]> {
  const found = yield* find<StoredEntry>(historyStatement(dialect, query))
  return found.map(decodeEntry)
}
