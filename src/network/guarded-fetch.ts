import { BOOLEAN, checkOptions, milliseconds } from '../check-options.js'
import { isAddress, isAllowed, isLoopback, isPrivateAddress } from './address.js'
import { malformed, NetworkFault, networkFault } from './fault.js'

/** Options of `guardedFetch`. */
export interface GuardedFetchOptions {
  /** Allows requests to private networks. */
  readonly allowPrivateNetwork?: boolean | undefined
  /** Allows requests to this machine, even without TLS; for development and tests. */
  readonly allowHttpLoopback?: boolean | undefined
  /** Longest time until the end of a response, in milliseconds: 1 to 600,000. Default: 10,000. */
  readonly timeout?: number | undefined
}

/** A `fetch` for absolute URLs, which refuses what a stranger's URL could be used for. */
export type GuardedFetch = (url: string, init?: RequestInit) => Promise<Response>

/** Default of `timeout`. */
export const DEFAULT_TIMEOUT_MS = 10_000

/** Most bytes of a response after decompression. */
const MAX_BYTES = 1024 * 1024

/** Most bytes of the headers of a response, and of its trailers. */
const MAX_HEADER_BYTES = 16 * 1024

/** How long a connection waits for the next request, in milliseconds. */
const IDLE_MS = 4_000

/**
 * Whether `node:https` checks addresses as {@link guardedFetch} needs it. Bun, Deno and workerd have a module of that
 * name too.
 */
export const isNode = (): boolean => {
  const { process, navigator } = globalThis
  const { node, bun, deno } = process?.versions ?? {}
  const isOther = bun ?? deno ?? (navigator?.userAgent === 'Cloudflare-Workers' || undefined)
  return node !== undefined && isOther === undefined && process.getBuiltinModule !== undefined
}

/** Asked for at run time, so that bundlers for other runtimes need not know them. */
const nodeModules = () => ({
  dns: process.getBuiltinModule('node:dns'),
  http: process.getBuiltinModule('node:http'),
  https: process.getBuiltinModule('node:https'),
  stream: process.getBuiltinModule('node:stream'),
  zlib: process.getBuiltinModule('node:zlib'),
})

/**
 * Creates a `fetch` for URLs that others choose; only for Node.js. It does not use the `fetch` of Node.js, which a
 * hostile response can make end the process.
 *
 * - Only `https`, and only addresses of the internet. The address is checked when the connection is made, so a name
 *   cannot change its address in between (DNS rebinding).
 * - Redirects are refused, and responses with more than one content coding.
 * - A response has at most 1 MiB after decompression, 16 KiB of headers, and ends within `timeout`.
 *
 * It rejects with a {@link NetworkFault}.
 *
 * @throws TypeError when an option is unknown or of a wrong type, or when the runtime is not Node.js
 * @example
 * const fetch = guardedFetch()
 * const response = await fetch('https://hooks.customer.example', { method: 'POST', body })
 */
export const guardedFetch = (options: GuardedFetchOptions = {}): GuardedFetch => {
  checkOptions('guardedFetch', options, {
    optional: {
      allowPrivateNetwork: BOOLEAN,
      allowHttpLoopback: BOOLEAN,
      timeout: milliseconds(1, 600_000),
    },
  })
  if (!isNode()) throw new TypeError('guardedFetch needs Node.js')
  const { timeout = DEFAULT_TIMEOUT_MS } = options
  const modules = nodeModules()
  const { http, https } = modules
  const ofAgent = { keepAlive: true, timeout: IDLE_MS }
  const agents = { 'http:': new http.Agent(ofAgent), 'https:': new https.Agent(ofAgent) }

  return async (href, init = {}) => {
    const url = URL.canParse(href) ? new URL(href) : undefined
    if (!url || !isAllowed(url, options)) throw new NetworkFault('address')
    const { signal, ...rest } = init
    // Reads every form of headers and bodies; nothing is sent.
    const request = new Request(url, rest)
    const body = new Uint8Array(await request.arrayBuffer())
    const isSecure = url.protocol === 'https:'
    const send = () =>
      (isSecure ? https : http).request(url, {
        agent: isSecure ? agents['https:'] : agents['http:'],
        method: request.method,
        headers: { 'accept-encoding': 'identity', ...Object.fromEntries(request.headers) },
        lookup: guardedLookup(modules, addressCheck(url, options)),
        maxHeaderSize: MAX_HEADER_BYTES,
        insecureHTTPParser: false,
      })

    return new Promise<Response>((resolve, reject) => {
      let stop = (_: NetworkFault): void => {}
      const late = () => stop(new NetworkFault('timeout'))
      const timer = setTimeout(late, timeout)
      signal?.addEventListener('abort', late)
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', late)
      }
      const fail = (thrown: unknown): void => {
        settle()
        reject(networkFault(thrown))
      }
      const exchange = (): void => {
        const outgoing = send()
        let isAnswered = false
        stop = (fault) => {
          outgoing.destroy(fault)
          fail(fault)
        }
        outgoing.on('error', (thrown) => {
          // Bytes of the response, which may hold a token.
          Reflect.deleteProperty(thrown, 'rawPacket')
          // The server closed a waiting connection while this request was on its way to it.
          const isReset = Reflect.get(thrown, 'code') === 'ECONNRESET'
          return outgoing.reusedSocket && isReset && !isAnswered ? exchange() : fail(thrown)
        })
        outgoing.on('upgrade', (_, socket) => {
          socket.destroy()
          fail(malformed('The response changes the protocol'))
        })
        outgoing.on('response', (incoming) => {
          isAnswered = true
          try {
            const decoded = decodedBody(modules, incoming)
            stop = (fault) => void decoded.destroy(fault)
            decoded.once('close', settle)
            resolve(responseOf(incoming, decoded))
          } catch (thrown) {
            incoming.destroy()
            fail(thrown)
          }
        })
        outgoing.end(body)
      }
      if (signal?.aborted) fail(new NetworkFault('timeout'))
      else exchange()
    })
  }
}

