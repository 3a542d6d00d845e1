import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle, startWorkerd } from './workerd.js'

let workerd: ReturnType<typeof startWorkerd>

beforeAll(async () => {
  workerd = startWorkerd(await bundle('test/adapters/cloudflare/worker/together.ts'), {})
})

afterAll(() => workerd.dispose())

const rename = async (name: string): Promise<string> =>
  (await workerd.dispatchFetch(`http://localhost/${name}`)).text()

test('Requests of one isolate that write one object together are all answered.', {
  timeout: 20_000,
}, async () => {
  expect(await rename('first')).toBe('first')
  const names = ['a', 'b', 'c', 'd', 'e']
  for (let round = 0; round < 3; round++)
    expect(await Promise.all(names.map(rename))).toEqual(names)
  expect(await rename('last')).toBe('last')
})
