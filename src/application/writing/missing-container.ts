import { type AnyAggregate, aggregates } from '../../domain/aggregates.js'
import type { NotFound } from '../../domain/decider.js'
import { exists } from '../../domain/decider.js'
import type { View } from '../recording/view.js'

/** The refusal when what the object of `ids` lies in does not exist. */
export const missingContainer = (
  view: View,
  { container }: Pick<AnyAggregate, 'container'>,
  ids: object,
): NotFound | undefined => {
  if (!container) return undefined
  const object = container.ref(ids)
  const { state } = view.read(aggregates[container.type], object)
  return exists(state) ? undefined : { kind: 'NotFound', object }
}
