import { Code } from '@connectrpc/connect'
import { expect, it } from 'vitest'
import type { Call } from '../../../src/transport/errors/call.js'
import { authenticateCall } from '../../../src/transport/operations/authenticate-call.js'
import type { ResolvedOptions } from '../../../src/transport/options.js'

it('A call that is over before it begins does not wait for authenticate', async () => {
  const silent = { authenticate: () => new Promise<never>(() => undefined) }
  const call = {
    method: { proto: {} },
    responseHeader: new Headers(),
    signal: AbortSignal.abort(),
  }
  const authenticated = authenticateCall(
    silent as unknown as ResolvedOptions,
    call as unknown as Call,
    new Headers(),
  )
  await expect(authenticated).rejects.toMatchObject({ code: Code.Canceled })
})
