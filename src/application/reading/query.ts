import { aggregates } from '../../domain/aggregates.js'
import { fieldOf } from '../../domain/values.js'
import type { Host } from '../../ports/host.js'
import type {
  ListQuery,
  ReadMethod,
  ReadMethods,
  ReadQuery,
  ReadResults,
  Views,
  ViewType,
} from '../../ports/read-model.js'
import { identityField } from '../../projections/rows.js'
import { Fault, isUnwritable, unavailable } from '../errors/fault.js'
import { aheadOfLog, checkpointOf } from '../following/catch-up.js'
import { follow } from '../following/follow.js'
import { type Hooks, reportCatchUp, reportFault } from '../hooks.js'
import type { AdmittedCall } from '../method/context.js'
import { fromPort } from '../waiting.js'

/** Queries the read model of a host; a strong call sees every write that completed before it began. */
export type Query = <Method extends ReadMethod, Type extends ViewType>(
  call: Pick<AdmittedCall, 'consistency' | 'signal'>,
  query: ReadQuery<Method, Type>,
) => Promise<ReadResults<Type>[Method]>

/** How often a strong read is tried while the read model falls back after each catch-up. */
const MAX_READS = 5

/**
 * If the ports support it, one query reads and compares checkpoint and head; otherwise `follow` runs first. A result
 * counts if it was read at the head that the first query found, or later, because a server that crashes may lose what
 * the read model had applied. While a read model cannot be written, as on a full disk, a spare one answers.
 */
export const queryOf = (
  host: Pick<Host, 'store' | 'readModel' | 'spareReadModel' | 'environment'>,
  hooks?: Hooks,
): Query => {
  const { store, readModel, environment } = host
  const bringToHead = follow(host, hooks)
  const readAtHead = readModel.readAtHead?.({ store, readModel })
  const spare = spareOf(host, hooks)
  const ask = <Method extends ReadMethod, Type extends ViewType>(
    query: ReadQuery<Method, Type>,
  ): Promise<ReadResults<Type>[Method]> => {
    const reads: ReadMethods<Type> = readModel
    return fromPort(() => reads[query.method](...query.args))
  }
  const askAfterFollowing: Query = async (call, query) => {
    try {
      await bringToHead(call)
      spare.drop()
    } catch (fault) {
      return spare.ask(fault, call, query)
    }
    return ask(query)
  }
  if (!readAtHead)
    return (call, query) =>
      call.consistency === 'strong' ? askAfterFollowing(call, query) : ask(query)
  const applyOwn = async (): Promise<void> => {
    const begin = environment.elapsed()
    const [first, ...others] = (await fromPort(async () => readModel.applyOwn?.())) ?? []
    if (first) {
      const batch = { first, events: 1 + others.length, begin }
      reportCatchUp({ hooks, environment }, readModel, batch)
    }
  }
  const readNow = async <Method extends ReadMethod, Type extends ViewType>(
    query: ReadQuery<Method, Type>,
  ) => {
    if (readModel.applyOwn) await applyOwn()
    return fromPort(() => readAtHead(query))
  }
  const askAtHead: Query = async (call, query) => {
    const first = await readNow(query).catch((fault) => ({ fault }))
    // The tables are made at the first read, which a full disk refuses too.
    if ('fault' in first) return spare.ask(first.fault, call, query)
    let answer = first
    const { head } = answer
    if (answer.reached > head) throw aheadOfLog()
    for (let reads = 1; answer.reached < head; reads++) {
      if (reads === MAX_READS) throw unavailable(new Error(FALLS_BACK), 'not_recorded')
      try {
        await bringToHead(call, { head, reached: answer.reached })
        spare.drop()
      } catch (fault) {
        return spare.ask(fault, call, query)
      }
      answer = await fromPort(() => readAtHead(query))
    }
    return answer.found
  }
  return (call, query) => (call.consistency === 'strong' ? askAtHead(call, query) : ask(query))
}

/** Answers from a read model in memory, built from the log. @throws `fault` unless the disk cannot be written */
type AskSpare = <Method extends ReadMethod, Type extends ViewType>(
  fault: unknown,
  ...args: readonly [Parameters<Query>[0], ReadQuery<Method, Type>]
) => Promise<ReadResults<Type>[Method]>

const spareOf = (host: Parameters<typeof queryOf>[0], hooks: Hooks | undefined) => {
  let query: Query | undefined
  const ask: AskSpare = (fault, ...args) => {
    const { spareReadModel, ...others } = host
    if (!(fault instanceof Fault && spareReadModel)) throw fault
    if (!isUnwritable(fieldOf(fault.error, 'cause'))) throw fault
    reportFault(hooks, 'catchUp', fault.error)
    query ??= queryOf({ ...others, readModel: spareReadModel() })
    return query(...args)
  }
  return {
    ask,
    /** Frees its memory, once the read model was written again. */
    drop: () => {
      query = undefined
    },
  }
}

const FALLS_BACK = 'The read model falls behind again after each catch-up with the log'

/**
 * For an eventual read that found nothing: a read model that was never updated is empty, whatever is in the log.
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
  'The read model is empty: keep it up to date with iam.run(readModel), update it ' +
  "once with iam.catchUp(readModel), or read with consistency: 'strong'"

/** Rows that are read at once. */
const PAGE_SIZE = 1000

/**
 * All objects of a type in an organization, or all roles or grants of a project, in the order of id or key; read strongly.
 */
export async function* allObjects<Type extends ViewType>(
  { query, environment }: { readonly query: Query } & Pick<Host, 'environment'>,
  { signal }: Pick<AdmittedCall, 'signal'>,
  wanted: Pick<ListQuery<Type>, 'type' | 'orgId' | 'projectId'> &
    Partial<Pick<ListQuery<Type>, 'conditions'>>,
): AsyncGenerator<Views[Type]> {
  const { type, orgId } = wanted
  let last: Views[Type] | undefined
  do {
    const after = last && [aggregates[type].key(last, orgId)]
    const page: ListQuery<Type> = {
      conditions: [],
      ...wanted,
      sort: [{ field: identityField[type], direction: 'asc' }],
      limit: PAGE_SIZE,
      ...(after && { after }),
    }
    const { items, hasMore } = await query<'list', Type>(
      { consistency: 'strong', signal },
      { method: 'list', args: [page] },
    )
    yield* items
    await environment.yield()
    last = hasMore ? items.at(-1) : undefined
  } while (last !== undefined)
}
