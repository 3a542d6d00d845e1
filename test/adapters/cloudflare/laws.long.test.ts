import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Runner, startRunner } from './runner.js'
import { LAWS } from './worker/laws.js'

let runner: Runner

beforeAll(async () => {
  runner = await startRunner()
})

afterAll(() => runner.stop())

describe('In a Durable Object, within workerd', () => {
  test.each(LAWS)('$name', async ({ name }) => {
    expect(await runner.run(name)).toBe(undefined)
  })
})

test('A broken law is reported with the value that was found.', async () => {
  await expect(runner.run('a law that is broken')).rejects.toThrow(/BrokenLaw: Expected 1 to be 2/)
})
