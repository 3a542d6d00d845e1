import { aggregates } from '../../domain/aggregates.js'
import type { ObjectRef } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import { IN_PROCESS_BATCH } from '../../ports/projection.js'
import type {
  HistoryEntry,
  HistoryQuery,
  Listing,
  ListQuery,
  ReadModel,
  RefOf,
  SignInRoute,
  Views,
  ViewType,
} from '../../ports/read-model.js'
import { historyEntry } from '../../projections/history-entries.js'
import { type IsCurrent, project, type Row, shown } from '../../projections/project.js'
import { isOfObject, objectOf, readEvents, streamOf } from '../../projections/read-events.js'
import { emptyWorld, isCurrentIn, replaceFact } from '../../projections/replace-fact.js'
import {
  compareCodePoints,
  countWhile,
  meetsAll,
  multiValuedOf,
  pageOf,
  type RowPage,
  valueAt,
} from '../../projections/row-order.js'
import {
  cappedTotal,
  containerOf,
  getOrAdd,
  identityField,
  listedScope,
  projectScope,
  type ViewFields,
  viewFields,
  wholesOf,
} from '../../projections/rows.js'
import { isActive, type World } from '../../projections/world.js'
import { accessIn } from './access.js'
import {
  emptyRows,
  findRow,
  isThere,
  placeIn,
  type Rows,
  type StoredRow,
  sectionOf,
} from './rows.js'

/** The data of a read model in memory. */
interface State {
  checkpoint: Position
  readonly rows: Rows
  readonly world: World
  /** By organization: the scopes of the projects that were ever granted to it. */
  readonly received: Map<string, Set<string>>
  /** By verified domain: the organization. */
  readonly verified: Map<string, string>
  /** By organization. */
  readonly history: Map<string, History>
}

