import { exists } from '../../src/domain/aggregate.js'
import { type AnyEvent, type AnyState, aggregates } from '../../src/domain/aggregates.js'
import { fold } from '../../src/domain/decider.js'
import type { Fact } from '../../src/domain/facts.js'
import type { ViewType } from '../../src/ports/read-model.js'

/** The state of an object after its events; undefined if it does not exist. */
const stateAfter = (type: ViewType, events: readonly AnyEvent[]): AnyState | undefined => {
  const state = fold(aggregates[type].decider, events)
  return exists(state) ? (state as AnyState) : undefined
}

/** What reads show of an object after its events; undefined if it does not exist. */
export const shownAfter = (type: ViewType, events: readonly AnyEvent[], orgId = 'acme') => {
  const state = stateAfter(type, events)
  return state && aggregates[type].show(state, events[0]?.data ?? {}, orgId)
}

/** What an object contributes to the roles of users after its events. */
export const factAfter = (
  type: ViewType,
  events: readonly AnyEvent[],
  orgId = 'acme',
): Fact | undefined => {
  const state = stateAfter(type, events)
  return state && aggregates[type].fact?.(state, events[0]?.data ?? {}, orgId)
}

/** What reads show after an event, by what they showed before it: nothing, or an active or inactive object. */
export const viewsOf =
  (type: ViewType, added: AnyEvent, deactivated?: AnyEvent, orgId?: string) =>
  (before: { readonly state: string } | undefined, event: AnyEvent) => {
    const past = before ? [added] : []
    const suspended = before?.state === 'inactive' && deactivated ? [deactivated] : []
    return shownAfter(type, [...past, ...suspended, event], orgId)
  }
