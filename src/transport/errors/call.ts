import type { HandlerContext } from '@connectrpc/connect'

/** A call of an rpc, in whatever protocol. */
export interface Call extends Pick<HandlerContext, 'method' | 'signal' | 'requestHeader'> {
  readonly responseHeader: { set(name: string, value: string): unknown }
}
