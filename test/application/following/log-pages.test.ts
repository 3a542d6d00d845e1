import { expect, it, vi } from 'vitest'
import { logPages } from '../../../src/application/following/log-pages.js'
import { systemEnvironment } from '../../../src/ports/environment.js'
import { addSamples, start } from '../host.js'

it.each([
  { size: 1, answered: 1, yields: 3 },
  { size: 2, answered: 1, yields: 1 },
])(
  'Reading three events lets other work run after each $size, in pages of $answered',
  async ({ size, answered, yields }) => {
    const { store, iam } = start()
    await addSamples(iam)
    const environment = { ...systemEnvironment, yield: vi.fn(systemEnvironment.yield) }
    const short: typeof store = { ...store, readAll: (after) => store.readAll(after, answered) }
    for await (const { events } of logPages(short, 0n, { size, environment }))
      expect(events).toHaveLength(answered)
    expect(environment.yield).toHaveBeenCalledTimes(yields)
  },
)
