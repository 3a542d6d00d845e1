import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect, type Server } from 'node:net'
import { fetchHandler, nodeHandler } from 'claviger/transport'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openIam, transportOptions } from '../host.js'
import { openHost, violationsIn } from '../http-client.js'
import { closed, listening } from '../servers.js'

/** Sends a target that clients would mend first: status and body of the answer. */
const sendRaw = async (server: Server, target: string, method = 'GET') => {
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  const head = ['Host: localhost', 'Authorization: Bearer admin', 'Connection: close']
  socket.write([`${method} ${target} HTTP/1.1`, ...head, '', ''].join('\r\n'), 'latin1')
  let text = ''
  for await (const piece of socket) text += piece
  return { status: Number(text.slice(9, 12)), body: text.split('\r\n\r\n')[1] ?? '' }
}

/** The same over HTTP/2. */
const sendRaw2 = async (server: Server, path: string, method = 'GET') => {
  const { port } = server.address() as AddressInfo
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  onTestFinished(() => session.destroy())
  const request = session.request({
    ':method': method,
    ':path': path,
    authorization: 'Bearer admin',
  })
  const [headers] = await once(request, 'response')
  let body = ''
  for await (const piece of request) body += piece
  return { status: headers[':status'], body }
}

const open2 = async () => {
  const host = await openHost()
  const server = createHttp2Server(host.handler)
  await listening(server)
  onTestFinished(() => void server.close())
  return { ...host, server }
}

/** Bytes as Node.js writes and reads them in a target. */
const bytesOf = (text: string) => Buffer.from(text).toString('latin1')

const otherWays: readonly string[] = [
  '/v1/projects/../idps',
  '/v1/projects/%2e%2E/idps',
  '/public/.%2e/v1/idps',
  '/../v1/idps',
  '/./v1/idps',
  '/v1/%2e/idps',
  '/v1\\idps',
  '\\v1\\idps',
  '/v1/public/..\\idps',
  '/v1/idps#/public',
  ':80/v1/idps',
  'http://localhost\\@localhost/v1/idps',
  'http://localhost@localhost/v1/idps',
  'http://localhost/v1/projects/../idps',
  'http:/v1/idps',
  'ftp://localhost/v1/idps',
]

describe('A path is the one that was sent', () => {
  it.each(otherWays)('so that %s is not /v1/idps', async (target) => {
    const { server } = await openHost()
    // What is no target to Node.js itself, is answered by it with 400.
    expect([400, 404]).toContain((await sendRaw(server, target)).status)
  })

  it.each(otherWays.filter((path) => path.startsWith('/')))(
    'over HTTP/2 too, so that %s is not /v1/idps',
    async (path) => {
      const { server } = await open2()
      expect((await sendRaw2(server, path)).status).toBe(404)
    },
  )

  it.each(otherWays.filter((path) => path.startsWith('/')))(
    'and %s goes to the routes of the host, under a prefix as well',
    async (path) => {
      const { options } = transportOptions()
      const handler = nodeHandler(await openIam(), options)
      const app = express().use('/iam', handler).use(handler)
      app.use((_request, response) => void response.send('of the host'))
      const server = createServer(app)
      await listening(server)
      onTestFinished(() => closed(server))
      expect((await sendRaw(server, path)).body).toContain('of the host')
      expect((await sendRaw(server, `/iam${path}`)).body).toContain('of the host')
    },
  )

  it('and the host may take its time for what is not ours', async () => {
    const { handler } = await openHost()
    const server = createServer((request, response) =>
      handler(request, response, () => void setTimeout(() => response.end('of the host'), 20)),
    )
    await listening(server)
    onTestFinished(() => closed(server))
    const { status, body } = await sendRaw(server, '/elsewhere')
    expect([status, body]).toEqual([200, expect.stringContaining('of the host')])
  })

  it('in the form that proxies are sent as well, under a prefix too', async () => {
    const { options } = transportOptions()
    const handler = nodeHandler(await openIam(), options)
    const server = createServer(express().use('/iam', handler).use(handler))
    await listening(server)
    onTestFinished(() => closed(server))
    for (const origin of ['http://localhost', 'https://[::1]:8443', 'HTTP://iam.example.com:80']) {
      expect((await sendRaw(server, `${origin}/v1/projects/portal?`)).status).toBe(200)
      expect((await sendRaw(server, `${origin}/iam/v1/projects/portal`)).status).toBe(200)
    }
    expect((await sendRaw(server, 'http://localhost')).status).toBe(404)
  })
})

