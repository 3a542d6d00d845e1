// What follows from a change: a message for the customer's webhook. It is written in the transaction that moves the
// checkpoint, so each counts once, in whichever instance.
import { type KnownEvent, type Projection, timeOf, toJson } from 'claviger'
import { postgresProjection } from 'claviger/postgres'
import type { Pool, PoolClient } from 'pg'

export const changesProjection = (pool: Pool): Projection =>
  postgresProjection({
    pool,
    name: 'invoicing-changes',
    apply: async (client, events) => {
      for (const event of events) await queueMessage(client, event)
    },
  })

/** Its id is the position of the event: it never changes, and rises. */
const queueMessage = async (client: PoolClient, event: KnownEvent): Promise<void> => {
  const { position, type, data, metadata } = event
  const message = {
    type,
    timestamp: timeOf(position).toISOString(),
    data: toJson(data), // without the sealed secret of a provider
  }
  await client.query(
    `INSERT INTO app.outbox (position, customer_id, message)
     SELECT $1, customer_id, $3 FROM app.webhooks WHERE customer_id = $2`,
    [String(position), metadata.resourceOwner, JSON.stringify(message)],
  )
}
