// Sends what is in the outbox, signed after Standard Webhooks: each message at least once, those of a customer in order.
import { createHmac } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Pool } from 'pg'

export interface WebhookOptions {
  readonly signal: AbortSignal
  /** Longest wait for an answer, in milliseconds. */
  readonly timeout: number
}

/** For every instance to run until `signal` aborts. */
export const sendWebhooks = async (pool: Pool, options: WebhookOptions): Promise<void> => {
  const { signal } = options
  while (!signal.aborted) {
    const hasSent = await sendNext(pool, options).catch((error: unknown) => console.error(error))
    if (hasSent !== true) await setTimeout(200, undefined, { signal }).catch(() => undefined)
  }
}

interface Webhook {
  readonly customer_id: string
  readonly url: string
  readonly secret: string
}

interface Message {
  readonly position: string
  readonly message: string
}

/** Whoever sets `due_at` has the customer to themselves until then. No connection is held while a request is out. */
const LEASE = `
  UPDATE app.webhooks SET due_at = now() + $1 * interval '1 millisecond'
  WHERE customer_id = (
    SELECT customer_id FROM app.webhooks AS due
    WHERE due_at <= now() AND EXISTS (SELECT FROM app.outbox WHERE customer_id = due.customer_id)
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
  ) RETURNING customer_id, url, secret`

const OLDEST =
  'SELECT position, message FROM app.outbox WHERE customer_id = $1 ORDER BY position LIMIT 1'

const SENT = 'UPDATE app.webhooks SET failures = 0, due_at = now() WHERE customer_id = $1'

/** After a second, two, four …, an hour. */
const FAILED = `
  UPDATE app.webhooks SET failures = failures + 1,
    due_at = now() + least(power(2, least(failures, 20)), 3600) * interval '1 second'
  WHERE customer_id = $1`

const sendNext = async (pool: Pool, { timeout }: WebhookOptions): Promise<boolean> => {
  const { rows: leased } = await pool.query<Webhook>(LEASE, [2.5 * timeout])
  const [webhook] = leased
  if (!webhook) return false
  const { rows: oldest } = await pool.query<Message>(OLDEST, [webhook.customer_id])
  const [message] = oldest
  const isTaken = message && (await post(webhook, message, timeout))
  if (isTaken) await pool.query('DELETE FROM app.outbox WHERE position = $1', [message.position])
  await pool.query(isTaken || !message ? SENT : FAILED, [webhook.customer_id])
  return true
}

const post = async (webhook: Webhook, { position, message }: Message, timeout: number) => {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const key = Buffer.from(webhook.secret.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key).update(`${position}.${timestamp}.${message}`)
  const answer = await fetch(webhook.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': position,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature.digest('base64')}`,
    },
    body: message,
    redirect: 'error',
    signal: AbortSignal.timeout(timeout),
  }).catch(() => undefined) // a fault of theirs: tried again later
  return answer?.ok === true
}
