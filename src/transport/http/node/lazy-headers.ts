import type { HeaderReader } from '../../errors/call.js'

/** What has nothing of its own: all that it is asked for is answered by the headers of a request. */
const NONE = new Headers()

/**
 * The headers of a request as a host takes them. Most hosts get one or two by name: until more is asked for, none are
 * copied, which for the headers of a browser takes longer than most calls.
 */
export const lazyHeaders = (header: HeaderReader, copy: () => Headers): Headers => {
  let copied: Headers | undefined
  return new Proxy(NONE, {
    get: (_, name) => {
      if (name === 'get' && !copied) return header.get
      copied ??= copy()
      const value: unknown = Reflect.get(copied, name)
      return typeof value === 'function' ? value.bind(copied) : value
    },
  })
}
