import { isLoopback, isPrivate } from './address.js'
import { NetworkFault } from './network-fault.js'

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
  /** Lets requests go to this machine, without TLS too: for development and tests. */
  readonly allowHttpLoopback?: boolean | undefined
  /** Lets requests go to private networks. */
  readonly allowPrivateNetwork?: boolean | undefined
  /** Longest wait for a whole answer, in milliseconds; 10,000 when absent. */
  readonly timeout?: number | undefined
}

/** Longest wait for an answer when a host says nothing, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 10_000

/** Whether a URL may be asked, as far as it says itself. */
export const isAllowed = (url: URL, options: NetworkOptions): boolean => {
  const { protocol, hostname, username, password } = url
  if (username !== '' || password !== '') return false
  if (options.allowHttpLoopback === true && isLoopback(hostname))
    return protocol === 'https:' || protocol === 'http:'
  return protocol === 'https:' && (options.allowPrivateNetwork === true || !isPrivate(hostname))
}

/** A request, and what is made of the answer within the same time. */
export interface GuardedRequest<Value> {
  readonly url: string
  readonly init: RequestInit
  readonly read: (answer: Response) => Promise<Value>
}

/**
 * Asks only where asking is allowed, and waits for a bounded time.
 *
 * @throws NetworkFault; what `read` throws of it, too
 */
export const guardedFetch =
  (options: NetworkOptions) =>
  async <Value>({ url, init, read }: GuardedRequest<Value>): Promise<Value> => {
    const { fetch: ask = fetch, timeout = DEFAULT_TIMEOUT_MS } = options
    const signal = new AbortController()
    const late = new NetworkFault('timeout')
    let timer: ReturnType<typeof setTimeout> | undefined
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(late)
        signal.abort(late)
      }, timeout)
    })
    const asked = async (): Promise<Value> => {
      await checkAddress(url, options)
      const answer = await ask(url, { ...init, redirect: 'manual', signal: signal.signal })
      const isRedirect =
        answer.type === 'opaqueredirect' || (answer.status >= 300 && answer.status < 400)
      if (isRedirect || answer.redirected) throw new NetworkFault('redirect')
      return read(answer)
    }
    try {
      return await Promise.race([asked(), tooLate])
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
  if (lookup === undefined || allowPrivateNetwork === true) return
  if (allowHttpLoopback === true && isLoopback(url.hostname)) return
  const found = await lookup(url.hostname.replace(/^\[(.*)\]$/, '$1'))
  if (found.length === 0 || found.some(({ address }) => isPrivate(address)))
    throw new NetworkFault('address')
}

/** The first bytes of an answer, at most `limit`, after decompression; undefined when there are more. */
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
