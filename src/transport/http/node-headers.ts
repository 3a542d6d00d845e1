import type { NodeRequest } from './node-request.js'

/** Headers that a request must not have twice; beside them, the one that selects the organization. */
export const GIVEN_ONCE = ['idempotency-key', 'if-match'] as const

/** The headers of a request of Node.js, with every value of those that must be given `once`. */
export const headersOf = (request: NodeRequest, once: readonly string[]): Headers => {
  const result = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    // HTTP/2 has the method and the path among them.
    if (value === undefined || name.startsWith(':')) continue
    if (typeof value === 'string') result.append(name, value)
    else for (const one of value) result.append(name, one)
  }
  for (const name of once) {
    if (request.headers[name] === undefined) continue
    for (const dropped of droppedOf(request, name)) result.append(name, dropped)
  }
  return result
}

/**
 * Of some headers that come twice, such as `If-Match` over HTTP/2, Node.js keeps the first alone. What a
 * middleware of the host has put in their place stays.
 */
const droppedOf = ({ headers, rawHeaders = [] }: NodeRequest, name: string): readonly string[] => {
  const [first, ...others] = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  )
  return headers[name] === first ? others : []
}
