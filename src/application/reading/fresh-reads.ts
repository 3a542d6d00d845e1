import type { AccessQuery, HeldRolesQuery, HoldersQuery } from '../../ports/access-reads.js'
import type { Host } from '../../ports/host.js'
import type { FoundAtHead, ListQuery, RefOf, ViewType } from '../../ports/read-model.js'
import { fromPort } from '../errors/fault.js'
import type { Follow } from '../following/follow.js'
import type { AdmittedCall } from '../method/context.js'

/** Reads that see every write that completed before they began, unless the call is eventual. */
export type FreshReads = ReturnType<typeof freshReads>

/** What of a call a read goes by. */
export type FreshCall = Pick<AdmittedCall, 'consistency' | 'signal'>

/** Where the ports offer it, one query reads and compares checkpoint and head; otherwise `follow` comes first. */
export const freshReads = (
  { store, readModel }: Pick<Host, 'store' | 'readModel'>,
  follow: Follow,
) => {
  const atHead = readModel.readAtHead?.({ store, readModel })

  const fresh = async <Found>(
    call: FreshCall,
    read: () => Promise<Found>,
    readAtHead: (() => Promise<FoundAtHead<Found>>) | undefined,
  ): Promise<Found> => {
    const first =
      readAtHead && call.consistency === 'strong' ? await fromPort(readAtHead) : undefined
    if (first && first.reached >= first.head) return first.found
    await follow(call, first)
    return fromPort(read)
  }

  return {
    get: <Type extends ViewType>(call: AdmittedCall, ref: RefOf<Type>) =>
      fresh(
        call,
        () => readModel.get<Type>(call.orgId, ref),
        atHead && (() => atHead.get<Type>(call.orgId, ref)),
      ),
    list: <Type extends ViewType>(call: AdmittedCall, query: ListQuery<Type>) =>
      fresh(call, () => readModel.list(query), atHead && (() => atHead.list(query))),
    access: (call: AdmittedCall, query: AccessQuery) =>
      fresh(call, () => readModel.access(query), atHead && (() => atHead.access(query))),
    heldRoles: (call: AdmittedCall, query: HeldRolesQuery) =>
      fresh(call, () => readModel.heldRoles(query), atHead && (() => atHead.heldRoles(query))),
    holders: (call: AdmittedCall, query: HoldersQuery) =>
      fresh(call, () => readModel.holders(query), atHead && (() => atHead.holders(query))),
    route: (call: FreshCall, domain: string) =>
      fresh(call, () => readModel.route(domain), atHead && (() => atHead.route(domain))),
  }
}
