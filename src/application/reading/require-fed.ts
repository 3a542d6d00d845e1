import { fromPort, unavailable } from '../errors/fault.js'
import { checkpointOf } from '../following/apply-readable.js'
import type { AdmittedCall } from '../method/context.js'
import type { Runtime } from '../runtime.js'

const NEVER_FED =
  'The read model was never fed, or was emptied: keep it up to date with iam.run(readModel), feed it ' +
  "once with iam.catchUp(readModel), or read with consistency: 'strong'"

/**
 * For an eventual read that found nothing: a read model that is never fed holds no objects, whatever the log holds.
 *
 * @throws Fault when the read model has applied no event, and the store has some
 */
export const requireFed = async (
  { store, readModel }: Runtime,
  { consistency }: Pick<AdmittedCall, 'consistency'>,
): Promise<void> => {
  if (consistency !== 'eventual' || (await checkpointOf(readModel)) > 0n) return
  const head = await fromPort(() => store.lastPosition())
  if (head > 0n) throw unavailable(new Error(NEVER_FED), 'not_recorded')
}
