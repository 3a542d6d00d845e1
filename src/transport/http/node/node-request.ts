/** What is used of a request of `node:http` or `node:http2`. */
export interface NodeRequest {
  readonly httpVersion: string
  readonly httpVersionMajor: number
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders?: readonly string[] | undefined
  readonly complete: boolean
  readonly readableEnded: boolean
  on(event: 'data', listener: (piece: Uint8Array) => void): unknown
  on(event: 'end', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  once(event: 'close', listener: () => void): unknown
  /** The body as it comes; a stream has no request without it. */
  iterator?(options: { destroyOnReturn: false }): AsyncIterable<Uint8Array>
  resume(): unknown
  pause(): unknown
  /** Of HTTP/2 alone. */
  readonly stream?: { readonly destroyed?: boolean; close(): void }
  /** What a parser in front of the transport made of the bytes. */
  readonly body?: unknown
}
