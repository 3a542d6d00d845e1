import { signal } from '@preact/signals'
import type { WireMethod } from '../../transport/wire.js'
import { learn } from './known.js'
import { settings } from './settings.js'

/** Where the console is mounted: the script lies in `assets/` below it. */
export const mount = new URL('..', import.meta.url)

/** Any JSON object of the interface. */
export type Json = { readonly [name: string]: JsonValue | undefined }
export type JsonValue = string | number | boolean | null | Json | readonly JsonValue[]

/** An object of any type: its fields by name, and what every object has. */
export type StoredObject = Json & { readonly details: ObjectDetails }
export type ObjectDetails = {
  readonly sequence: string
  readonly creationDate: string
  readonly changeDate: string
  readonly resourceOwner: string
}

/** The change of a field; for a secret, only whether it changes. */
export interface FieldChange {
  readonly field: string
  readonly from?: JsonValue
  readonly to?: JsonValue
  readonly changed?: boolean
  readonly secret?: string
}

/** The roles of users that a write would end and begin. */
export interface Impact {
  readonly loses?: AffectedRoles
  readonly gains?: AffectedRoles
}
export interface AffectedRoles {
  readonly count?: number
  readonly first?: readonly {
    readonly orgId: string
    readonly userId: string
    readonly roleKey: string
  }[]
}

/** Why a call failed. */
export interface Failure {
  /** 0 when no answer came. */
  readonly status: number
  readonly reason: string
  readonly message: string
  readonly metadata: Readonly<Record<string, string>>
  /** The ids of the object that it is about; empty without one. */
  readonly object: string
  readonly violations: readonly { readonly field: string; readonly description: string }[]
  /** How many rows were read before, of a list that is read to its end. */
  readonly count?: number
}

export type Outcome<Body = Json> =
  | { readonly body: Body; readonly etag: string }
  | { readonly failure: Failure }

export interface Call {
  readonly method: string
  readonly path: string
  readonly body?: Json | undefined
  readonly etag?: string | undefined
  /** Idempotency key of a write. */
  readonly key?: string | undefined
  readonly signal?: AbortSignal
  /** Whether cookies of the answer are kept, also behind a link. */
  readonly keepsCookies?: boolean
}

/** Whether the last call got no answer, or none of the host. */
export const outage = signal<'offline' | 'unavailable' | undefined>(undefined)

/** Whether the session has ended. Nothing is shown then, and nothing is asked. */
export const isSignedOut = signal(false)

/** The token of a set-up link; empty in the console. It is sent in a header alone. */
let linkToken = ''

/** Where the token outlives a reload: in this window, until it is closed or the link has ended. */
const KEPT = `claviger ${mount.pathname}`

/** Makes all calls those of a set-up link; without a token, of the link that was open before a reload. */
export const actByLink = (token: string): void => {
  linkToken = token || kept((storage) => storage.getItem(KEPT)) || '-'
  kept((storage) => storage.setItem(KEPT, linkToken))
}

/** Forgets the link, which has ended. */
export const leaveLink = (): void => {
  linkToken = '-'
  kept((storage) => storage.removeItem(KEPT))
}

/** The organization that this window shows, if it is not the caller's own. */
const ACTING = `claviger organization ${mount.pathname}`
export const actingFor = (): string =>
  (!settings.isLink && kept((storage) => storage.getItem(ACTING))) || ''

/** Switches this window to another organization; empty for the caller's own. Reloads, because every page is about it. */
export const actFor = (orgId: string): void => {
  kept((storage) => storage.setItem(ACTING, orgId))
  window.location.assign(mount)
}

/** A browser may keep nothing, and throws then. */
const kept = <Value>(use: (storage: Storage) => Value): Value | undefined => {
  try {
    return use(sessionStorage)
  } catch {
    return undefined
  }
}

