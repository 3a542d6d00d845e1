import type { Call } from '../call.js'
import { type Client, headersOfAnswer, type OpenClient } from './client.js'

interface PlainRequest {
  readonly verb: string
  readonly path: string
  readonly body: unknown
}

/** The request as any HTTP client makes it. */
export const requestOf = (origin: string, { verb, path, body }: PlainRequest, call: Call) =>
  new Request(`${origin}${path}`, {
    method: verb,
    headers: { ...call.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

/** The answer of any HTTP server. */
export const answerOf = async (response: Response) => {
  const body = JSON.parse(await response.text())
  return {
    ...(response.ok ? { response: body } : { error: body }),
    ...headersOfAnswer((name) => response.headers.get(name)),
    httpStatus: response.status,
  }
}

const jsonClient =
  (shape: (call: Call) => PlainRequest): OpenClient =>
  async ({ http }): Promise<Client> => ({
    call: async (call) => answerOf(await fetch(requestOf(http, shape(call), call))),
    close: async () => {},
  })

/** JSON on REST paths. */
export const plainRequestOf = ({ http: [verb, path, body] }: Call): PlainRequest => ({
  verb,
  path,
  body,
})

/** `fetch` over HTTP/1.1 on REST paths. */
export const restClient = jsonClient(plainRequestOf)

/** `fetch` over HTTP/1.1 on the path that gRPC has. */
export const rpcJsonClient = jsonClient(({ rpc, request }) => ({
  verb: 'POST',
  path: `/${rpc}`,
  body: request,
}))
