import type { Host } from '../../ports/host.js'
import type {
  FoundAtHead,
  Listing,
  ListQuery,
  RefOf,
  Views,
  ViewType,
} from '../../ports/read-model.js'
import { fromPort } from '../errors/fault.js'
import type { Follow } from '../following/follow.js'
import type { AdmittedCall } from '../method/context.js'

/** Reads that see every write that completed before they began, unless they are eventual. */
export interface FreshReads {
  readonly get: <Type extends ViewType>(
    call: AdmittedCall,
    ref: RefOf<Type>,
  ) => Promise<Views[Type] | undefined>
  readonly list: <Type extends ViewType>(
    call: AdmittedCall,
    query: ListQuery<Type>,
  ) => Promise<Listing<Views[Type]>>
}

/** Reads and finds out in one question whether that is up to date, where the ports can; otherwise follows first. */
export const freshReads = (
  { store, readModel }: Pick<Host, 'store' | 'readModel'>,
  follow: Follow,
): FreshReads => {
  const port = readModel.readAtHead?.({ store, readModel })

  const fresh = async <Found>(
    call: AdmittedCall,
    read: () => Promise<Found>,
    readAtHead: (() => Promise<FoundAtHead<Found>>) | undefined,
  ): Promise<Found> => {
    const isAsked = call.consistency === 'strong' && readAtHead !== undefined
    const first = isAsked ? await fromPort(readAtHead) : undefined
    if (first && first.reached >= first.head) return first.found
    await follow(call, first)
    return fromPort(read)
  }

  return {
    get: <Type extends ViewType>(call: AdmittedCall, ref: RefOf<Type>) =>
      fresh(
        call,
        () => readModel.get<Type>(call.orgId, ref),
        port && (() => port.get<Type>(call.orgId, ref)),
      ),
    list: (call, query) =>
      fresh(call, () => readModel.list(query), port && (() => port.list(query))),
  }
}