/** Sends a call to the JSON interface. */
export const call = async <Body = Json>(request: Call): Promise<Outcome<Body>> => {
  const { method, path, body, etag, key, signal = null, keepsCookies } = request
  const headers = new Headers()
  if (body) headers.set('content-type', 'application/json')
  if (etag) headers.set('if-match', etag)
  if (key) headers.set('idempotency-key', key)
  if (linkToken) headers.set('authorization', `Bearer ${linkToken}`)
  if (actingFor()) headers.set(settings.organizationHeader, actingFor())
  const url = new URL(`api${path}`, mount)
  // A browser resolves an id `..` in a path, and would ask for something else.
  if (!url.pathname.endsWith(`/api${path.split('?')[0]}`))
    return { failure: failureOf(404, { details: [{ reason: 'NOT_FOUND' }] }) }
  try {
    const response = await fetch(url, {
      method,
      headers,
      signal,
      credentials: linkToken && !keepsCookies ? 'omit' : 'same-origin',
      body: body ? JSON.stringify(body) : null,
    })
    outage.value = response.status === 503 ? 'unavailable' : undefined
    if (response.status === 401) {
      isSignedOut.value = true
      if (linkToken) leaveLink()
    }
    const answer = await response.json()
    if (answer.names) learn(answer.names)
    if (response.ok) return { body: answer, etag: response.headers.get('etag') ?? '' }
    return { failure: failureOf(response.status, answer) }
  } catch (thrown) {
    // A proxy in front of the host answers with HTML instead of JSON.
    const status = thrown instanceof SyntaxError ? 503 : 0
    if (!signal?.aborted) outage.value = status === 0 ? 'offline' : 'unavailable'
    return { failure: failureOf(status, {}) }
  }
}

/** A `google.rpc.Status` in JSON. */
interface Status {
  readonly message?: string
  readonly details?: readonly {
    readonly reason?: string
    readonly metadata?: Failure['metadata']
    readonly resourceName?: string
    readonly fieldViolations?: Failure['violations']
  }[]
}

const failureOf = (status: number, { message = '', details = [] }: Status): Failure => ({
  status,
  message,
  reason: details.find(({ reason }) => reason)?.reason ?? '',
  metadata: details.find(({ metadata }) => metadata)?.metadata ?? {},
  object: details.find(({ resourceName }) => resourceName)?.resourceName ?? '',
  violations: details.find(({ fieldViolations }) => fieldViolations)?.fieldViolations ?? [],
})

/** A path with a query; empty values are left out. */
export const withQuery = (
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): string => {
  const present = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  if (present.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(present)}`
}

/** The path of a call: parameters that it does not name are in its query. */
export const pathOf = ({ path = '', request }: WireMethod, parameters: Json = {}): string => {
  const others = new Map(Object.entries(parameters))
  const filled = path.replace(/\{(\w+)\}/g, (_, named) => {
    const name = request.fields.find(({ protoName }) => protoName === named)?.name ?? ''
    const value = others.get(name)
    others.delete(name)
    return encodeURIComponent(String(value ?? ''))
  })
  const query = [...others].map(([name, value]) => [name, String(value ?? '')])
  return withQuery(filled, Object.fromEntries(query))
}

/** How the rows of a list are read page by page. */
export interface Pages {
  /** The field of a page that has the rows, and the one that has the cursor of the next page. */
  readonly items: string
  readonly next: string
  /** The parameter that asks for the next page. */
  readonly cursor: string
}

/** The pages of a list. A history goes backwards. */
export const pagesOf = ({ response: { fields } }: WireMethod): Pages => {
  const items = fields.find(({ isList }) => isList)?.name ?? ''
  return fields.some(({ name }) => name === 'nextBefore')
    ? { items, next: 'nextBefore', cursor: 'before' }
    : { items, next: 'nextPageToken', cursor: 'page_token' }
}

/** The rows of a page. */
export const rowsIn = <Row = StoredObject>(page: Json, { items }: Pages): readonly Row[] =>
  (page[items] ?? []) as readonly Row[]

/**
 * A call of an operation: values that its path does not name are in the body, or in the query where it has none.
 */
export const requestOf = (
  operation: WireMethod,
  values: Json,
): Pick<Call, 'method' | 'path' | 'body'> => {
  const { verb: method = '', path = '', hasBody, request } = operation
  if (!hasBody) return { method, path: pathOf(operation, values) }
  const inPath = request.fields.filter(({ protoName }) => path.includes(`{${protoName}}`))
  const named = (isIn: boolean) =>
    Object.fromEntries(
      Object.entries(values).filter(([each]) => inPath.some(({ name }) => name === each) === isIn),
    )
  return { method, path: pathOf(operation, named(true)), body: named(false) }
}

/** The object in an answer. */
export const objectIn = (body: Json, { response }: WireMethod): StoredObject | undefined => {
  const name = response.fields.find(({ kind }) => kind === 'message')?.name ?? ''
  return body[name] as StoredObject | undefined
}
