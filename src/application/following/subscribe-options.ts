import * as z from 'zod/mini'
import { type AnyEvent, ObjectInput } from '../../domain/kinds.js'
import { type ObjectRef, OrgId } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import { eventTypes, position } from '../method/bounds.js'
import { isSignal } from '../method/context.js'
import { parse } from '../method/parse.js'

/** Which events a subscription is for. */
export interface SubscribeOptions {
  /** Any of these event types: 1 to 100; every type when absent. */
  readonly types?: readonly AnyEvent['type'][] | undefined
  /** Position after which to begin, exclusive; `0n`, all there are, when absent. */
  readonly after?: Position | undefined
  /** Events of one organization. */
  readonly orgId?: string | undefined
  /**
   * Events of one object of `orgId`, by its type and ids. Those of a role end with the `project.removed`
   * of its project when the role existed then: that has no event of its own.
   */
  readonly object?: ObjectRef | undefined
  /**
   * `'head'`: ends by itself after the events that were there when it was first asked for one. Goes on with
   * what comes when absent.
   */
  readonly until?: 'head' | undefined
  /** Ends the subscription, also while it waits or the store is silent. */
  readonly signal?: AbortSignal | undefined
}

const SubscribeInput = z
  .strictObject({
    after: z._default(position, 0n),
    types: eventTypes,
    orgId: z.optional(OrgId),
    object: z.optional(ObjectInput),
    until: z.optional(z.literal('head', { error: "must be 'head'" })),
  })
  .check(
    z.refine(({ orgId, object }) => orgId !== undefined || object === undefined, {
      error: 'must be given with object',
      path: ['orgId'],
    }),
  )

/** What a subscription was found to be for. */
export interface Subscription extends z.output<typeof SubscribeInput> {
  readonly signal?: AbortSignal | undefined
}

/** @throws TypeError naming each option that is unknown or malformed */
export const subscriptionOf = ({ signal, ...given }: SubscribeOptions = {}): Subscription => {
  if (!isSignal(signal)) throw new TypeError('signal must be an AbortSignal')
  const parsed = parse(SubscribeInput, given)
  if (parsed.isOk()) return { ...parsed.value, signal }
  const { violations } = parsed.error
  throw new TypeError(
    violations.map(({ field, description }) => `${field} ${description}`).join('; '),
  )
}
