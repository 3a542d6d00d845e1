import type { NodeRequest } from './node-request.js'

/** The body of a request as it comes. What is not read of it stays, to be read away. */
export const piecesOf = (request: NodeRequest): AsyncIterable<Uint8Array> | undefined =>
  request.iterator?.({ destroyOnReturn: false })

/** What is used of a response. */
interface Sink {
  write(piece: Uint8Array): unknown
  once(event: 'close' | 'drain', listener: () => void): unknown
}

/** Writes no faster than the client reads. @returns what is left to be written: nothing */
export const writePieces = async (
  response: Sink,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<string> => {
  for await (const piece of pieces) {
    if (signal.aborted) break
    if (response.write(piece) === false) await drained(response)
  }
  return ''
}

/** Ends also when the client has left. */
const drained = (response: Sink): Promise<void> =>
  new Promise((resolve) => {
    response.once('drain', resolve)
    response.once('close', resolve)
  })
