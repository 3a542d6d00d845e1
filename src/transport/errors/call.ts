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
