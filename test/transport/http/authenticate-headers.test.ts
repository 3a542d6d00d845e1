import { createServer } from 'node:http'
import { inspect } from 'node:util'
import { nodeHandler } from 'claviger/transport'
import { expect, it, onTestFinished } from 'vitest'
import { callers, openIam, transportOptions } from '../host.js'
import { closed, listening } from '../servers.js'

/** What `use` makes of the headers that `authenticate` gets of a request over HTTP/1.1. */
const seenBy = async <Seen>(use: (headers: Headers) => Seen): Promise<Seen> => {
  const { options } = transportOptions()
  const seen = Promise.withResolvers<Seen>()
  const authenticate = (headers: Headers) => {
    seen.resolve(use(headers))
    return callers['admin']
  }
  const server = createServer(nodeHandler(await openIam(), { ...options, authenticate }))
  const origin = await listening(server)
  onTestFinished(() => closed(server))
  const headers = { authorization: 'Bearer admin', 'x-many': 'one, two' }
  const answer = await fetch(`${origin}/v1/projects/portal`, { headers })
  await answer.arrayBuffer()
  return seen.promise
}

it('authenticate gets headers by name, in any case', async () => {
  expect(await seenBy((headers) => headers.get('Authorization'))).toBe('Bearer admin')
  expect(await seenBy((headers) => headers.get('x-many'))).toBe('one, two')
  expect(await seenBy((headers) => headers.get('x-none'))).toBeNull()
})

it('authenticate may print and copy the headers', async () => {
  expect(await seenBy((headers) => inspect(headers))).toContain('one, two')
  expect(await seenBy((headers) => new Headers(headers).get('x-many'))).toBe('one, two')
})
