// What a customer runs: takes each message once, however often it comes.
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface Received {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly body: string
}

export interface ReceiverOptions {
  readonly secret: string
  /**
   * In one transaction: `UPDATE received SET last = $id WHERE last < $id`, and what the message says when that has
   * changed the row. Ids rise, and messages come in order: what is not above the last one was here before.
   */
  readonly takeOnce: (id: bigint, message: unknown) => Promise<void>
}

/** Answers with the HTTP status. */
export const webhookReceiver =
  ({ secret, takeOnce }: ReceiverOptions) =>
  async ({ id, timestamp, signature, body }: Received): Promise<number> => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    const right = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
    const given = Buffer.from(signature.replace('v1,', ''), 'base64')
    if (given.length !== right.length || !timingSafeEqual(given, right)) return 401
    if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return 401 // sent again by somebody else
    await takeOnce(BigInt(id), JSON.parse(body))
    return 204
  }
