import { fetchHandler } from 'claviger/transport'
import { expect, it } from 'vitest'
import { openIam, transportOptions } from '../host.js'

it('A call that is over before it begins does not wait for authenticate', async () => {
  const { options, failures } = transportOptions()
  const authenticate = () => new Promise<never>(() => undefined)
  const handler = fetchHandler(await openIam(), { ...options, authenticate })
  const signal = AbortSignal.abort()
  const answer = await handler(new Request('http://localhost/v1/projects/portal', { signal }))
  expect([answer.status, (await answer.json()).code]).toEqual([499, 1])
  expect(failures).toEqual([])
})
