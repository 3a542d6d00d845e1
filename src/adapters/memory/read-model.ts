import { aggregates } from '../../domain/aggregates.js'
import type { ObjectRef } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type {
  HistoryEntry,
  HistoryQuery,
  Listing,
  ListQuery,
  ReadModel,
  SignInRoute,
  Views,
  ViewType,
} from '../../ports/read-model.js'
import { historyEntry } from '../../projections/history-entries.js'
import { isOfObject, objectOf, readEvents, streamOf } from '../../projections/read-events.js'
import {
  countWhile,
  meetsAll,
  pageOf,
  type RowPage,
  severalOf,
  valueAt,
} from '../../projections/row-order.js'
import {
  cappedTotal,
  changeRow,
  containerOf,
  getOrAdd,
  listedScope,
  rowKeyOf,
  WHOLE_REMOVALS,
  wholesOf,
} from '../../projections/rows.js'
import { identityField, type ViewFields, viewFields } from '../../projections/view-fields.js'
import { accessIn } from './access.js'
import {
  copyOf,
  emptyState,
  type History,
  type PastChange,
  rowStore,
  type State,
  shownRow,
} from './rows.js'

/** Creates a read model in memory, which is rebuilt from the log at every start. */
export const memoryReadModel = (): ReadModel => {
  let state = emptyState()
  return {
    name: 'memory-read-model',
    checkpoint: async () => state.checkpoint,
    apply: async (from, events) => {
      if (state.checkpoint !== from) return false
      // All events are read before the first is applied, so that an unreadable event applies nothing.
      applyAll(state, readEvents(events).filter(isOfObject))
      state.checkpoint = events.at(-1)?.position ?? from
      return true
    },
    reset: async () => {
      state = emptyState()
    },
    get: async (orgId, ref) => {
      const { scope, key } = rowKeyOf(orgId, ref)
      const row = state.rows[ref.type].get(scope)?.get(key)
      return row && copyOf(ref.type, shownRow(state, ref.type, row))
    },
    list: async (query) => listRows(state, query),
    history: async (query) => historyOf(state, query),
    route: async (domain) => routeOf(state, domain),
    ...accessIn(() => state),
  }
}

const applyAll = (state: State, events: readonly KnownEvent[]): void => {
  const rows = rowStore(state)
  for (const event of events) {
    const { before, after } = changeRow(rows, event)
    state.access.apply(event)
    const { all } = getOrAdd(state.history, event.metadata.resourceOwner, emptyHistory)
    all.push({ event, before, after })
  }
}

/** Where users of `domain` sign in. */
const routeOf = ({ rows, verified }: State, domain: string): SignInRoute | undefined => {
  const orgId = verified.get(domain)
  if (orgId === undefined) return undefined
  const idpId = rows.domain.get(orgId)?.get(domain)?.idpId
  if (idpId === undefined) return undefined
  const isActive = rows.identity_provider.get(orgId)?.get(idpId)?.state === 'active'
  return isActive ? { orgId, idpId } : undefined
}

/** The page of rows for `query`. Reads only the rows of its organization or project. */
const listRows = <Type extends ViewType>(
  state: State,
  query: ListQuery<Type>,
): Listing<Views[Type]> => {
  const { type } = query
  const { items, hasMore, total } = pageInKeyOrder(state, query) ?? sortedPage(state, query)
  return {
    items: items.map((row) => copyOf(type, shownRow(state, type, row))),
    hasMore,
    ...cappedTotal(total),
    sequence: state.checkpoint,
  }
}

interface FoundPage<Row> extends RowPage<Row> {
  readonly total: number
}

/** A page of a list without conditions, sorted by id or key, which is the order of the rows; undefined for other lists. */
const pageInKeyOrder = <Type extends ViewType>(
  { rows }: State,
  query: ListQuery<Type>,
): FoundPage<Views[Type]> | undefined => {
  const { type, conditions, sort, after, limit, isReceived } = query
  const [key] = sort
  const isInOrder = key?.field === identityField[type] && key.direction === 'asc'
  if (!isInOrder || isReceived || conditions.length > 0) return undefined
  const ofScope = rows[type].get(listedScope(query))
  const items: Views[Type][] = []
  // No text is between another one and the same with U+0000.
  const start = after ? `${valueAt(after, 0)}\0` : ''
  for (const { value } of ofScope?.from(start) ?? []) {
    items.push(value)
    if (items.length > limit) break
  }
  return {
    items: items.slice(0, limit),
    hasMore: items.length > limit,
    total: ofScope?.size() ?? 0,
  }
}

