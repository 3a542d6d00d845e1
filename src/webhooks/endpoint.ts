import type { Iam, KnownEvent, Position } from '../index.js'

/** A receiver of messages, of one organization or of all. */
export type WebhookEndpoint = EndpointFields &
  (
    | {
        /** The organization whose changes are sent. */
        readonly orgId: string
        /** Absent with `orgId`. */
        readonly organizations?: undefined
      }
    | {
        /**
         * Sends the changes of all organizations. A field of its own, because an organization may have the id `all`.
         */
        readonly organizations: 'all'
        /** Absent with `organizations`. */
        readonly orgId?: undefined
      }
  )

/** The fields of every endpoint. */
export interface EndpointFields {
  /**
   * Id of the endpoint and its cursor: 1 to 200 characters. An endpoint that is removed and added again continues where
   * it was.
   */
  readonly id: string
  /** Absolute `https` URL to which messages are posted. */
  readonly url: string
  /**
   * Secrets to sign messages with, 1 to 10: `whsec_` and 24 to 64 bytes in base64. Each message is signed with every
   * secret, so that a receiver accepts it with the old and the new secret during a rotation.
   */
  readonly secrets: readonly string[]
  /**
   * Headers for a gateway or a collector in front of the receiver, such as `authorization`: at most 20, values of visible
   * ASCII characters and spaces, 8,192 characters together. Not those that HTTP or a message sets. They are secrets like
   * `secrets`: no error, delivery or status contains a value.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Only these event types: 1 to 100. Default: all. */
  readonly types?: readonly KnownEvent['type'][] | undefined
  /**
   * Position after which a new endpoint begins; `0n` is the start of the log. Default: the head of the log. Ignored
   * once the endpoint has a cursor.
   */
  readonly after?: Position | undefined
}

/** Error for endpoints that are malformed. */
export class InvalidEndpoint extends TypeError {
  override readonly name = 'InvalidEndpoint'
}

const FIELDS = ['id', 'url', 'secrets', 'headers', 'orgId', 'organizations', 'types', 'after']

const MAX_POSITION = 2n ** 64n - 1n

export const isPosition = (value: unknown): value is Position =>
  typeof value === 'bigint' && value >= 0n && value <= MAX_POSITION

export const isEndpointId = (value: unknown): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  [...value].length <= 200 &&
  value.isWellFormed() &&
  !value.includes('\0')

/** Whether a value is a list of 1 to `most` valid items. */
const isList = (value: unknown, most: number, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length >= 1 && value.length <= most && value.every(isItem)

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Headers that are about the connection or the message itself. */
const RESERVED =
  /^(accept-encoding|connection|content-.*|cookie2?|date|expect|host|keep-alive|origin|proxy-.*|referer|sec-.*|te|trailer|transfer-encoding|upgrade|via|webhook-.*)$/i

const areHeaders = (value: unknown): boolean => {
  // A `Headers` or a `Map` has no entries of its own: its headers would be left out.
  if (Object.prototype.toString.call(value) !== '[object Object]') return false
  const headers = Object.entries(Object(value))
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  return (
    names.size === headers.length &&
    headers.length <= 20 &&
    headers.flat().join('').length <= 8_192 &&
    headers.every(
      ([name, text]) =>
        /^[\w!#$%&'*+.^`|~-]+$/.test(name) &&
        !RESERVED.test(name) &&
        typeof text === 'string' &&
        /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text),
    )
  )
}

const CHECKS: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  id: [isEndpointId, 'must be 1 to 200 characters'],
  url: [(value) => isText(value) && URL.canParse(value), 'must be an absolute URL'],
  secrets: [
    (value) => isList(value, 10, (item) => isText(item) && keyOf(item) !== undefined),
    'must be 1 to 10 texts: whsec_ followed by 24 to 64 bytes in base64',
  ],
  headers: [
    (value) => value === undefined || areHeaders(value),
    'must be at most 20 headers of visible ASCII characters, 8,192 together, and none that HTTP or a message sets',
  ],
  organizations: [(value) => value === undefined || value === 'all', "must be 'all'"],
  after: [
    (value) => value === undefined || isPosition(value),
    'must be a bigint from 0 to 2 ** 64 - 1',
  ],
}

/** Why an endpoint is malformed, if it is. It names a field, never a value. */
export const objectionTo = (
  endpoint: WebhookEndpoint,
  iam: Pick<Iam, 'subscribe'>,
): string | undefined => {
  const unknown = Object.keys(Object(endpoint)).find((name) => !FIELDS.includes(name))
  if (unknown !== undefined) return `${unknown} is not a field of an endpoint`
  for (const [name, [isValid, description]] of Object.entries(CHECKS))
    if (!isValid(Reflect.get(Object(endpoint), name))) return `${name} ${description}`
  if ((endpoint.orgId !== undefined) === (endpoint.organizations !== undefined))
    return "orgId must name an organization, or organizations must be 'all'"
  try {
    // A subscription checks its options when it is made.
    iam.subscribe({ orgId: endpoint.orgId, types: endpoint.types })
    return undefined
  } catch (error) {
    if (error instanceof TypeError) return error.message
    throw error
  }
}

/** Base64 without white space, which `atob` would leave out and receivers may not. */
const SECRET = /^whsec_([A-Za-z\d+/]+={0,2})$/

/** The bytes of a secret of Standard Webhooks; undefined if it is malformed. */
export const keyOf = (secret: string): Uint8Array<ArrayBuffer> | undefined => {
  const [, encoded] = SECRET.exec(secret) ?? []
  if (encoded === undefined) return undefined
  try {
    const bytes = Uint8Array.from(atob(encoded), (each) => each.charCodeAt(0))
    return bytes.length >= 24 && bytes.length <= 64 ? bytes : undefined
  } catch {
    return undefined
  }
}
