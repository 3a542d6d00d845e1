import { signal } from '@preact/signals'
import { mount } from './router.js'

/** Any JSON object of an answer. */
export type Json = { readonly [name: string]: JsonValue | undefined }
export type JsonValue = string | number | boolean | null | Json | readonly JsonValue[]

/** Why a call failed. */
export interface Failure {
  /** 0 when no answer came. */
  readonly status: number
  readonly reason: string
  readonly message: string
  readonly metadata: Readonly<Record<string, string>>
  readonly violations: readonly { readonly field: string; readonly description: string }[]
}

export interface Answer {
  readonly body: Json
  readonly etag: string
}

export type Outcome = { readonly ok: Answer } | { readonly failure: Failure }

export interface Call {
  readonly method: string
  readonly path: string
  readonly body?: Json | undefined
  readonly etag?: string | undefined
  readonly key?: string | undefined
}

/** Whether the last call got no answer, or 503. */
export const outage = signal<'offline' | 'unavailable' | undefined>(undefined)

/** Sends a call to the JSON interface. */
export const call = async ({ method, path, body, etag, key }: Call): Promise<Outcome> => {
  const headers = new Headers()
  if (body) headers.set('content-type', 'application/json')
  if (etag) headers.set('if-match', etag)
  if (key) headers.set('idempotency-key', key)
  try {
    const init = { method, headers, credentials: 'same-origin' as const }
    const url = new URL(`api${path}`, mount)
    const response = await fetch(url, body ? { ...init, body: JSON.stringify(body) } : init)
    outage.value = response.status === 503 ? 'unavailable' : undefined
    const answered = (await response.json()) as Json
    if (response.ok) return { ok: { body: answered, etag: response.headers.get('etag') ?? '' } }
    return { failure: failureOf(response.status, answered) }
  } catch {
    outage.value = 'offline'
    return { failure: { status: 0, reason: 'OFFLINE', message: '', metadata: {}, violations: [] } }
  }
}

interface Detail {
  readonly reason?: string
  readonly metadata?: Failure['metadata']
  readonly fieldViolations?: Failure['violations']
}

const failureOf = (status: number, body: Json): Failure => {
  const details = (body['details'] ?? []) as unknown as readonly Detail[]
  return {
    status,
    reason: details.find(({ reason }) => reason)?.reason ?? '',
    message: String(body['message'] ?? ''),
    metadata: details.find(({ metadata }) => metadata)?.metadata ?? {},
    violations: details.find(({ fieldViolations }) => fieldViolations)?.fieldViolations ?? [],
  }
}

/** Key of one write; `randomUUID` is for secure contexts alone. */
export const drawKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

/** A path with a query. */
export const withQuery = (
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  return given.length === 0
    ? path
    : `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}
