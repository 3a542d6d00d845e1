// A process that writes pairs, each an invoice of the host and the right to approve it, until it is killed. Tells of each.

import { DatabaseSync } from 'node:sqlite'
import {
  aesGcmCipher,
  createIam,
  type EventStore,
  type InTransaction,
  type ReadModel,
} from 'claviger'
import { openPostgres, inTransaction as withPostgres } from 'claviger/postgres'
import { openSqlite, inTransaction as withSqlite } from 'claviger/sqlite'
import type { PoolClient } from 'pg'

/** Where the pairs are, and what tells this process from others. */
export interface PairTask {
  readonly place: { readonly connectionString: string } | { readonly file: string }
  readonly name: string
  /** Pairs at the same time. */
  readonly writers: number
}

const open = async ({
  place,
}: PairTask): Promise<{
  readonly store: EventStore
  readonly readModel: ReadModel
  readonly withInvoice: (id: string) => InTransaction
}> => {
  if ('file' in place) {
    const opened = openSqlite(new DatabaseSync(place.file), { views: true })
    const withInvoice = (id: string) =>
      withSqlite((db: DatabaseSync) => {
        db.prepare('INSERT INTO invoice (id) VALUES (?)').run(id)
      })
    return { ...opened, withInvoice }
  }
  const opened = await openPostgres({ ...place, views: true })
  const withInvoice = (id: string) =>
    withPostgres(async (client: PoolClient) => {
      await client.query('INSERT INTO invoice (id) VALUES ($1)', [id])
    })
  return { ...opened, withInvoice }
}

const task: PairTask = JSON.parse(process.argv[2] ?? '')
const { store, readModel, withInvoice } = await open(task)
const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
const iam = createIam({ store, readModel, secrets, authorize: () => true })
const caller = { userId: 'alice', orgId: 'acme' }

await Promise.all(
  Array.from({ length: task.writers }, async (_, writer) => {
    for (let n = 0; ; n++) {
      const id = `${task.name}-${writer}-${n}`
      const given = await iam.userGrants.add(
        { userId: id, projectId: 'portal', roles: [{ roleKey: 'approver' }] },
        { caller, inTransaction: withInvoice(id) },
      )
      if (given.isOk()) process.send?.(id)
    }
  }),
)
