import type { EventStore } from '../../../ports/event-store.js'
import type { ReadModel } from '../../../ports/read-model.js'
import { positionColumns } from '../../sql/read-model/tables.js'
import { limited } from '../connection/clients.js'
import type { Connections } from '../connection/connections.js'
import { postgresDialect } from '../read-model/dialect.js'
import { replicatedReadModel } from './replicated-read-model.js'
import { standbyReads } from './standby-reads.js'
import type { Positions } from './waiting-reads.js'

/** Longest time that a read waits for the standby, unless the host sets another, in milliseconds. */
const DEFAULT_MAX_WAIT_MS = 500

/** Where the primary is, and a standby of it. */
interface Servers {
  readonly primary: Connections
  readonly standby: Connections
  /** Quoted. */
  readonly schema: string
}

/** `readModel`, the one beside `store` on the primary, read on the standby. */
export const onReplica = (
  { readModel, store }: { readonly readModel: ReadModel; readonly store: EventStore },
  { primary, standby, schema }: Servers,
  maxWait: number = DEFAULT_MAX_WAIT_MS,
): ReadModel => {
  const text = `SELECT ${positionColumns(postgresDialect(schema))}`
  const positions = async (): Promise<Positions> => {
    const [row] = await primary.read({ name: `${schema} moment`, text })
    return { head: BigInt(row?.[0] ?? 0), reached: BigInt(row?.[1] ?? 0) }
  }
  return replicatedReadModel({
    store,
    primary: readModel,
    positions,
    standby: standbyReads(standby, schema, store),
    maxWait: limited(maxWait),
  })
}