describe('What is percent-encoded though it need not be', () => {
  const hexadecimal = (byte: number) => `%${byte.toString(16).padStart(2, '0')}`
  const all = Array.from({ length: 0x80 }, (_, byte) => byte)
  const unreserved = all.filter((byte) => /[\w.~-]/.test(String.fromCharCode(byte)))
  const TILDE = 0x7e

  it('leads to nothing of ours, so that a guard by path holds', async () => {
    const { call, iam, options } = await openHost()
    const handler = fetchHandler(iam, options)
    for (const byte of unreserved.filter((byte) => byte !== TILDE)) {
      const paths = [hexadecimal(byte), hexadecimal(byte).toUpperCase()].map(
        (encoded) => `/v1/projects/p${encoded}`,
      )
      for (const path of paths) {
        expect((await call('GET', path)).status, path).toBe(404)
        expect(await (await call('GET', path)).json.details[0].reason).toBe('PATH_NOT_FOUND')
        expect((await handler(new Request(`http://localhost${path}`))).status, path).toBe(404)
      }
    }
    expect((await call('DELETE', '/v1/projects/%70ortal')).status).toBe(404)
    expect((await call('GET', '/v1/projects/portal')).status).toBe(200)
  })

  it('leads to an id with a tilde, which some clients encode, and to nothing else', async () => {
    const { call, iam, options } = await openHost()
    const handler = fetchHandler(iam, options)
    await call('POST', '/v1/projects', JSON.stringify({ id: 'a~b', name: 'Tilde' }))
    for (const id of ['a~b', 'a%7Eb', 'a%7eb']) {
      const path = `/v1/projects/${id}`
      expect((await call('GET', path)).json.project.name).toBe('Tilde')
      const headers = { authorization: 'Bearer admin' }
      const answer = await handler(new Request(`http://localhost${path}`, { headers }))
      expect(answer.status).toBe(200)
    }
    expect((await call('POST', '/v1/projects/a%7Eb:deactivate')).status).toBe(200)
    for (const path of ['/v1/projects/a%7Eb%3Adeactivate', '/v1/%7Eprojects', '/%7Ev1/projects'])
      expect((await call('POST', path)).status, path).toBeGreaterThanOrEqual(404)
  })

  it('is what anything else is not', async () => {
    const { call } = await openHost()
    await call('POST', '/v1/projects', JSON.stringify({ id: 'a:b@c', name: 'Encoded' }))
    expect((await call('GET', `/v1/projects/${encodeURIComponent('a:b@c')}`)).status).toBe(200)
    for (const byte of all.filter((byte) => !unreserved.includes(byte))) {
      const path = `/v1/projects/${hexadecimal(byte)}`
      expect((await call('GET', path)).status, path).toBe(400)
    }
  })
})

describe('What is not percent-encoded though it must be', () => {
  const role = '/v1/projects/portal/role?role_key='
  const addRole = (roleKey: string) => JSON.stringify({ roleKey, displayName: 'R' })

  it.each([bytesOf('é'), 'é', 'é41', 'a#b'])('is the key of no role: %j', async (key) => {
    const { call, server } = await open2()
    for (const roleKey of ['é', 'Ã©', 'A', 'a'])
      await call('POST', '/v1/projects/portal/roles', addRole(roleKey))
    const { status, body } = await sendRaw2(server, `${role}${key}`, 'DELETE')
    expect(status).toBe(400)
    expect(violationsIn(JSON.parse(body))).toEqual({ role_key: 'must be percent-encoded UTF-8' })
    const { json } = await call('GET', '/v1/projects/portal/roles')
    expect(json.totalSize).toBe(5)
  })

  it('is not an id', async () => {
    const { server } = await open2()
    const { status, body } = await sendRaw2(server, `/v1/projects/${bytesOf('é')}`)
    expect(status).toBe(400)
    expect(violationsIn(JSON.parse(body))).toEqual({ id: 'must be percent-encoded UTF-8' })
  })

  it('is the key of a role once it is encoded; the rest may stand as it is', async () => {
    const { server, call } = await open2()
    await call('POST', '/v1/projects/portal/roles', addRole('é\\#'))
    expect((await sendRaw2(server, `${role}%C3%A9\\%23`, 'DELETE')).status).toBe(200)
  })
})
