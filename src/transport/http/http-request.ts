import type { HeaderReader } from '../errors/call.js'
import type { HttpAnswer, StreamAnswer } from './http-answer.js'

/** A request, as each of our servers makes it. */
export interface HttpRequest {
  readonly httpVersion: string
  readonly method: string
  /** As it was sent, without the query. */
  readonly path: string
  /** What follows the question mark, if there is any. */
  readonly query: string
  readonly header: HeaderReader
  /** All headers, as ConnectRPC and a host take them. */
  readonly headers: () => Headers
  /** Aborts once the client has left. */
  readonly signal: AbortSignal
  /** Reads all of the body, or more than `most` bytes of it; undefined where there is none for certain. */
  readonly body: ((most: number) => Promise<Uint8Array>) | undefined
  /** The body as it comes, for a stream; undefined where there is none. */
  readonly pieces: () => AsyncIterable<Uint8Array> | undefined
}

/** Answers an HTTP request. */
export type Answer = (request: HttpRequest) => Promise<HttpAnswer | StreamAnswer>

/** What answers a method and a path; undefined where it has nothing at the path. */
export type HttpService = (method: string, path: string) => Answer | undefined

/** Splits a target, such as `/v1/projects?page_size=1`. */
export const pathAndQuery = (target: string): Pick<HttpRequest, 'path' | 'query'> => {
  const mark = target.indexOf('?')
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** JSON with any parameters (RFC 9110, section 5.6.6), but in no other charset. */
const JSON_TYPE = /^application\/json[ \t]*(;|$)(?!.*charset=(?!"?utf-?8"?[ \t]*(;|$)))/i

/** Whether the body of a request is JSON, by its content type. */
export const isJson = (header: HeaderReader): boolean => {
  const type = header.get('content-type') ?? ''
  return type === 'application/json' || JSON_TYPE.test(type)
}
