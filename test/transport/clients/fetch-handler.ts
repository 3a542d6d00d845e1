import { fetchHandler } from 'claviger/transport'
import type { OpenClient } from './client.js'
import { answerOf, plainRequestOf, requestOf } from './rest.js'

/** No server at all: a `Request` in, a `Response` out. */
export const fetchHandlerClient: OpenClient = async () => ({
  call: async (call, { iam, options }) => {
    const handler = fetchHandler(iam, options)
    return answerOf(await handler(requestOf('https://iam.example.com', plainRequestOf(call), call)))
  },
  close: async () => {},
})
