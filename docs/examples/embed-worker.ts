// The API as a worker of Cloudflare, `deno serve` or Bun. Its module ends with
// `export default asWorker(iam, options)`.
import type { Iam } from 'claviger'
import { fetchHandler, type TransportOptions } from 'claviger/transport'

/** A worker with the API and a route of its own. */
export const asWorker = (iam: Iam, options: TransportOptions) => {
  const handler = fetchHandler(iam, options)
  return {
    fetch: async (request: Request): Promise<Response> =>
      new URL(request.url).pathname === '/health'
        ? Response.json({ status: 'ok' })
        : handler(request),
  }
}
