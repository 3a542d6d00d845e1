// A process that writes pairs, each a row of the host and a grant, until it is killed. Tells of each.

import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import {
  aesGcmCipher,
  createIam,
  type EventStore,
  type Iam,
  type InTransaction,
  type ReadModel,
} from 'claviger'
import { openPostgres, inTransaction as withPostgres } from 'claviger/postgres'
import { openSqlite, inTransaction as withSqlite } from 'claviger/sqlite'
import type { PoolClient } from 'pg'

/** Where the pairs are, and what tells this process from others. */
export interface PairTask {
  readonly place: { readonly connectionString: string } | { readonly file: string }
  readonly views: boolean
  readonly name: string
  /** Pairs at the same time. */
  readonly writers: number
}

/** What the process knows of a pair. */
export interface PairNews {
  /** The id of the host's row, of the user, and the idempotency key. */
  readonly id: string
  readonly says: 'begun' | 'recorded' | 'not recorded' | 'unknown'
}

interface Opened {
  readonly store: EventStore
  readonly readModel: ReadModel
  readonly withInvoice: (id: string) => InTransaction
}

const open = async ({ place, views }: PairTask): Promise<Opened> => {
  if ('file' in place) {
    const opened = openSqlite(new DatabaseSync(place.file), { views })
    const withInvoice = (id: string) =>
      withSqlite((db: DatabaseSync) => {
        db.prepare('INSERT INTO invoice (id) VALUES (?)').run(id)
      })
    return { ...opened, withInvoice }
  }
  const opened = await openPostgres({ ...place, views })
  const withInvoice = (id: string) =>
    withPostgres(async (client: PoolClient) => {
      await client.query('INSERT INTO invoice (id) VALUES ($1)', [id])
    })
  return { ...opened, withInvoice }
}

const PAUSE_MS = 20

/** Opens the database as soon as it can be reached. */
const openWhenThere = (task: PairTask): Promise<Opened> =>
  open(task).catch(async () => {
    await setTimeout(PAUSE_MS)
    return openWhenThere(task)
  })

const give = async (iam: Iam, id: string, inTransaction: InTransaction): Promise<PairNews> => {
  try {
    const given = await iam.userGrants.add(
      { userId: id, projectId: 'portal', roles: [{ roleKey: 'approver' }] },
      { caller: { userId: 'alice', orgId: 'acme' }, idempotencyKey: id, inTransaction },
    )
    if (given.isOk()) return { id, says: 'recorded' }
    const isUnknown = given.error.kind === 'Unavailable' && given.error.outcome === 'unknown'
    return { id, says: isUnknown ? 'unknown' : 'not recorded' }
  } catch {
    // The function of the host was cut off.
    return { id, says: 'not recorded' }
  }
}

const task: PairTask = JSON.parse(process.argv[2] ?? '')
const { store, readModel, withInvoice } = await openWhenThere(task)
const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
const iam = createIam({ store, readModel, secrets, authorize: () => true })
const tell = (news: PairNews) => process.send?.(news)

await Promise.all(
  Array.from({ length: task.writers }, async (_, writer) => {
    for (let n = 0; ; n++) {
      const id = `${task.name}-${writer}-${n}`
      tell({ id, says: 'begun' })
      const news = await give(iam, id, withInvoice(id))
      tell(news)
      if (news.says !== 'recorded') await setTimeout(PAUSE_MS)
    }
  }),
)
