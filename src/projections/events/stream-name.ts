import { kinds } from '../../domain/kinds.js'
import type { ObjectRef, StreamId } from '../../domain/values.js'

/** The stream of the object that `ref` names within the organization. */
export const streamOf = (orgId: string, ref: ObjectRef): StreamId =>
  kinds[ref.type].stream(orgId, ref)

/** The part of `stream` that says which organization it belongs to; unchecked. */
export const organizationIn = (stream: StreamId): string => {
  const dash = stream.indexOf('-')
  const plus = stream.indexOf('+', dash + 1)
  return stream.slice(dash + 1, plus < 0 ? undefined : plus)
}
