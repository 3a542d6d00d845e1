import type { KnownEvent } from '../../ports/known-event.js'
import type {
  Listing,
  ListQuery,
  ReadModel,
  SignInRoute,
  Views,
  ViewType,
} from '../../ports/read-model.js'
import { isOfObject, readEvents } from '../../projections/read-events.js'
import { meetsAll, rowOrder, severalOf } from '../../projections/row-order.js'
import { cappedTotal, changeRow, getOrAdd, listedScope, rowKeyOf } from '../../projections/rows.js'
import { type ViewFields, viewFields } from '../../projections/view-fields.js'
import { accessIn } from './access.js'
import { emptyHistory, historyOf } from './history.js'
import { copyOf, emptyState, rowStore, type State, shownRow } from './rows.js'

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

/** The rows among which a list looks. */
const listedRows = <Type extends ViewType>(
  { rows, received }: State,
  query: ListQuery<Type>,
): readonly Views[Type][] => {
  const ofType = rows[query.type]
  if (!query.isReceived) return [...(ofType.get(listedScope(query))?.values() ?? [])]
  const scopes = received.get(query.orgId) ?? []
  return [...scopes].flatMap((scope) => ofType.get(scope)?.get(query.orgId) ?? [])
}

/** The page of rows for `query`. Reads only the rows of its organization or project. */
const listRows = <Type extends ViewType>(
  state: State,
  query: ListQuery<Type>,
): Listing<Views[Type]> => {
  const fields: ViewFields<Views[Type]> = viewFields[query.type]
  const { type, conditions, after, limit } = query
  const isShown = conditions.some((condition) => severalOf(type, condition) === 'roleKeys')
  const shown = (row: Views[Type]) => shownRow(state, type, row)
  // Only conditions on roles depend on which of them have ended.
  const rows = isShown ? listedRows(state, query).map(shown) : listedRows(state, query)
  const order = rowOrder(fields, query.sort)
  const found = rows.filter(meetsAll(type, fields, conditions))
  const following = after === undefined ? found : found.filter((row) => order.isAfter(row, after))
  const sorted = following.length > 1 ? order.sorted(following) : following
  return {
    items: sorted.slice(0, limit).map((row) => copyOf(type, isShown ? row : shown(row))),
    hasMore: following.length > limit,
    ...cappedTotal(found.length),
    sequence: state.checkpoint,
  }
}
