import { checkOptions, FUNCTION, withMethods } from '../check-options.js'
import { hashOf, hexOf } from '../handlers/hash.js'
import type { Iam } from '../index.js'
import type { ScimOptions, ScimRefused } from './handler.js'
import type { ScimDirectory, ScimPlace, ScimRecords } from './ports.js'
import { recordsOf, untilDone, type Versioned } from './records.js'
import { refusalFor } from './refusal.js'

/** Options of `scimTokens`. */
export interface ScimTokenOptions {
  /** Stores hashes, with what providers have pushed: the `records` of `scimHandler`. */
  readonly records: ScimRecords
  /**
   * Returns the place of a provider, with the caller that acts for it. The caller needs `identity_provider.read` besides the permissions that
   * {@link ScimPlace} names.
   */
  readonly placeOf: (directory: ScimDirectory) => ScimPlace | Promise<ScimPlace>
}

/** A token, as pages show it. The token itself is not stored. */
export interface ScimToken {
  /** Names the token in `revoke`. */
  readonly id: string
  /** When it was issued. */
  readonly createdAt: Date
  /** When it was last used, to a minute; absent before its first use. */
  readonly lastUsedAt?: Date
}

/** A request of a provider that was refused or failed. */
export interface RefusedScimRequest {
  /** When it was answered. */
  readonly at: Date
  /** HTTP method. */
  readonly method: string
  /** Path with `basePath`, without the query: at most 300 UTF-16 units. */
  readonly path: string
  /** Status of the response, 400 or more. */
  readonly status: number
  /** The message of the response, in English: at most 300 UTF-16 units. */
  readonly detail: string
}

/** Tokens of providers, and what was refused. */
export interface ScimTokens {
  /** For `scimHandler`. Tokens of providers that were removed are unknown; an inactive provider may only read. */
  readonly authenticate: ScimOptions['authenticate']
  /** For `scimHandler`. Keeps the last ten refusals of each provider, except reads that found nothing (404). */
  readonly onRefused: (refused: ScimRefused) => Promise<void>
  /**
   * Issues a token. Checks no permission: ask it before.
   *
   * @returns the token, to be shown once; undefined if the provider has {@link MAX_SCIM_TOKENS} tokens
   */
  readonly issue: (directory: ScimDirectory) => Promise<string | undefined>
  /** Ends a token. Does nothing for an unknown id. Checks no permission. */
  readonly revoke: (directory: ScimDirectory, id: string) => Promise<void>
  /** Returns the tokens, the newest last, and the last refusals, the newest first. Checks no permission. */
  readonly list: (directory: ScimDirectory) => Promise<{
    /** Tokens that were not revoked. */
    readonly tokens: readonly ScimToken[]
    /** At most ten. */
    readonly refusals: readonly RefusedScimRequest[]
  }>
}

/** Most tokens of a provider: two while one replaces another, and some to spare. */
export const MAX_SCIM_TOKENS = 5

const MAX_REFUSALS = 10

/** Milliseconds between two writes of `lastUsedAt`: not every request writes. */
const LAST_USED_MS = 60_000

/** Longest path and detail that are kept, in UTF-16 units. */
const MAX_TEXT = 300

/** Times are in the form of RFC 3339. */
interface TokenRecord {
  /** `id` is the hash of the token. */
  readonly tokens: readonly {
    readonly id: string
    readonly createdAt: string
    readonly lastUsedAt?: string
  }[]
  readonly refusals: readonly (Omit<RefusedScimRequest, 'at'> & { readonly at: string })[]
}

const tokenRecords = recordsOf<TokenRecord>('token')

/**
 * Bearer tokens for `scimHandler`: each names its provider, and is stored as a hash alone. The console issues them with
 * its option `scim`.
 *
 * @example
 * const tokens = scimTokens(iam, { records, placeOf: ({ orgId, idpId }) => ({ orgId, idpId, caller }) })
 * const { authenticate, onRefused } = tokens
 * const handler = scimHandler(iam, { authenticate, onRefused, users, records, basePath: '/scim/v2' })
 *
 * @throws TypeError for an option that is missing, unknown or malformed
 */
