import type { UniversalServerResponse } from '@connectrpc/connect/protocol'

/** An answer whose body is `text`, which is JSON, and which nobody stores. */
export const jsonAnswer = (
  status: number,
  text: string,
  header: Headers = new Headers(),
): UniversalServerResponse => {
  const bytes = new TextEncoder().encode(text)
  header.set('content-type', 'application/json')
  header.set('cache-control', 'no-store')
  header.set('content-length', String(bytes.byteLength))
  return { status, header, body: once(bytes) }
}

/** A body of one piece. */
export async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
