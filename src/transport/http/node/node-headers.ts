import type { HeaderReader } from '../../errors/call.js'
import type { NodeRequest } from './node-request.js'

/** Headers that a request must not have twice; beside them, the one that selects the organization. */
export const GIVEN_ONCE = ['idempotency-key', 'if-match'] as const

/** The headers of a request of Node.js, with every value of those that must be given `once`. */
export const headerReader = (request: NodeRequest, once: readonly string[]): HeaderReader => ({
  get: (given) => {
    const name = given.toLowerCase()
    const value = request.headers[name]
    if (value === undefined || value === null) return null
    if (once.includes(name)) return [value, ...droppedOf(request, name)].join(', ')
    // A middleware of the host may have put anything there.
    return Array.isArray(value) ? value.join(', ') : String(value)
  },
})

/** The same as a copy. */
export const headersOf = ({ headers }: NodeRequest, header: HeaderReader): Headers => {
  const result = new Headers()
  // HTTP/2 has the method and the path among them.
  for (const name in headers) {
    const value = name.startsWith(':') ? null : header.get(name)
    if (value !== null) result.append(name, value)
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
