import { ok } from 'neverthrow'
import * as z from 'zod/mini'
import { type AnyEvent, ObjectInput } from '../../domain/aggregates.js'
import {
  choice,
  type ObjectRef,
  OrgId,
  ProjectId,
  RoleKey,
  RolePermission,
  requiredText,
  UserId,
} from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { HistoryQuery } from '../../ports/read-model.js'
import {
  date,
  eventTypes,
  firstPositionIn,
  pageSize,
  position,
  targetOfObject,
} from '../method/input.js'
import { type Read, read } from '../method/method.js'
import type { PermissionName } from '../method/names.js'
import type { Runtime } from '../runtime.js'
import type { HistoryPage } from './pages.js'
import { requireCheckpoint } from './query.js'

/** A `Date`, which `stateAt` takes, would otherwise pass as an object without bounds. */
const timeBounds = z.pipe(
  z.custom<NonNullable<ListHistoryInput['time']>>((value) => !(value instanceof Date), {
    error: 'must have from or to',
  }),
  z.strictObject({ from: z.optional(date), to: z.optional(date) }),
)

/** Which changes to list: of the organization, of one object, of one project, or of one user. */
export const ListHistoryInput = z
  .strictObject({
    object: z.optional(ObjectInput),
    including: z.optional(choice(['roles'])),
    user: z.optional(UserId),
    projectId: z.optional(ProjectId),
    projectOrgId: z.optional(OrgId),
    roleKey: z.optional(RoleKey),
    permission: z.optional(RolePermission),
    actor: z.optional(requiredText),
    types: eventTypes,
    order: z._default(choice(['asc', 'desc']), 'asc'),
    after: z._default(position, 0n),
    before: z.optional(position),
    time: z.optional(timeBounds),
    limit: pageSize,
  })
  .check(
    z.refine(({ object, including }) => including === undefined || object?.type === 'project', {
      error: 'needs an object of type project',
      path: ['including'],
    }),
    z.refine(({ object, user }) => object === undefined || user === undefined, {
      error: 'must not be given with object',
      path: ['user'],
    }),
    z.refine(({ object, projectId }) => object === undefined || projectId === undefined, {
      error: 'must not be given with object',
      path: ['projectId'],
    }),
    z.refine(
      ({ projectId, projectOrgId }) => projectOrgId === undefined || projectId !== undefined,
      {
        error: 'needs projectId',
        path: ['projectOrgId'],
      },
    ),
    z.refine(({ projectId, roleKey }) => roleKey === undefined || projectId !== undefined, {
      error: 'needs projectId',
      path: ['roleKey'],
    }),
    z.refine(({ projectId, permission }) => permission === undefined || projectId !== undefined, {
      error: 'needs projectId',
      path: ['permission'],
    }),
  )
export interface ListHistoryInput {
  /** The object by type and ids, even if it was removed. Default: all objects of the organization. */
  readonly object?: ObjectRef | undefined
  /** Only with a project as `object`: also the history of its roles, including removed ones. */
  readonly including?: 'roles' | undefined
  /** Without `object`: the history of this user's grants and memberships, including removed ones. */
  readonly user?: string | undefined
  /**
   * Without `object`: the history of a project with its roles, grants and mappings to its roles. With `user`, only of
   * that user's grants in the project.
   */
  readonly projectId?: string | undefined
  /** Only with `projectId`: the organization that owns the project. Default: the organization of the call. */
  readonly projectOrgId?: string | undefined
  /**
   * Only with `projectId`: what changed the role, and the grants and mappings that gained, lost or deactivated it. A page
   * looks through 5,000 entries, so it may be empty before the last.
   */
  readonly roleKey?: string | undefined
  /** Only with `projectId`: as `roleKey`, for every role that had the permission at the time of the change. */
  readonly permission?: PermissionName | undefined
  /** `userId` of the actor: 1 to 200 characters (code points). Default: any. */
  readonly actor?: string | undefined
  /** Only these event types: 1 to 100. Default: all. */
  readonly types?: readonly AnyEvent['type'][] | undefined
  /** `asc` (default): oldest first. `desc`: newest first. */
  readonly order?: 'asc' | 'desc' | undefined
  /** Only entries above this position, exclusive: `0n` to `2n ** 64n - 1n`. Default: `0n`, the start. */
  readonly after?: Position | undefined
  /** Only entries below this position, exclusive: `0n` to `2n ** 64n - 1n`. Default: no bound. */
  readonly before?: Position | undefined
  /** Only entries of this time, to the millisecond; `after` and `before` apply too. */
  readonly time?:
    | {
        /** Inclusive. Default: no bound. */
        readonly from?: Date | undefined
        /** Exclusive. Default: no bound. */
        readonly to?: Date | undefined
      }
    | undefined
  /** 1 to 1000 entries. Default: 100. */
  readonly limit?: number | undefined
}

/**
 * Lists who changed what and when, including removed objects. The history of an object that is removed with its project
 * or its identity provider ends with the removal of these, unless another organization owns the project.
 */
export const listHistory = (runtime: Runtime): Read<ListHistoryInput, HistoryPage> =>
  read(
    runtime,
    {
      method: 'history.list',
      permissions: ['event.read'],
      schema: ListHistoryInput,
      target: targetOfObject,
    },
    async (call, input) => {
      const { object, including, user, projectId, projectOrgId = call.orgId } = input
      const { roleKey, permission, actor, types, order, limit, ...range } = input
      const query: HistoryQuery = {
        orgId: call.orgId,
        ...boundsOf(range),
        order,
        // One more entry shows whether there is another page.
        limit: limit + 1,
        ...(object !== undefined && { object }),
        ...(including !== undefined && { including }),
        ...(user !== undefined && { user }),
        ...(projectId !== undefined && { project: { projectOrgId, projectId } }),
        ...(actor !== undefined && { actor }),
        ...(types !== undefined && { types }),
      }
      if (projectId !== undefined && (roleKey !== undefined || permission !== undefined)) {
        const asked = { projectOrgId, projectId, roleKey, permission }
        const { roleChanges } = await import('./role-changes.js')
        return ok(await roleChanges(runtime, call, query, asked))
      }
      const found = await runtime.query(call, { method: 'history', args: [query] })
      if (found.length === 0) await requireCheckpoint(runtime, call)
      const items = found.slice(0, limit)
      const last = items.at(-1)
      if (last === undefined || found.length <= limit) return ok({ items })
      const { sequence } = last
      return ok(order === 'asc' ? { items, nextAfter: sequence } : { items, nextBefore: sequence })
    },
  )

type Range = Pick<z.output<typeof ListHistoryInput>, 'after' | 'before' | 'time'>

/** A position contains its time, so bounds on time become bounds on positions. */
const boundsOf = ({ after, before, time }: Range): Pick<HistoryQuery, 'after' | 'before'> => {
  const earliest = time?.from && firstPositionIn(time.from) - 1n
  const end = time?.to && firstPositionIn(time.to)
  const lowest = before === undefined || (end !== undefined && end < before) ? end : before
  return {
    after: earliest !== undefined && earliest > after ? earliest : after,
    ...(lowest !== undefined && { before: lowest }),
  }
}