/** An event, and the rows before and after it. The history entry is made from them when it is read. */
interface PastChange {
  readonly event: KnownEvent
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/** The changes in one organization, oldest first. */
interface History {
  readonly all: PastChange[]
  /**
   * Parts of `all`, up to `indexed`, because they are seldom read: of each object, by its stream; of each project and
   * its roles, by `with roles` and its stream; of each project with all in it, by `project` and its scope; of each user's
   * grants and memberships, by `user` and the id.
   */
  readonly parts: Map<string, PastChange[]>
  /** How many of `all` are in `parts`. */
  indexed: number
}

const emptyState = (): State => ({
  checkpoint: 0n,
  rows: emptyRows(),
  world: emptyWorld(true),
  received: new Map(),
  verified: new Map(),
  history: new Map(),
})

/** Creates a read model in memory, which is rebuilt from the log at every start. */
export const memoryReadModel = (): ReadModel => {
  let state = emptyState()
  return {
    name: 'memory-read-model',
    batchSize: IN_PROCESS_BATCH,
    checkpoint: async () => state.checkpoint,
    apply: async (from, events) => {
      if (state.checkpoint !== from) return false
      // All events are read before the first is applied, so that an unreadable event applies nothing.
      for (const event of readEvents(events)) if (isOfObject(event)) apply(state, event)
      state.checkpoint = events.at(-1)?.position ?? from
      return true
    },
    reset: async () => {
      state = emptyState()
    },
    get: async (orgId, ref) => getObject(state, orgId, ref),
    list: async (query) => listRows(state, query),
    history: async (query) => historyOf(state, query),
    route: async (domain) => routeOf(state, domain),
    ...accessIn(() => state.world),
  }
}

const apply = ({ rows, world, received, verified, history }: State, event: KnownEvent): void => {
  const { position, metadata } = event
  const orgId = metadata.resourceOwner
  const ref = objectOf(event)
  const { section, key } = placeIn(rows, world, orgId, ref)
  const before = section.rows.get(key)?.row
  const after = project(before, event)
  if (after) section.rows.set(key, { ref, row: after, view: undefined })
  else section.rows.delete(key)
  const dated = (after ?? before)?.fact
  if (dated)
    replaceFact(world, dated.fact, { begun: after && { ...dated, state: after.state }, position })
  getOrAdd(history, orgId, emptyHistory).all.push({ event, before, after })
  if (ref.type === 'project_grant')
    getOrAdd(received, ref.grantedOrgId, () => new Set()).add(projectScope(orgId, ref.projectId))
  if (ref.type === 'domain') {
    if (after?.state.status === 'verified') verified.set(ref.domain, orgId)
    else if (verified.get(ref.domain) === orgId) verified.delete(ref.domain)
  }
}

/** An object that exists, as reads return it. */
const getObject = <Type extends ViewType>(
  { rows, world }: State,
  orgId: string,
  ref: RefOf<Type>,
): Views[Type] | undefined => {
  const row = findRow(rows, orgId, ref)
  return row && shown(ref, row, currentIn(world))
}

const currentIn =
  (world: World, at?: Position): IsCurrent =>
  (fact, role) =>
    isCurrentIn(world, fact, role, at)

/** Where users of `domain` sign in. */
const routeOf = ({ rows, world, verified }: State, domain: string): SignInRoute | undefined => {
  const orgId = verified.get(domain)
  if (orgId === undefined) return undefined
  const state = findRow(rows, orgId, { type: 'domain', domain })?.state
  const idpId = state && 'challenge' in state ? state.idpId : undefined
  const provider = idpId === undefined ? undefined : world.providers.get(orgId)?.get(idpId)
  return provider && isActive(provider) ? { orgId, idpId: provider.idpId } : undefined
}

/** The page of rows for `query`. Reads only the rows of its organization or project. */
const listRows = <Type extends ViewType>(
  state: State,
  query: ListQuery<Type>,
): Listing<Views[Type]> => {
  const { items, hasMore, total } = pageInKeyOrder(state, query) ?? sortedPage(state, query)
  return { items, hasMore, ...cappedTotal(total), sequence: state.checkpoint }
}

interface FoundPage<Row> extends RowPage<Row> {
  readonly total: number
}

/** A page of a list without conditions, sorted by id or key, which is the order of the rows; undefined for other lists. */
const pageInKeyOrder = <Type extends ViewType>(
  { rows, world }: State,
  query: ListQuery<Type>,
): FoundPage<Views[Type]> | undefined => {
  const { type, conditions, sort, after, limit, isReceived } = query
  const [key] = sort
  const isInOrder = key?.field === identityField[type] && key.direction === 'asc'
  if (!isInOrder || isReceived || conditions.length > 0) return undefined
  const scope = listedScope(query)
  const last = after && String(valueAt(after, 0))
  const first = last === undefined ? '' : sectionOf(type, last)
  const items: Views[Type][] = []
  let total = 0
  for (const { key, value: section } of rows[type].get(scope)?.from() ?? []) {
    if (!isThere(section)) continue
    total += section.rows.size
    if (items.length > limit || compareCodePoints(key, first) < 0) continue
    // No text is between another one and the same with U+0000.
    for (const { value } of section.rows.from(last === undefined ? '' : `${last}\0`)) {
      items.push(shown(refOf(type, value), value.row, currentIn(world)))
      if (items.length > limit) break
    }
  }
  return { items: items.slice(0, limit), hasMore: items.length > limit, total }
}

const refOf = <Type extends ViewType>(_: Type, { ref }: StoredRow): RefOf<Type> =>
  // Cast: rows are kept by type.
  ref as RefOf<Type>

/** A page of a list with any conditions and order: looks at every row. */
const sortedPage = <Type extends ViewType>(
  state: State,
  query: ListQuery<Type>,
): FoundPage<Views[Type]> => {
  const { type } = query
  const fields: ViewFields<Views[Type]> = viewFields[type]
  const found = listedViews(state, query)
  const { items, hasMore } = pageOf(fields, query, found)
  const shownItems = items.flatMap((view) => {
    // Cast: an aggregate names objects of its own type.
    const ref = aggregates[type].ref(view) as RefOf<Type>
    return getObject(state, view.details.resourceOwner, ref) ?? []
  })
  return { items: shownItems, hasMore, total: found.length }
}
/** The objects that meet the conditions of a list, some of them with roles that have ended. */
const listedViews = <Type extends ViewType>(
  { rows, world, received }: State,
  query: ListQuery<Type>,
): readonly Views[Type][] => {
  const { type, orgId, isReceived, conditions } = query
  const meets = meetsAll<Views[Type]>(type, viewFields[type], conditions)
  // Only conditions on roles depend on which of them have ended.
  const filtersRoles = conditions.some((condition) => multiValuedOf(type, condition) === 'roleKeys')
  const views: Views[Type][] = []
  const scopes = isReceived ? (received.get(orgId) ?? []) : [listedScope(query)]
  for (const scope of scopes)
    for (const { value: section } of rows[type].get(scope)?.from() ?? []) {
      if (!isThere(section)) continue
      const found = isReceived ? section.rows.from('', orgId) : section.rows.from()
      for (const { value } of found) {
        const ref = refOf(type, value)
        if (!filtersRoles) value.view ??= shown(ref, value.row)
        // Cast: rows of a type have views of that type.
        const view = filtersRoles
          ? shown(ref, value.row, currentIn(world))
          : (value.view as Views[Type])
        if (meets(view)) views.push(view)
      }
    }
  return views
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
    if (found !== undefined && meets(found, query)) entries.push(entryOf(state.world, found))
  }
  return entries
}