type NodeModules = ReturnType<typeof nodeModules>
type Body = InstanceType<NodeModules['stream']['Readable']>

/** A response of `node:http`. */
interface Incoming extends Body {
  readonly statusCode?: number | undefined
  readonly rawHeaders: readonly string[]
}

/** Which addresses a connection may be made to. */
const addressCheck = (
  { protocol, hostname }: URL,
  { allowPrivateNetwork, allowHttpLoopback }: GuardedFetchOptions,
): ((address: string) => boolean) => {
  const isOwn = allowHttpLoopback === true && isLoopback(hostname)
  if (protocol === 'http:' || (isOwn && !allowPrivateNetwork)) return isLoopback
  if (allowPrivateNetwork) return isAddress
  return (address) => isAddress(address) && !isPrivateAddress(address)
}

/** An address as `dns.lookup` returns it. */
interface LookedUp {
  address: string
  family: number
}

/** Resolves a name for a connection, and refuses it if one of its addresses is not allowed. */
const guardedLookup =
  ({ dns }: NodeModules, isFine: (address: string) => boolean) =>
  (
    name: string,
    options: object & { readonly all?: boolean | undefined },
    done: (error: Error | null, address: string | LookedUp[], family?: number) => void,
  ): void =>
    dns.lookup(name, { ...options, all: true }, (error, found = []) => {
      const [first] = found
      if (error) return done(error, '')
      if (!first || !found.every(({ address }) => isFine(address)))
        return done(new NetworkFault('address'), '')
      return options.all ? done(null, found) : done(null, first.address, first.family)
    })

/** Names in lower case, and values, in the order in which they were sent. */
const headersOf = ({ rawHeaders }: Incoming): readonly (readonly [string, string])[] =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ''] as const] : [],
  )

/** The body without its content coding. @throws NetworkFault for several codings, or one that nobody asked for */
const decodedBody = ({ stream, zlib }: NodeModules, incoming: Incoming): Body => {
  // A stream without a listener throws its errors, which would end the process.
  incoming.on('error', () => {})
  const codings = headersOf(incoming)
    .flatMap(([name, value]) => (name === 'content-encoding' ? value.split(',') : []))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => !NO_CODINGS.includes(coding))
  const [coding] = codings
  if (coding === undefined) return incoming
  if (codings.length > 1) throw malformed(`The response has ${codings.length} content codings`)
  const decoder = Object.hasOwn(DECODERS, coding) && DECODERS[coding]?.(zlib)
  if (!decoder) throw malformed('The response has an unknown content coding')
  decoder.on('error', () => {})
  return stream.pipeline(incoming, decoder, () => {})
}

/** `identity`, and what servers send that mistake the header: their responses are not compressed. */
const NO_CODINGS = ['', 'identity', 'none', 'utf-8', 'utf8']

const DECODERS: Readonly<
  Record<string, (zlib: NodeModules['zlib']) => InstanceType<NodeModules['stream']['Transform']>>
> = {
  gzip: (zlib) => zlib.createGunzip(),
  'x-gzip': (zlib) => zlib.createGunzip(),
  deflate: (zlib) => zlib.createInflate(),
  br: (zlib) => zlib.createBrotliDecompress(),
}

/** Headers that no longer describe the body. */
const OF_TRANSFER = ['content-encoding', 'content-length', 'transfer-encoding']

/** Statuses of responses without a body. */
const EMPTY = [204, 205]

/** @throws NetworkFault */
const responseOf = (incoming: Incoming, body: Body): Response => {
  const { statusCode: status = 0 } = incoming
  if (status >= 300 && status < 400) throw new NetworkFault('redirect')
  if (status < 200 || status > 599) throw malformed(`The response has the status ${status}`)
  const headers = new Headers()
  for (const [name, value] of headersOf(incoming))
    if (!OF_TRANSFER.includes(name)) headers.append(name, value)
  if (!EMPTY.includes(status)) return new Response(streamOf(body), { status, headers })
  body.resume()
  return new Response(null, { status, headers })
}

/** A body as `fetch` has it, of at most {@link MAX_BYTES}. */
const streamOf = (body: Body): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const pieces = body[Symbol.asyncIterator]()
  let left = MAX_BYTES
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await pieces.next()
        if (done) return controller.close()
        left -= value.length
        if (left < 0) throw new NetworkFault('too_large')
        controller.enqueue(new Uint8Array(value))
      } catch (thrown) {
        body.destroy()
        throw networkFault(thrown)
      }
    },
    cancel: () => {
      body.destroy()
    },
  })
}
