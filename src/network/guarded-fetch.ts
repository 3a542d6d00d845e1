import {
  BOOLEAN,
  FUNCTION,
  milliseconds,
  type OptionCheck,
  type OptionChecks,
} from '../check-options.js'
import { isAddress, isLoopback, isPrivateAddress } from './address.js'

/** An address of a name. */
export interface FoundAddress {
  /** Of version 4 or 6, in digits. */
  readonly address: string
}

/** Options for requests to other hosts. */
export interface NetworkOptions {
  /** Makes the requests; it must respect `redirect: 'manual'`. Default: the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /**
   * Resolves a name to addresses, which are checked before a request: `(name) => lookup(name, { all: true })` with
   * `lookup` of `node:dns/promises`. With `false`, names are not resolved and only addresses in URLs are checked; use
   * it with a `fetch` that checks the address it connects to, or with URLs that you trust.
   */
  readonly lookup: ((name: string) => Promise<readonly FoundAddress[]>) | false
  /** Allows requests to this machine, even without TLS; for development and tests. */
  readonly allowHttpLoopback?: boolean | undefined
  /** Allows requests to private networks. */
  readonly allowPrivateNetwork?: boolean | undefined
  /** Longest wait for a complete response, in milliseconds. Default: 10,000. */
  readonly timeout?: number | undefined
}

/** Default of `timeout`. */
export const DEFAULT_TIMEOUT_MS = 10_000

const LOOKUP: OptionCheck = [
  (value) => value === false || typeof value === 'function',
  'must be a function that resolves a name, such as (name) => lookup(name, { all: true }) of ' +
    'node:dns/promises, or false, which checks only addresses in URLs',
]

/** Checks of {@link NetworkOptions}. */
export const NETWORK_OPTIONS: Readonly<Record<'required' | 'optional', OptionChecks>> = {
  required: { lookup: LOOKUP },
  optional: {
    fetch: FUNCTION,
    allowHttpLoopback: BOOLEAN,
    allowPrivateNetwork: BOOLEAN,
    timeout: milliseconds(1, 600_000),
  },
}

/** Why a URL or a response was refused. */
export type NetworkReason =
  /** The URL is malformed, not `https`, or names an address that is not allowed. */
  | 'address'
  /** A redirect, which is never followed. */
  | 'redirect'
  /** No complete response in time. */
  | 'timeout'
  /** Too many bytes. */
  | 'too_large'
  /** No connection, or it broke. */
  | 'network'

/** A request without a response, or with a refused one. The message contains nothing of the request. */
export class NetworkFault extends Error {
  override readonly name = 'NetworkFault'
  readonly reason: NetworkReason

  constructor(reason: NetworkReason) {
    super(reason)
    this.reason = reason
  }
}

/** Whether a request may go to a URL. Only the text is checked; names are not resolved. */
export const isAllowed = (url: URL, options: NetworkOptions): boolean => {
  const { protocol, hostname, username, password } = url
  if (username !== '' || password !== '') return false
  if (options.allowHttpLoopback === true && isLoopback(hostname))
    return protocol === 'https:' || protocol === 'http:'
  return (
    protocol === 'https:' && (options.allowPrivateNetwork === true || !isPrivateAddress(hostname))
  )
}

/** A request, and the function that reads its response within the same timeout. */
interface GuardedRequest<Value> {
  readonly url: string
  readonly init: RequestInit
  readonly read: (answer: Response) => Promise<Value>
}

/**
 * Sends requests to allowed URLs only, follows no redirect, and waits for a bounded time.
 *
 * @throws NetworkFault for every failure
 */
export const guardedFetch =
  (options: NetworkOptions) =>
  async <Value>({ url, init, read }: GuardedRequest<Value>): Promise<Value> => {
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
      throw thrown instanceof NetworkFault ? thrown : new NetworkFault('network')
    } finally {
      clearTimeout(timer)
      signal.abort(late)
    }
  }

const checkAddress = async (href: string, options: NetworkOptions): Promise<void> => {
  const url = new URL(href)
  if (!isAllowed(url, options)) throw new NetworkFault('address')
  const { lookup, allowPrivateNetwork, allowHttpLoopback } = options
  if (lookup === false || allowPrivateNetwork === true) return
  if (allowHttpLoopback === true && isLoopback(url.hostname)) return
  const found = await lookup(url.hostname.replace(/^\[(.*)\]$/, '$1'))
  const isPublic = ({ address }: FoundAddress) => isAddress(address) && !isPrivateAddress(address)
  if (found.length === 0 || !found.every(isPublic)) throw new NetworkFault('address')
}

/** The bytes of a response after decompression; undefined if there are more than `limit`. */
export const bytesOf = async (
  { body }: Response,
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
