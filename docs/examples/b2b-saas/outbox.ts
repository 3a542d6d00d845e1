// What follows from a change: rows of ours that fall with a role, and a message for the customer's webhook. Both are
// written in the transaction that moves the checkpoint, so each counts once, in whichever instance.
import { type KnownEvent, type Projection, timeOf, toJson } from 'claviger'
import { postgresProjection } from 'claviger/postgres'
import type { Pool, PoolClient } from 'pg'

export const changesProjection = (pool: Pool): Projection =>
  postgresProjection({
    pool,
    name: 'invoicing-changes',
    apply: async (client, events) => {
      for (const event of events) {
        await takeRoles(client, event)
        await queueMessage(client, event)
      }
    },
  })

/** A role that is added again under the same key is another one: nobody has it yet. */
const takeRoles = async (client: PoolClient, event: KnownEvent): Promise<void> => {
  const { resourceOwner } = event.metadata
  if (event.type === 'project_role.removed') {
    const { projectId, roleKey } = event.data
    await client.query(
      `DELETE FROM app.user_roles
       WHERE customer_id = $1 AND project_id = $2 AND role_key = $3 AND role_sequence < $4`,
      [resourceOwner, projectId, roleKey, String(event.position)],
    )
  } else if (event.type === 'project.removed') {
    const text = 'DELETE FROM app.user_roles WHERE customer_id = $1 AND project_id = $2'
    await client.query(text, [resourceOwner, event.data.id])
  }
}

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
