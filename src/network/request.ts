import {
  BOOLEAN,
  FUNCTION,
  milliseconds,
  type OptionCheck,
  type OptionChecks,
} from '../check-options.js'
import { isAddress, isAllowed, isLoopback, isPrivateAddress } from './address.js'
import { NetworkFault, networkFault } from './fault.js'
import { DEFAULT_TIMEOUT_MS, guardedFetch, isNode } from './guarded-fetch.js'

/** An address of a name. */
export interface FoundAddress {
  /** Of version 4 or 6, in digits. */
  readonly address: string
}

/** Options for requests to other hosts. */
export interface NetworkOptions {
  /**
   * Makes the requests; it must respect `redirect: 'manual'`. Default: on Node.js `guardedFetch` of `claviger/node`, on
   * other runtimes the global `fetch`.
   */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /**
   * Resolves a name to addresses, which are checked before a request. Not needed on Node.js, where the address of each
   * connection is checked. Required with an own `fetch` and on other runtimes: with `false`, only addresses in URLs are
   * checked; use it with a `fetch` that checks the address it connects to, or with URLs that you trust.
   */
  readonly lookup?: ((name: string) => Promise<readonly FoundAddress[]>) | false | undefined
  /** Allows requests to this machine, even without TLS; for development and tests. */
  readonly allowHttpLoopback?: boolean | undefined
  /** Allows requests to private networks. */
  readonly allowPrivateNetwork?: boolean | undefined
  /** Longest wait for a complete response, in milliseconds. Default: 10,000. */
  readonly timeout?: number | undefined
}

const LOOKUP: OptionCheck = [
  (value) => value === false || typeof value === 'function',
  'must be a function that resolves a name, such as (name) => lookup(name, { all: true }) of ' +
    'node:dns/promises, or false, which checks only addresses in URLs',
]

/** Checks of {@link NetworkOptions}. */
export const NETWORK_OPTIONS: OptionChecks = {
  lookup: LOOKUP,
  fetch: FUNCTION,
  allowHttpLoopback: BOOLEAN,
  allowPrivateNetwork: BOOLEAN,
  timeout: milliseconds(1, 600_000),
}

/**
 * The options with the `fetch` that makes the requests: on Node.js `guardedFetch`, which checks the address of each
 * connection.
 *
 * @throws TypeError without `lookup` where nothing checks the address of a connection
 */
export const networkOf = (options: NetworkOptions): NetworkOptions => {
  const { fetch, lookup, allowHttpLoopback, allowPrivateNetwork, timeout } = options
  if (fetch === undefined && isNode())
    return { ...options, fetch: guardedFetch({ allowHttpLoopback, allowPrivateNetwork, timeout }) }
  if (lookup === undefined) throw new TypeError(`lookup ${LOOKUP[1]}`)
  return options
}

/** A request, and the function that reads its response within the same timeout. */
interface OutgoingRequest<Value> {
  readonly url: string
  readonly init: RequestInit
  readonly read: (answer: Response) => Promise<Value>
}

/**
 * Sends requests to allowed URLs only, follows no redirect, and waits for a bounded time.
 *
 * @throws NetworkFault for every failure
 */
export const request =
  (options: NetworkOptions) =>
  async <Value>({ url, init, read }: OutgoingRequest<Value>): Promise<Value> => {
    const { fetch: send = fetch, timeout = DEFAULT_TIMEOUT_MS } = options
    const signal = new AbortController()
    const late = new NetworkFault('timeout')
    let timer: ReturnType<typeof setTimeout> | undefined
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(late)
        signal.abort(late)
      }, timeout)
    })
    const answered = async (): Promise<Value> => {
      await checkAddress(url, options)
      const answer = await send(url, { ...init, redirect: 'manual', signal: signal.signal })
      const isRedirect =
        answer.type === 'opaqueredirect' || (answer.status >= 300 && answer.status < 400)
      if (isRedirect || answer.redirected) throw new NetworkFault('redirect')
      return read(answer)
    }
    try {
      return await Promise.race([answered(), tooLate])
    } catch (thrown) {
      throw networkFault(thrown)
    } finally {
      clearTimeout(timer)
      signal.abort(late)
    }
  }

const checkAddress = async (href: string, options: NetworkOptions): Promise<void> => {
  const url = new URL(href)
  if (!isAllowed(url, options)) throw new NetworkFault('address')
  const { lookup, allowPrivateNetwork, allowHttpLoopback } = options
  if (!lookup || allowPrivateNetwork === true) return
  if (allowHttpLoopback === true && isLoopback(url.hostname)) return
  const found = await lookup(url.hostname.replace(/^\[(.*)\]$/, '$1'))
  const isPublic = ({ address }: FoundAddress) => isAddress(address) && !isPrivateAddress(address)
  if (found.length === 0 || !found.every(isPublic)) throw new NetworkFault('address')
}

/** The bytes of a body after decompression; undefined if there are more than `limit`. */
export const bytesOf = async (
  { body }: Response | Request,
  limit: number,
): Promise<readonly Uint8Array<ArrayBuffer>[] | undefined> => {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  if (body === null) return chunks
  const reader = body.getReader()
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return chunks
      bytes += value.length
      if (bytes > limit) return undefined
      chunks.push(new Uint8Array(value))
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
