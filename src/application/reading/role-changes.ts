import { fieldOf, type ObjectRef } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { HistoryEntry, HistoryQuery } from '../../ports/read-model.js'
import { streamOf } from '../../projections/read-events.js'
import type { AdmittedCall } from '../method/context.js'
import type { Runtime } from '../runtime.js'
import { inBatches } from '../waiting.js'
import type { HistoryPage } from './pages.js'
import { requireCheckpoint } from './query.js'
import { objectAt } from './state-at.js'

/** The roles that are asked for: one of a project, those with a permission, or both. */
interface RolesAsked {
  readonly projectOrgId: string
  readonly projectId: string
  readonly roleKey?: string | undefined
  readonly permission?: string | undefined
}

/** Entries that one page looks through at most. */
const MOST_LOOKED_AT = 5_000
const BATCH = 500

/** A page of those entries of a project's history that changed one of the roles, or who has it. */
export const roleChanges = async (
  runtime: Runtime,
  call: AdmittedCall,
  query: HistoryQuery,
  asked: RolesAsked,
): Promise<HistoryPage> => {
  const had = await rolesHaving(runtime, call, asked)
  const isAsked = (roleKey: string, at: Position) =>
    (asked.roleKey === undefined || asked.roleKey === roleKey) && had(roleKey, at)
  // The caller asks for one entry more than the page has.
  const limit = query.limit - 1
  const items: HistoryEntry[] = []
  let rest = { ...query, limit: BATCH }
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += BATCH) {
    const found = await runtime.query(call, { method: 'history', args: [rest] })
    if (looked === 0 && found.length === 0) await requireCheckpoint(runtime, call)
    const concerned = await inBatches(runtime.environment, found, (entry) =>
      concerns(runtime, call.orgId, entry, isAsked),
    )
    for (const [at, entry] of found.entries()) {
      if (concerned[at]) items.push(entry)
      if (items.length === limit) return pageBefore(query, items, entry.sequence)
    }
    const last = found.at(-1)
    if (!last || found.length < BATCH) return { items }
    rest = { ...rest, ...boundAt(query, last.sequence) }
  }
  return pageBefore(query, items, query.order === 'desc' ? (rest.before ?? 0n) : rest.after)
}

const boundAt = ({ order }: HistoryQuery, at: Position) =>
  order === 'desc' ? { before: at } : { after: at }

const pageBefore = (
  { order }: HistoryQuery,
  items: readonly HistoryEntry[],
  at: Position,
): HistoryPage => (order === 'desc' ? { items, nextBefore: at } : { items, nextAfter: at })

type IsAsked = (roleKey: string, at: Position) => boolean

/** Whether an entry changed one of the roles or who has it: right before the entry, or right after. */
const concerns = async (
  runtime: Pick<Runtime, 'store'>,
  orgId: string,
  { object, changes, sequence }: HistoryEntry,
  isAsked: IsAsked,
): Promise<boolean> => {
  const isEither = (roleKey: string) =>
    isAsked(roleKey, sequence - 1n) || isAsked(roleKey, sequence)
  // Only what decides access: the beginning and the end of a role, and its permissions.
  if (object.type === 'project_role')
    return isEither(object.roleKey) && changes.some(({ field }) => DECIDING.includes(field))
  const isStateChange = changes.some(
    (change) => change.field === 'state' && 'from' in change && change.from !== undefined,
  )
  if (object.type === 'project') return isStateChange
  const changed = changes.flatMap(({ field }) =>
    field.startsWith(ROLE) ? [field.slice(ROLE.length)] : [],
  )
  if (changed.length > 0 || !isStateChange) return changed.some(isEither)
  return (await rolesAt(runtime, orgId, object, sequence)).some(isEither)
}

const DECIDING = ['permissions', 'state']
/** Begins the field of a role that a grant gives. */
const ROLE = 'roles.'

/** The roles of a grant that was deactivated or reactivated. */
const rolesAt = async (
  runtime: Pick<Runtime, 'store'>,
  orgId: string,
  object: ObjectRef,
  at: Position,
): Promise<readonly string[]> => {
  const row = await objectAt(runtime, streamOf(orgId, object), at)
  return row && 'roles' in row.state
    ? row.state.roles.map((role) => String(fieldOf(role, 'roleKey')))
    : []
}

/** When each role of the project had the permission; always, if none is asked for. */
const rolesHaving = async (
  runtime: Runtime,
  call: AdmittedCall,
  { projectOrgId: orgId, projectId, permission }: RolesAsked,
): Promise<IsAsked> => {
  if (permission === undefined) return () => true
  const steps = new Map<string, { readonly at: Position; readonly has: boolean }[]>()
  const object = { type: 'project', id: projectId } as ObjectRef
  const query = { orgId, object, including: 'roles', types: ROLE_EVENTS, limit: BATCH } as const
  for (let after = 0n; ; ) {
    const found = await runtime.query(call, { method: 'history', args: [{ ...query, after }] })
    for (const { object, type, changes, sequence: at } of found) {
      if (object.type !== 'project_role') continue
      const change = changes.find(({ field }) => field === 'permissions')
      const to = change && 'to' in change && change.to
      const isOver = type !== 'project_role.updated'
      if (!change && !isOver) continue
      const has = Array.isArray(to) && to.includes(permission)
      steps.set(object.roleKey, [...(steps.get(object.roleKey) ?? []), { at, has }])
    }
    const last = found.at(-1)
    if (!last || found.length < BATCH) break
    after = last.sequence
  }
  return (roleKey, at) => steps.get(roleKey)?.findLast((step) => step.at <= at)?.has ?? false
}

const ROLE_EVENTS = ['project_role.added', 'project_role.updated', 'project_role.removed'] as const
