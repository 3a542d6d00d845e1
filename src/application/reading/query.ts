import type { Host } from '../../ports/host.js'
import type {
  ReadMethod,
  ReadMethods,
  ReadQuery,
  ReadResults,
  ViewType,
} from '../../ports/read-model.js'
import { fromPort, unavailable } from '../errors/fault.js'
import { checkpointOf } from '../following/catch-up.js'
import type { Follow } from '../following/follow.js'
import type { AdmittedCall } from '../method/context.js'

/** Queries the read model of a host; a strong call sees every write that completed before it began. */
export type Query = <Method extends ReadMethod, Type extends ViewType>(
  call: Pick<AdmittedCall, 'consistency' | 'signal'>,
  query: ReadQuery<Method, Type>,
) => Promise<ReadResults<Type>[Method]>

/** Where the ports offer it, one query reads and compares checkpoint and head; otherwise `follow` comes first. */
export const queryOf = (
  { store, readModel }: Pick<Host, 'store' | 'readModel'>,
  follow: Follow,
): Query => {
  const readAtHead = readModel.readAtHead?.({ store, readModel })
  return async <Method extends ReadMethod, Type extends ViewType>(
    call: Parameters<Query>[0],
    query: ReadQuery<Method, Type>,
  ): Promise<ReadResults<Type>[Method]> => {
    if (readAtHead && call.consistency === 'strong') {
      const first = await fromPort(() => readAtHead(query))
      if (first.reached >= first.head) return first.found
      await follow(call, first)
      return (await fromPort(() => readAtHead(query))).found
    }
    if (call.consistency === 'strong') await follow(call)
    const reads: ReadMethods<Type> = readModel
    return fromPort(() => reads[query.method](...query.args))
  }
}

/**
 * For an eventual read that found nothing: a read model that is never fed holds no objects, whatever the log holds.
 *
 * @throws Fault when the read model has applied no event, and the store has some
 */
export const requireCheckpoint = async (
  { store, readModel }: Pick<Host, 'store' | 'readModel'>,
  { consistency }: Pick<AdmittedCall, 'consistency'>,
): Promise<void> => {
  if (consistency !== 'eventual' || (await checkpointOf(readModel)) > 0n) return
  const head = await fromPort(() => store.lastPosition())
  if (head > 0n) throw unavailable(new Error(NEVER_FED), 'not_recorded')
}

const NEVER_FED =
  'The read model was never fed, or was emptied: keep it up to date with iam.run(readModel), feed it ' +
  "once with iam.catchUp(readModel), or read with consistency: 'strong'"
