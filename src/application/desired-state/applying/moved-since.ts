import type { ObjectRef } from '../../../domain/values.js'
import type { Position } from '../../../ports/event-store.js'
import type { Moved, PlanOutdated } from '../../errors/errors.js'

/** An object, its sequence as a plan saw it, and as it is now; undefined for no object. */
export interface Seen {
  readonly object: ObjectRef
  readonly expected: Position | undefined
  readonly actual: Position | undefined
}

/** The refusal of a plan that saw other than there is; undefined when it saw what there is. */
export const movedSince = (objects: readonly Seen[]): PlanOutdated | undefined => {
  const moved = objects
    .filter(({ expected, actual }) => expected !== actual)
    .map(({ object, ...seen }): Moved => ({ object, change: changeOf(seen) }))
  return moved.length > 0 ? { kind: 'PlanOutdated', moved } : undefined
}

const changeOf = ({ expected, actual }: Omit<Seen, 'object'>): Moved['change'] => {
  if (expected === undefined) return 'added'
  return actual === undefined ? 'removed' : 'changed'
}
