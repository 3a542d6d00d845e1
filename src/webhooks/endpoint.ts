import type { Iam, KnownEvent, Position } from '../index.js'

/** A receiver of messages, of one organization or of all. */
export type WebhookEndpoint = EndpointFields &
  (
    | {
        /** The organization whose changes are sent. */
        readonly orgId: string
        /** Absent beside `orgId`. */
        readonly organizations?: undefined
      }
    | {
        /** Sends the changes of all organizations. It is no value of `orgId`: an organization may be called `all`. */
        readonly organizations: 'all'
        /** Absent beside `organizations`. */
        readonly orgId?: undefined
      }
  )

/** What every endpoint has. */
export interface EndpointFields {
  /** Names the endpoint and its cursor: 1 to 200 characters. An endpoint that comes back continues where it was. */
  readonly id: string
  /** Where messages are posted: an absolute URL of `https`. */
  readonly url: string
  /**
   * What messages are signed with, 1 to 10: `whsec_` and 24 to 64 bytes in base64. Each message has a signature of
   * each, so that a receiver takes it with the old secret and with the new one while one is rotated.
   */
  readonly secrets: readonly string[]
  /** Only these event types: 1 to 100; all when absent. */
  readonly types?: readonly KnownEvent['type'][] | undefined
  /**
   * Where a new endpoint begins: after this position, exclusive, `0n` being the start of the log; at the head of the
   * log when absent. Ignored once the endpoint has a cursor.
   */
  readonly after?: Position | undefined
}

/** Why endpoints cannot be served. */
export class InvalidEndpoint extends TypeError {
  override readonly name = 'InvalidEndpoint'
}

const FIELDS = ['id', 'url', 'secrets', 'orgId', 'organizations', 'types', 'after']

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

const CHECKS: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  id: [isEndpointId, 'must be 1 to 200 characters'],
  url: [(value) => isText(value) && URL.canParse(value), 'must be an absolute URL'],
  secrets: [
    (value) => isList(value, 10, (item) => isText(item) && keyOf(item) !== undefined),
    'must be 1 to 10 of whsec_ and 24 to 64 bytes in base64',
  ],
  organizations: [(value) => value === undefined || value === 'all', "must be 'all'"],
  after: [
    (value) => value === undefined || isPosition(value),
    'must be a bigint from 0 to 2 ** 64 - 1',
  ],
}

/** The reason why an endpoint of the host is malformed, if it is: the name of a field, never a value. */
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
    // A subscription checks what it is for when it is made.
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
