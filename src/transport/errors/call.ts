import type { HandlerContext } from '@connectrpc/connect'

/** Headers of a request. */
export interface HeaderReader {
  get(name: string): string | null
}

/** A call of an rpc, in whatever protocol. */
export interface Call extends Pick<HandlerContext, 'method' | 'signal'> {
  readonly requestHeader: HeaderReader
  readonly responseHeader: { set(name: string, value: string): unknown }
}

/** W3C Trace Context, section 3.2: version, trace id, parent id, flags. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-|$)/

/** The trace id of `traceparent`; undefined when there is none or it is malformed, as W3C has it. */
export const traceIdOf = (headers: HeaderReader): string | undefined =>
  TRACEPARENT.exec(headers.get('traceparent') ?? '')?.[1]