export const scimTokens = (iam: Iam, options: ScimTokenOptions): ScimTokens => {
  checkOptions('scimTokens', options, {
    required: {
      records: withMethods(['read', 'write', 'list'], 'must have read, write and list'),
      placeOf: FUNCTION,
    },
  })
  const { records, placeOf } = options
  const read = async (place: ScimDirectory): Promise<Versioned<TokenRecord>> =>
    (await tokenRecords.read({ records, place }, '')) ?? {
      value: { tokens: [], refusals: [] },
      version: 0,
    }
  /** Changes the record; returns false if `changed` returns undefined, which changes nothing. */
  const change = (
    place: ScimDirectory,
    changed: (before: TokenRecord) => Partial<TokenRecord> | undefined,
  ): Promise<boolean> =>
    untilDone(async () => {
      const { value, version } = await read(place)
      const parts = changed(value)
      if (!parts) return false
      const next = { value: { ...value, ...parts }, version }
      return (await tokenRecords.write({ records, place }, '', next)) || undefined
    })
  const noteUse = (directory: ScimDirectory, id: string) => {
    const lastUsedAt = new Date().toISOString()
    return change(directory, ({ tokens }) => ({
      tokens: tokens.map((each) => (each.id === id ? { ...each, lastUsedAt } : each)),
    }))
  }
  return {
    authenticate: async (headers, signal) => {
      const [, token = ''] = /^Bearer (\S{1,1000})$/i.exec(headers.get('authorization') ?? '') ?? []
      const directory = directoryIn(token)
      const id = await hashOf(token)
      const found = directory && (await read(directory)).value.tokens.find((each) => each.id === id)
      if (!found) return undefined
      const place = { ...(await placeOf(directory)), ...directory }
      const context = { caller: place.caller, orgId: directory.orgId, signal }
      const provider = await iam.identityProviders.get({ idpId: directory.idpId }, context)
      if (provider.isErr()) {
        if (provider.error.kind === 'NotFound') return undefined
        throw refusalFor(provider.error)
      }
      const { lastUsedAt = '' } = found
      if (!(Date.now() - Date.parse(lastUsedAt) < LAST_USED_MS)) await noteUse(directory, id)
      return provider.value.state === 'active' ? place : { ...place, readOnly: true }
    },
    onRefused: async ({ place, method, path, status, detail }) => {
      if (!place || (method === 'GET' && status === 404)) return
      const { orgId, idpId } = place
      const refused = {
        at: new Date().toISOString(),
        method,
        path: path.slice(0, MAX_TEXT),
        status,
        detail: detail.slice(0, MAX_TEXT),
      }
      await change({ orgId, idpId }, ({ refusals }) => ({
        refusals: [refused, ...refusals].slice(0, MAX_REFUSALS),
      }))
    },
    issue: async (directory) => {
      const token = newToken(directory)
      const issued = { id: await hashOf(token), createdAt: new Date().toISOString() }
      const isIssued = await change(directory, ({ tokens }) =>
        tokens.length < MAX_SCIM_TOKENS ? { tokens: [...tokens, issued] } : undefined,
      )
      return isIssued ? token : undefined
    },
    revoke: async (directory, id) => {
      await change(directory, ({ tokens }) => ({ tokens: tokens.filter((each) => each.id !== id) }))
    },
    list: async (directory) => {
      const { tokens, refusals } = (await read(directory)).value
      return {
        tokens: tokens.map(({ id, createdAt, lastUsedAt }) => ({
          id,
          createdAt: new Date(createdAt),
          ...(lastUsedAt !== undefined && { lastUsedAt: new Date(lastUsedAt) }),
        })),
        refusals: refusals.map(({ at, ...refused }) => ({ at: new Date(at), ...refused })),
      }
    },
  }
}

/** The organization and the provider, readable for `authenticate`, and a secret. */
const newToken = ({ orgId, idpId }: ScimDirectory): string => {
  const ids = btoa(`${orgId} ${idpId}`).replaceAll('=', '')
  return `scim_${ids}.${hexOf(crypto.getRandomValues(new Uint8Array(32)))}`
}

const directoryIn = (token: string): ScimDirectory | undefined => {
  const [, ids] = /^scim_([\w+/]+)\.[\da-f]{64}$/.exec(token) ?? []
  if (ids === undefined) return undefined
  try {
    // Only ids: a database may fail for other texts, such as NUL.
    const [, orgId, idpId] = /^([\w.:@~-]{1,64}) ([\w.:@~-]{1,64})$/.exec(atob(ids)) ?? []
    return orgId && idpId ? { orgId, idpId } : undefined
  } catch {
    return undefined
  }
}
