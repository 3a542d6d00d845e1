import type { StreamAnswer } from '../http-answer.js'
import type { NodeBody } from './node-body.js'
import type { NodeRequest } from './node-request.js'

/** The body of a request as it comes. What is not read of it stays, to be read away. */
export const piecesOf = (request: NodeRequest): AsyncIterable<Uint8Array> | undefined =>
  request.iterator?.({ destroyOnReturn: false })

/** What is used of a response. */
interface Response {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown
  write(piece: Uint8Array): unknown
  addTrailers(trailers: Readonly<Record<string, string>>): void
  end(last: string): unknown
  once(event: 'close' | 'drain', listener: () => void): unknown
}

interface Exchange {
  readonly response: Response
  readonly body: NodeBody | undefined
  readonly signal: AbortSignal
}

/** Writes no faster than the client reads. A wait also ends when the client has left. */
export const sendStream = async (
  { status, header, body, trailer }: StreamAnswer,
  { response, body: received, signal }: Exchange,
): Promise<void> => {
  if (signal.aborted) return
  // One listener for all waits, of which a stream may have many.
  let resume = (): void => {}
  response.once('close', () => resume())
  response.writeHead(status, header)
  for await (const piece of body) {
    if (signal.aborted) return
    if (response.write(piece) === false)
      await new Promise<void>((resolve) => {
        resume = resolve
        response.once('drain', resolve)
      })
  }
  if (trailer) response.addTrailers(Object.fromEntries(trailer))
  response.end('')
  await received?.discardRest?.()
}