/** A page of a list with any conditions and order: looks at every row. */
const sortedPage = <Type extends ViewType>(
  state: State,
  query: ListQuery<Type>,
): FoundPage<Views[Type]> => {
  const fields: ViewFields<Views[Type]> = viewFields[query.type]
  const { type, conditions } = query
  // Only conditions on roles depend on which of them have ended.
  const isShown = conditions.some((condition) => severalOf(type, condition) === 'roleKeys')
  const meets = meetsAll(type, fields, conditions)
  const found = listedRows(state, query).filter((row) =>
    meets(isShown ? shownRow(state, type, row) : row),
  )
  return { ...pageOf(fields, query, found), total: found.length }
}

/** The rows among which a list looks. */
const listedRows = <Type extends ViewType>(
  { rows, received }: State,
  query: ListQuery<Type>,
): readonly Views[Type][] => {
  const ofType = rows[query.type]
  if (!query.isReceived)
    return Array.from(ofType.get(listedScope(query))?.from('') ?? [], ({ value }) => value)
  const scopes = received.get(query.orgId) ?? []
  return [...scopes].flatMap((scope) => ofType.get(scope)?.get(query.orgId) ?? [])
}

/** The history before the first event of an organization. */
const emptyHistory = (): History => ({ all: [], parts: new Map(), indexed: 0 })

/** The page of history for `query`. */
const historyOf = (state: State, query: HistoryQuery): readonly HistoryEntry[] => {
  const past = pastOf(state, query)
  const { after, before, order, limit } = query
  const first = countTo(past, after)
  const end = before === undefined ? past.length : countTo(past, before - 1n)
  const entries: HistoryEntry[] = []
  for (let count = 0; count < end - first && entries.length < limit; count++) {
    const found = past[order === 'desc' ? end - 1 - count : first + count]
    if (found !== undefined && meets(found, query)) entries.push(entryOf(found))
  }
  return entries
}

const pastOf = (
  state: State,
  { orgId, object, including, user }: HistoryQuery,
): readonly PastChange[] => {
  const history = state.history.get(orgId)
  if (history === undefined) return []
  if (object === undefined && user === undefined) return history.all
  index(history)
  const { parts } = history
  if (object === undefined) return parts.get(`user ${user}`) ?? []
  const wholes = wholesOf(orgId, object)
  if (wholes.length > 0) return pastWithin(history, orgId, { object, wholes })
  const stream = streamOf(orgId, object)
  return parts.get(including === undefined ? stream : `with roles ${stream}`) ?? []
}

const index = (history: History): void => {
  const { all, parts, indexed } = history
  for (const found of all.slice(indexed)) {
    const add = (key: string) => getOrAdd(parts, key, () => []).push(found)
    const { stream, metadata } = found.event
    add(stream)
    const object = objectOf(found.event)
    const container = containerOf(object)
    const around = container ? streamOf(metadata.resourceOwner, container) : stream
    if (!container || object.type === 'project_role') add(`with roles ${around}`)
    if (object.type === 'user_grant' || object.type === 'membership') add(`user ${object.userId}`)
  }
  history.indexed = all.length
}

/** The history of an object, and the removals of {@link wholesOf} that ended it. */
const pastWithin = (
  { parts }: History,
  orgId: string,
  { object, wholes }: { readonly object: ObjectRef; readonly wholes: readonly ObjectRef[] },
): readonly PastChange[] => {
  const own = streamOf(orgId, object)
  const isEnd = ({ event }: PastChange) => WHOLE_REMOVALS.includes(event.type)
  const removals = wholes.flatMap((whole) =>
    (parts.get(streamOf(orgId, whole)) ?? []).filter(isEnd),
  )
  const all = [...(parts.get(own) ?? []), ...removals].toSorted((one, other) =>
    one.event.position < other.event.position ? -1 : 1,
  )
  return all.filter((found, index) => {
    const last = all[index - 1]?.event
    return (
      found.event.stream === own ||
      (last?.stream === own && aggregates[object.type].effectOf(last) !== 'removes')
    )
  })
}

const countTo = (past: readonly PastChange[], position: Position): number =>
  countWhile(past, ({ event }) => event.position <= position)

const meets = ({ event }: PastChange, { actor, types }: HistoryQuery): boolean =>
  (actor === undefined || event.metadata.actor.userId === actor) &&
  (types === undefined || types.includes(event.type))

const entryOf = ({ event, ...change }: PastChange): HistoryEntry => {
  const entry = historyEntry(event, change)
  return { ...entry, actor: { ...entry.actor } }
}
