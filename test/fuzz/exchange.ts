import {
  type ClientHttp2Session,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2'
import type { Sent } from './frames.js'

/** What came back. */
export interface Answered {
  /** Undefined when the stream ended without an answer. */
  readonly httpStatus: number | undefined
  /** `grpc-status`, of trailers, of headers, or of the last frame of gRPC-web. */
  readonly grpcStatus: string | undefined
  /** Everything that was received, as text. */
  readonly text: string
  /** Whether the client reset the stream before its request was whole. */
  readonly isReset: boolean
}

const PATIENCE = 20_000

/** Sends one call. @throws Error when it is never answered */
export const exchange = (session: ClientHttp2Session, sent: Sent): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const received: IncomingHttpHeaders & IncomingHttpStatusHeader = {}
    const body: Buffer[] = []
    const hasTrailers = sent.ending === 'trailers'
    const stream = session.request(sent.headers, { endStream: false, waitForTrailers: hasTrailers })
    const timer = setTimeout(() => reject(new Error('There is no answer')), PATIENCE)
    stream.on('response', (headers) => Object.assign(received, headers))
    stream.on('trailers', (trailers) => Object.assign(received, trailers))
    stream.on('data', (bytes: Buffer) => body.push(bytes))
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-late': 'yes', 'grpc-status': '0' }))
    // The answer is whole: nobody needs the rest of the request.
    stream.on('end', () => stream.close(constants.NGHTTP2_CANCEL))
    stream.on('error', (error) => Object.assign(received, { ':fault': String(error) }))
    stream.on('close', () => {
      clearTimeout(timer)
      const text = Buffer.concat(body).toString('latin1')
      resolve({
        httpStatus: received[':status'],
        grpcStatus: String(received['grpc-status'] ?? /grpc-status: *(\d+)/.exec(text)?.[1]),
        text: `${JSON.stringify(received)}${decodeURIComponent(String(received['grpc-message'] ?? ''))}${text}${detailsIn(received)}`,
        isReset: sent.ending === 'reset',
      })
    })
    for (const piece of [...sent.pieces, new Uint8Array(sent.zeros)]) stream.write(piece)
    if (sent.ending === 'reset') stream.close(constants.NGHTTP2_CANCEL)
    else stream.end()
  })

const detailsIn = (received: IncomingHttpHeaders): string =>
  Buffer.from(String(received['grpc-status-details-bin'] ?? ''), 'base64').toString('latin1')
