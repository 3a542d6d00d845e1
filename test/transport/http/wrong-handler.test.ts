import { createServer, type IncomingMessage } from 'node:http'
import { connect, createServer as createHttp2Server, type Http2ServerRequest } from 'node:http2'
import { fetchHandler, nodeHandler } from 'claviger/transport'
import { expect, it, onTestFinished } from 'vitest'
import { openIam, transportOptions } from '../host.js'
import { listening } from '../servers.js'

/** What `fetchHandler` says of a request of Node.js. */
const answerTo = async (request: IncomingMessage | Http2ServerRequest): Promise<unknown> => {
  const handler = fetchHandler(await openIam(), transportOptions().options)
  return Reflect.apply(handler, undefined, [request]).catch((thrown: unknown) => thrown)
}

const advice = new TypeError('fetchHandler needs a fetch Request; for node:http, use nodeHandler')

it('fetchHandler with a request of node:http says what to use', async () => {
  const answers: unknown[] = []
  const server = createServer(async (request, response) => {
    answers.push(await answerTo(request))
    response.end()
  })
  onTestFinished(() => void server.close())
  await fetch(`${await listening(server)}/v1/projects`, { headers: { get: 'x' } })
  expect(answers).toEqual([advice])
})

it('fetchHandler with a request of node:http2 says what to use', async () => {
  const answers: unknown[] = []
  const server = createHttp2Server(async (request, response) => {
    answers.push(await answerTo(request))
    response.end()
  })
  const session = connect(await listening(server))
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  await session.request({ ':path': '/v1/projects' }).toArray()
  expect(answers).toEqual([advice])
})

it('nodeHandler with a Request of fetch says what to use', async () => {
  const handler = nodeHandler(await openIam(), transportOptions().options)
  const request = new Request('http://localhost/v1/projects')
  expect(() => Reflect.apply(handler, undefined, [request])).toThrow(
    new TypeError('nodeHandler needs a request of node:http; for fetch, use fetchHandler'),
  )
})
