// The API as route handlers of Next. The file app/[...path]/route.ts has
// `export const { GET, HEAD, POST, PUT, PATCH, DELETE } = inNext(iam, options)`.
import type { Iam } from 'claviger'
import { fetchHandler, type TransportOptions } from 'claviger/transport'

/** A handler for each method. Pages and routes of other folders come first. */
export const inNext = (iam: Iam, options: TransportOptions) => {
  const handler = fetchHandler(iam, options)
  return {
    GET: handler,
    HEAD: handler,
    POST: handler,
    PUT: handler,
    PATCH: handler,
    DELETE: handler,
  }
}
