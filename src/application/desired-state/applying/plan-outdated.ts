import type { ObjectRef } from '../../../domain/values.js'
import type { Position } from '../../../ports/event-store.js'
import type { Moved, PlanOutdated } from '../../errors/errors.js'

/** An object with its sequence in the plan and its current one; undefined when it does not exist. */
export interface PlannedOn {
  readonly object: ObjectRef
  readonly expected: Position | undefined
  readonly actual: Position | undefined
}

/** The refusal of a plan when an object has changed since; undefined when none has. */
export const outdatedBy = (objects: readonly PlannedOn[]): PlanOutdated | undefined => {
  const moved = objects
    .filter(({ expected, actual }) => expected !== actual)
    .map(({ object, expected, actual }): Moved => {
      if (expected === undefined) return { object, change: 'added' }
      return { object, change: actual === undefined ? 'removed' : 'changed' }
    })
  return moved.length > 0 ? { kind: 'PlanOutdated', moved } : undefined
}
