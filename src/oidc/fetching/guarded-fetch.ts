import type { CustomFetchOptions } from 'openid-client'
import { Refused, unreachable } from '../refusal.js'
import { isLoopback, isPrivate } from './address.js'

/** Most bytes of an answer, after it was decompressed. */
const MAX_BYTES = 512 * 1024

/** An address of a name. */
export interface FoundAddress {
  /** Of version 4 or 6, in digits. */
  readonly address: string
}

/** What a host says about the network. */
export interface NetworkOptions {
  /** Makes the requests; the global `fetch` when absent. It must not follow redirects when told not to. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /**
   * Finds the addresses of a name, so that they are checked before a request; `(name) => lookup(name, { all: true })`
   * with `lookup` of `node:dns/promises`. Names are not checked when absent.
   */
  readonly lookup?: ((name: string) => Promise<readonly FoundAddress[]>) | undefined
  /** Lets providers be on this machine, and be asked without TLS there: for development and tests. */
  readonly allowHttpLoopback?: boolean | undefined
  /** Lets providers be in private networks. */
  readonly allowPrivateNetwork?: boolean | undefined
  /** Longest wait for a whole answer of a provider, in milliseconds; 10,000 when absent. */
  readonly timeout?: number | undefined
}

/** Whether a URL of a provider may be used, as far as it says itself. */
export const isAllowed = (url: URL, options: NetworkOptions): boolean => {
  const { protocol, hostname, username, password } = url
  if (username !== '' || password !== '') return false
  if (options.allowHttpLoopback === true && isLoopback(hostname))
    return protocol === 'https:' || protocol === 'http:'
  return protocol === 'https:' && (options.allowPrivateNetwork === true || !isPrivate(hostname))
}

/** Asks providers alone that may be asked, for answers of bounded size and time. */
export const guardedFetch = (options: NetworkOptions) => {
  const { fetch: ask = fetch, timeout = 10_000 } = options
  return async (href: string, init: CustomFetchOptions): Promise<Response> => {
    const signal = new AbortController()
    const late = unreachable('timeout')
    let timer: ReturnType<typeof setTimeout> | undefined
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(late)
        signal.abort(late)
      }, timeout)
    })
    const asked = async (): Promise<Response> => {
      const url = new URL(href)
      await checkAddress(url, options)
      const answer = await ask(href, {
        method: init.method,
        headers: init.headers,
        // `openid-client` sends forms alone.
        body: init.body === undefined || init.body === null ? null : String(init.body),
        redirect: 'manual',
        signal: signal.signal,
      })
      return whole(answer)
    }
    try {
      return await Promise.race([asked(), tooLate])
    } catch (thrown) {
      throw thrown instanceof Refused ? thrown : unreachable('network')
    } finally {
      clearTimeout(timer)
      signal.abort(late)
    }
  }
}

const checkAddress = async (url: URL, options: NetworkOptions): Promise<void> => {
  if (!isAllowed(url, options)) throw unreachable('address')
  const { lookup, allowPrivateNetwork, allowHttpLoopback } = options
  if (lookup === undefined || allowPrivateNetwork === true) return
  if (allowHttpLoopback === true && isLoopback(url.hostname)) return
  const found = await lookup(url.hostname.replace(/^\[(.*)\]$/, '$1'))
  if (found.length === 0 || found.some(({ address }) => isPrivate(address)))
    throw unreachable('address')
}

/** The answer with its whole body. @throws Refused */
const whole = async (answer: Response): Promise<Response> => {
  const { status, headers, type } = answer
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400)
  if (isRedirect || answer.redirected) throw unreachable('redirect')
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of chunksOf(answer)) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw unreachable('too_large')
    chunks.push(new Uint8Array(chunk))
  }
  const hasBody = status !== 204 && status !== 205
  return new Response(hasBody ? new Blob(chunks) : null, { status, headers })
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
