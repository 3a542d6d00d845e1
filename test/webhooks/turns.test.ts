import { expect, it } from 'vitest'
import { memoryCursors } from '../../src/webhooks/cursors.js'
import { webhooks } from '../../src/webhooks/webhooks.js'
import { addProjects, caller, newIam, SECRET } from './receivers.js'

it('Many endpoints with a message leave turns of the event loop to others', async () => {
  const iam = newIam()
  await addProjects(iam, 'acme/a')
  const endpoints = Array.from({ length: 60 }, (_, n) => ({
    id: `${n}`,
    url: 'https://one.test/',
    secrets: [SECRET],
    organizations: 'all' as const,
    after: 0n,
  }))
  const ending = new AbortController()
  let received = 0
  let inTurn = 0
  let most = 0
  const fetch = async () => {
    if (++inTurn === 1) setImmediate(() => (inTurn = 0))
    most = Math.max(most, inTurn)
    // A request takes the processor for a while.
    const end = performance.now() + 2
    while (performance.now() < end);
    if (++received === endpoints.length) ending.abort()
    return new Response(null, { status: 204 })
  }
  const hooks = webhooks({
    iam,
    caller,
    cursors: memoryCursors(),
    lookup: false,
    endpoints: () => endpoints,
    fetch,
  })
  expect((await hooks.run({ signal: ending.signal })).isOk()).toBe(true)
  expect(received).toBe(60)
  expect(most).toBeLessThan(20)
})
