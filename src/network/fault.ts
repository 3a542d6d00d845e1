/** Why a URL or a response was refused. */
export type NetworkReason =
  /** The URL is malformed, not `https`, or leads to an address that is not allowed. */
  | 'address'
  /** A redirect, which is never followed. */
  | 'redirect'
  /** No complete response in time. */
  | 'timeout'
  /** Too many bytes. */
  | 'too_large'
  /** The certificate of the server is not trusted, has expired, or is for another name. */
  | 'certificate'
  /** The response is not HTTP, or has more than one content coding. */
  | 'malformed'
  /** No connection, or it broke. */
  | 'network'

/** A request without a response, or with a refused one. The message contains nothing of the request. */
export class NetworkFault extends Error {
  override readonly name = 'NetworkFault'
  /** Why. */
  readonly reason: NetworkReason

  /** `cause` is what the runtime or the host's `fetch` reported. */
  constructor(reason: NetworkReason, cause?: unknown) {
    super(reason, cause === undefined ? {} : { cause })
    this.reason = reason
  }
}

/** A response that does not follow HTTP. */
export const malformed = (message: string, cause?: unknown): NetworkFault =>
  new NetworkFault('malformed', new Error(message, cause === undefined ? {} : { cause }))

/** The fault of a request that threw. */
export const networkFault = (thrown: unknown): NetworkFault =>
  thrown instanceof NetworkFault ? thrown : new NetworkFault(reasonOf(thrown), thrown)

/** Codes of OpenSSL and Node.js for a certificate. */
const CERTIFICATE =
  /^(CERT_|CRL_|DEPTH_ZERO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|SELF_SIGNED_|UNABLE_TO_)/

/** Codes of the parsers of HTTP and of content codings. */
const MALFORMED = /^(HPE_|Z_|ERR_BROTLI|ERR__ERROR_FORMAT)/

/** Longest chain of causes that is searched. */
const MAX_CAUSES = 5

/** `fetch` of Node.js hides the code in a cause. */
const reasonOf = (thrown: unknown): NetworkReason => {
  let error = thrown
  for (let depth = 0; depth < MAX_CAUSES; depth++) {
    const code = String(Reflect.get(Object(error), 'code'))
    if (CERTIFICATE.test(code)) return 'certificate'
    if (MALFORMED.test(code)) return 'malformed'
    error = Reflect.get(Object(error), 'cause')
  }
  return 'network'
}
