import type { Handler, HttpRequest, HttpResponse, Service } from '../transport/http.js'
import { serveFetch } from '../transport/servers/fetch.js'
import { serveNode } from '../transport/servers/node.js'
import type { NodeRequest } from '../transport/servers/node-request.js'
import type { NodeResponse } from '../transport/servers/node-response.js'
import { REQUEST_ID } from './refusal.js'

/** Handles requests of fetch and of Node.js, and is an Express middleware. */
export interface RequestHandler {
  (request: Request): Promise<Response>
  (request: NodeRequest, response: NodeResponse, next?: () => void): void
}

/** A service as one function for fetch and for Node.js. */
export const serveBoth = (service: Service): RequestHandler => {
  const fetched = serveFetch(service)
  const listened = serveNode(service)
  const handle = (request: Request | NodeRequest, response?: NodeResponse, next?: () => void) => {
    if (isFetch(request)) return fetched(request)
    if (!response) throw new TypeError('A request of Node.js comes with its response')
    return listened(request, response, next)
  }
  // Cast: one function for two signatures.
  return handle as RequestHandler
}

const isFetch = (request: Request | NodeRequest): request is Request =>
  typeof Reflect.get(Object(request?.headers), 'get') === 'function'

/** Repeats the id of the request in the response. */
export const identified =
  (handler: (request: HttpRequest) => Promise<HttpResponse>): Handler =>
  async (request) => {
    const response = await handler(request)
    const id = request.header.get(REQUEST_ID)
    return id === null
      ? response
      : { ...response, headers: { ...response.headers, [REQUEST_ID]: id } }
  }
