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
import type { Session } from '../method/context.js'

/** Reads that see every write that completed before they began, unless they are eventual. */
export interface FreshReads {
  readonly get: <Type extends ViewType>(
    session: Session,
    ref: RefOf<Type>,
  ) => Promise<Views[Type] | undefined>
  readonly list: <Type extends ViewType>(
    session: Session,
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
    session: Session,
    read: () => Promise<Found>,
    readAtHead: (() => Promise<FoundAtHead<Found>>) | undefined,
  ): Promise<Found> => {
    const isAsked = session.consistency === 'strong' && readAtHead !== undefined
    const first = isAsked ? await fromPort(readAtHead) : undefined
    if (first && first.reached >= first.head) return first.found
    await follow(session, first)
    return fromPort(read)
  }

  return {
    get: <Type extends ViewType>(session: Session, ref: RefOf<Type>) =>
      fresh(
        session,
        () => readModel.get<Type>(session.orgId, ref),
        port && (() => port.get<Type>(session.orgId, ref)),
      ),
    list: (session, query) =>
      fresh(session, () => readModel.list(query), port && (() => port.list(query))),
  }
}
