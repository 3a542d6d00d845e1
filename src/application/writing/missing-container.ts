import { exists } from '../../domain/decider.js'
import { type AnyKind, kinds } from '../../domain/kinds.js'
import type { NotFound } from '../../domain/refusals.js'
import type { View } from '../recording/view.js'

/** The refusal when what the object of `ids` lies in does not exist. */
export const missingContainer = (
  view: View,
  { container }: Pick<AnyKind, 'container'>,
  ids: object,
): NotFound | undefined => {
  if (!container) return undefined
  const object = container.ref(ids)
  const { state } = view.read(kinds[container.type], object)
  return exists(state) ? undefined : { kind: 'NotFound', object }
}
