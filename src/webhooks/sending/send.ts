import { bytesOf, guardedFetch, type NetworkOptions } from '../../network/guarded-fetch.js'
import { NetworkFault, type NetworkReason } from '../../network/network-fault.js'
import type { WebhookEndpoint } from '../endpoint.js'
import type { WebhookMessage } from './message.js'
import { retryAfterOf } from './pauses.js'
import { signatureHeaders } from './signature.js'

/** Most bytes that are read of an answer, so that the connection serves the next request; the rest is cut off. */
const MAX_BYTES = 16 * 1024

/** The status of an answer, or why there was none. */
export type Answer =
  | { readonly status: number; readonly retryAfter: number }
  | { readonly reason: NetworkReason }

/** Posts a message, signed at `now`, in milliseconds since the Unix epoch. */
export const send = async (
  { url, secrets }: WebhookEndpoint,
  message: WebhookMessage,
  { network, now }: { readonly network: NetworkOptions; readonly now: number },
): Promise<Answer> => {
  const body = JSON.stringify(message)
  const timestamp = Math.floor(now / 1_000)
  const signature = await signatureHeaders({ id: message.id, timestamp, body }, secrets)
  const headers = { 'content-type': 'application/cloudevents+json', ...signature }
  let answered: Answer | undefined
  const read = async (answer: Response): Promise<Answer> => {
    const retryAfter = retryAfterOf(answer.headers.get('retry-after'), now)
    answered = { status: answer.status, retryAfter }
    await bytesOf(answer, MAX_BYTES)
    return answered
  }
  try {
    return await guardedFetch(network)({ url, init: { method: 'POST', headers, body }, read })
  } catch (thrown) {
    // The status says whether the message was taken, whatever becomes of the rest.
    if (answered) return answered
    if (thrown instanceof NetworkFault) return { reason: thrown.reason }
    throw thrown
  }
}
