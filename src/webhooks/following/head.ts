import { type Iam, orThrow, type Position, type Projection } from '../../index.js'
import { MAX_POSITION } from '../endpoint.js'

/** Position of the last event of the log; `0n` before the first. @throws IamFailure */
export const headOf = async (iam: Pick<Iam, 'catchUp'>, signal: AbortSignal): Promise<Position> => {
  let head = 0n
  let checkpoint = 0n
  // A view that is done with its first batch: only the progress says where the log ends.
  const view: Projection = {
    name: 'webhooks',
    checkpoint: async () => checkpoint,
    apply: async () => {
      checkpoint = MAX_POSITION
      return true
    },
    reset: async () => undefined,
  }
  const onProgress = (progress: { readonly head: Position }) => {
    head = progress.head
  }
  await orThrow(iam.catchUp(view, { onProgress, signal }))
  return head
}
