import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { type HistoryEntry, type JsonObject, toJson } from '../index.js'
import { NetworkFault, type NetworkReason } from '../network/fault.js'
import { bytesOf, request } from '../network/request.js'
import { keyOf, type WebhookEndpoint } from './endpoint.js'
import type { Setup } from './options.js'

/** The body of a message: a CloudEvent 1.0 in JSON. */
export interface WebhookMessage {
  /** Version of CloudEvents. */
  readonly specversion: '1.0'
  /**
   * Unique id, the same in each attempt and in the header `webhook-id`: 16 digits for the log and `source`, `-`, and
   * the position of the event. It rises with the log.
   */
  readonly id: string
  /** The option `source`. Default: `claviger`. */
  readonly source: string
  /** Type of the event, such as `project.added`. */
  readonly type: string
  /** Type and ids of the object, percent-encoded, between slashes: `project_role/p1/editor`. */
  readonly subject: string
  /** Time of the event: RFC 3339, UTC, with milliseconds. */
  readonly time: string
  /** The organization that the object belongs to. */
  readonly orgid: string
  /** Media type of `data`. */
  readonly datacontenttype: 'application/json'
  /** The entry of `iam.history.list`, in the JSON form of `toJson`. */
  readonly data: JsonObject<HistoryEntry>
}

/** Where a message comes from. */
interface MessageSource {
  readonly orgId: string
  readonly source: string
  /** @see Log.id */
  readonly logId: string
}

/** Turns an entry of the history into a message. */
export const messageOf = (
  entry: HistoryEntry,
  { orgId, source, logId }: MessageSource,
): WebhookMessage => ({
  specversion: '1.0',
  id: `${logId}-${entry.sequence}`,
  source,
  type: entry.type,
  subject: Object.values(entry.object).map(encodeURIComponent).join('/'),
  time: entry.time.toISOString(),
  orgid: orgId,
  datacontenttype: 'application/json',
  data: toJson(entry),
})

/** Most bytes of a response that are read, so that the connection can serve the next request. */
const MAX_BYTES = 16 * 1024

/** The status of a response, or why there was none. */
export type Answer =
  | { readonly status: number; readonly retryAfter: number }
  | { readonly reason: NetworkReason }

/** Posts a message, signed at `now`, in milliseconds since the Unix epoch. */
export const send = async (
  { url, secrets, headers: ofEndpoint }: WebhookEndpoint,
  message: WebhookMessage,
  { network, environment }: Pick<Setup, 'network' | 'environment'>,
): Promise<Answer> => {
  const body = JSON.stringify(message)
  const timestamp = Math.floor(environment.now() / 1_000)
  const signed = utf8ToBytes(`${message.id}.${timestamp}.${body}`)
  const headers = {
    ...ofEndpoint,
    'content-type': 'application/cloudevents+json',
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => sign(secret, signed)).join(' '),
  }
  let answered: Answer | undefined
  const read = async (answer: Response): Promise<Answer> => {
    const retryAfter = retryAfterOf(answer.headers.get('retry-after'), environment.now())
    answered = { status: answer.status, retryAfter }
    await bytesOf(answer, MAX_BYTES)
    return answered
  }
  try {
    return await request(network)({ url, init: { method: 'POST', headers, body }, read })
  } catch (thrown) {
    // The status decides, even if the rest of the response is lost.
    if (answered) return answered
    if (thrown instanceof NetworkFault) return { reason: thrown.reason }
    throw thrown
  }
}

/** `Retry-After` in milliseconds: seconds or a date; 0 when it is neither. */
const retryAfterOf = (header: string | null, now: number): number => {
  if (header === null) return 0
  if (/^\d+$/.test(header)) return Number(header) * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? 0 : Math.max(0, date - now)
}

/** An HMAC-SHA256 signature of Standard Webhooks. */
const sign = (secret: string, content: Uint8Array): string => {
  const key = keyOf(secret)
  if (!key) throw new Error('A secret of an endpoint has become malformed')
  const signature = hmac(sha256, key, content)
  return `v1,${btoa(String.fromCharCode(...signature))}`
}
