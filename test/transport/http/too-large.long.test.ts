import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { cert, key } from '../certificate.js'
import { openHost } from '../http-client.js'
import { listening } from '../servers.js'

const MEBIBYTE = 1024 * 1024

const head = (headers: readonly string[], token = 'admin') =>
  [
    'PUT /v1/projects/portal HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    ...headers,
    '',
    '',
  ].join('\r\n')

/** A connection, what came over it, and whether it ended as it should. */
const watched = (socket: Socket) => {
  onTestFinished(() => void socket.destroy())
  const seen = { text: '', error: undefined as Error | undefined }
  socket.on('data', (piece) => {
    seen.text += piece
  })
  socket.on('error', (error) => {
    seen.error = error
  })
  return seen
}

const answered = (seen: { readonly text: string }) =>
  expect.poll(() => seen.text.endsWith('}'), { timeout: 60_000 }).toBe(true)

/** Sends pieces as fast as they are taken, until `most` bytes or until nobody takes them. */
const sendUpTo = async (socket: Socket, most: number): Promise<number> => {
  const piece = new Uint8Array(64 * 1024)
  let sent = 0
  for (; sent < most && socket.writable; sent += piece.length)
    await new Promise<unknown>((resolve) => socket.write(piece, resolve))
  return sent
}

const openPlain = async () => {
  const { server } = await openHost()
  const socket = connectTcp((server.address() as AddressInfo).port, '127.0.0.1')
  return { socket, seen: watched(socket) }
}

const openTls = async () => {
  const { handler } = await openHost()
  const server = createSecureServer({ key, cert, allowHTTP1: true }, handler)
  await listening(server)
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const socket = connectTls({ host: 'localhost', port, ca: cert, ALPNProtocols: ['http/1.1'] })
  return { socket, seen: watched(socket) }
}

describe.each([
  ['HTTP/1.1', openPlain],
  ['HTTP/1.1 with TLS', openTls],
])('Over %s', (_, open) => {
  it.each([
    ['too large is answered', '413', 'admin'],
    ['of nobody is answered', '401', 'nobody'],
  ])('a body that is %s before its end, which is waited for', async (_name, status, token) => {
    const { socket, seen } = await open()
    socket.write(head([`Content-Length: ${6 * MEBIBYTE}`], token))
    await sendUpTo(socket, 2 * MEBIBYTE)
    await answered(seen)
    expect(seen.text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(await sendUpTo(socket, 4 * MEBIBYTE)).toBe(4 * MEBIBYTE)
    await once(socket, 'close')
    expect(seen.error).toBeUndefined()
  })

  it('a request behind one that is refused is not carried out, as no answer to it would arrive', async () => {
    const { call, server } = await openHost()
    const socket = connectTcp((server.address() as AddressInfo).port, '127.0.0.1')
    const seen = watched(socket)
    const body = '{"name":"Behind"}'
    socket.write(head([`Content-Length: ${2 * MEBIBYTE}`]))
    await sendUpTo(socket, 2 * MEBIBYTE)
    socket.write(`${head([`Content-Length: ${body.length}`])}${body}`)
    await once(socket, 'close')
    expect(seen.text).toMatch(/^HTTP\/1.1 413 /)
    expect(seen.text).not.toContain('200 OK')
    expect((await call('GET', '/v1/projects/portal')).json).toMatchObject({
      project: { name: 'Portal' },
    })
  })

  it('a body of unknown length is waited for as well', async () => {
    const { socket, seen } = await open()
    socket.write(head(['Transfer-Encoding: chunked']))
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    for (let sent = 0; sent < 40; sent++) {
      await new Promise<unknown>((resolve) => socket.write(chunk, resolve))
      if (sent === 20) await answered(seen)
    }
    socket.write('0\r\n\r\n')
    await once(socket, 'close')
    expect(seen.text).toMatch(/^HTTP\/1.1 413 /)
    expect(seen.error).toBeUndefined()
  })

  it('a body that has no end is not waited for', async () => {
    const { socket, seen } = await open()
    const most = 64 * MEBIBYTE
    socket.write(head([`Content-Length: ${10 * most}`]))
    expect(await sendUpTo(socket, most)).toBeLessThan(most)
    expect(seen.text).toMatch(/^HTTP\/1.1 413 /)
  })

  it('a client that stops sending is not waited for longer than two seconds', async () => {
    const { socket, seen } = await open()
    const isClosed = vi.fn()
    socket.once('close', isClosed)
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    socket.write(head([`Content-Length: ${6 * MEBIBYTE}`]))
    await sendUpTo(socket, 2 * MEBIBYTE)
    while (!seen.text.endsWith('}')) await once(socket, 'data')
    await vi.advanceTimersByTimeAsync(1_999)
    expect(isClosed).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await once(socket, 'close')
    expect(seen.error).toBeUndefined()
  })
})
