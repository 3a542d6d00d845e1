import type { CustomFetchOptions } from 'openid-client'
import { bytesOf, guardedFetch, type NetworkOptions } from '../../network/guarded-fetch.js'
import { NetworkFault } from '../../network/network-fault.js'
import { unreachable } from '../refusal.js'

/** Most bytes of an answer, after it was decompressed. */
const MAX_BYTES = 512 * 1024

/** Asks providers alone that may be asked, for whole answers of bounded size and time. */
export const askProvider = (options: NetworkOptions) => {
  const ask = guardedFetch(options)
  return async (url: string, { method, headers, body }: CustomFetchOptions): Promise<Response> => {
    // `openid-client` sends forms alone.
    const form = body === undefined || body === null ? null : String(body)
    try {
      return await ask({ url, init: { method, headers, body: form }, read: whole })
    } catch (thrown) {
      throw thrown instanceof NetworkFault ? unreachable(thrown.reason) : thrown
    }
  }
}

/** The answer with its whole body. @throws NetworkFault */
const whole = async (answer: Response): Promise<Response> => {
  const { status, headers } = answer
  const chunks = await bytesOf(answer, MAX_BYTES)
  if (chunks === undefined) throw new NetworkFault('too_large')
  const hasBody = status !== 204 && status !== 205
  return new Response(hasBody ? new Blob([...chunks]) : null, { status, headers })
}