const pastOf = (
  state: State,
  { orgId, object, including, user, project }: HistoryQuery,
): readonly PastChange[] => {
  const history = state.history.get(orgId)
  if (history === undefined) return []
  if (object === undefined && user === undefined && project === undefined) return history.all
  index(history)
  const { parts } = history
  if (object === undefined) {
    const scope = project && projectScope(project.projectOrgId, project.projectId)
    const found = parts.get(user === undefined ? `project ${scope}` : `user ${user}`) ?? []
    const isIn = ({ event }: PastChange) => scopeAround(orgId, objectOf(event)) === scope
    return user !== undefined && project ? found.filter(isIn) : found
  }
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
    const scope = scopeAround(metadata.resourceOwner, object)
    if (scope !== undefined) add(`project ${scope}`)
    if (object.type === 'user_grant' || object.type === 'membership') add(`user ${object.userId}`)
  }
  history.indexed = all.length
}

/** The scope of the project that an object of an organization is, or belongs to. */
const scopeAround = (orgId: string, object: ObjectRef): string | undefined => {
  if (object.type === 'project') return projectScope(orgId, object.id)
  if (!('projectId' in object)) return undefined
  const { projectOrgId = orgId } = 'projectOrgId' in object ? object : {}
  return projectScope(projectOrgId, object.projectId)
}

/** The history of an object, and the removals of {@link wholesOf} that ended it. */
const pastWithin = (
  { parts }: History,
  orgId: string,
  { object, wholes }: { readonly object: ObjectRef; readonly wholes: readonly ObjectRef[] },
): readonly PastChange[] => {
  const own = streamOf(orgId, object)
  const removals = wholes.flatMap((whole) =>
    (parts.get(streamOf(orgId, whole)) ?? []).filter(({ after }) => after === undefined),
  )
  const all = [...(parts.get(own) ?? []), ...removals].toSorted((one, other) =>
    one.event.position < other.event.position ? -1 : 1,
  )
  return all.filter((found, index) => {
    const last = all[index - 1]
    return found.event.stream === own || (last?.event.stream === own && last.after !== undefined)
  })
}

const countTo = (past: readonly PastChange[], position: Position): number =>
  countWhile(past, ({ event }) => event.position <= position)

const meets = ({ event }: PastChange, { actor, types }: HistoryQuery): boolean =>
  (actor === undefined || event.metadata.actor.userId === actor) &&
  (types === undefined || types.includes(event.type))

/** The entry shows the roles that were current then. */
const entryOf = (world: World, { event, before, after }: PastChange): HistoryEntry => {
  const ref = objectOf(event)
  const isCurrent = currentIn(world, event.position)
  const entry = historyEntry(event, {
    before: before && shown(ref, before, isCurrent),
    // An event records current roles alone.
    after: after && shown(ref, after, 'roles' in event.data ? undefined : isCurrent),
  })
  return { ...entry, actor: { ...entry.actor } }
}
