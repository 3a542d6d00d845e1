import { Code, type HandlerContext } from '@connectrpc/connect'
import { expect, it } from 'vitest'
import { gateOf } from '../../../src/transport/http/authenticate-call.js'
import type { Edge } from '../../../src/transport/options.js'

it('A call that is over before it begins waits for nobody to tell who calls', async () => {
  const silent = { authenticate: () => new Promise<never>(() => undefined) }
  const call = {
    method: { proto: {} },
    requestHeader: new Headers(),
    responseHeader: new Headers(),
    signal: AbortSignal.abort(),
  }
  const admitted = gateOf(silent as unknown as Edge)(call as unknown as HandlerContext)
  await expect(admitted).rejects.toMatchObject({ code: Code.Canceled })
})
