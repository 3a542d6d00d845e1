import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { addProjects, nameOf, type Received, running } from './receivers.js'

const OK = 'HTTP/1.1 200 OK\r\n'
const CODINGS = 'content-encoding: gzip\r\n'.repeat(6)

/** Writes interim responses until the connection has ended. */
const flood = (socket: Socket): void => {
  const more = () => {
    while (socket.writable && socket.write('HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n')) {}
  }
  socket.on('drain', more)
  more()
}

/** A receiver that accepts every message but the first, to which it answers otherwise. */
const receiver = async (answer: (socket: Socket) => void) => {
  const messages: string[] = []
  const server = createServer((socket) => {
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (piece) => {
      text += piece
      const [head = '', body] = text.split('\r\n\r\n')
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1])
      if (body === undefined || Buffer.byteLength(body) < length) return
      text = ''
      messages.push(body)
      if (messages.length === 1) answer(socket)
      else socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { messages, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const sending = (url: string) =>
  running(() => 200, {
    fetch: undefined,
    lookup: undefined,
    allowHttpLoopback: true,
    timeout: 1_000,
    endpoint: { url },
  })

// A fault that nobody catches fails the run of the tests, as it would end a host.
it.each<[name: string, reason: string, answer: (socket: Socket) => void]>([
  [
    'six content codings and a body that is cut off',
    'malformed',
    (socket) => socket.end(`${OK}${CODINGS}content-length: 1000\r\n\r\nhalf`),
  ],
  [
    'six content codings and a body that never ends',
    'malformed',
    (socket) => socket.write(`${OK}${CODINGS}content-length: 1000\r\n\r\nhalf`),
  ],
  ['interim responses without an end', 'timeout', flood],
  [
    'another protocol',
    'malformed',
    (socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  ],
])('A receiver that answers with %s is sent the message again', async (_, reason, answer) => {
  const { messages, url } = await receiver(answer)
  const { iam, deliveries, faults, until } = await sending(url)
  await addProjects(iam, 'acme/a')
  await until(() => deliveries.some(({ outcome }) => outcome === 'taken'))
  expect(deliveries.map(({ outcome, reason }) => ({ outcome, reason }))).toEqual([
    { outcome: 'unreachable', reason },
    { outcome: 'taken', reason: undefined },
  ])
  expect(faults).toEqual([])
  const [first, second] = messages.map((body): Received['event'] => JSON.parse(body))
  expect(second).toEqual(first)
  expect(nameOf({ event: first } as Received)).toBe('acme/a')
})

it('A receiver has accepted a message by its status, also when its body is cut off within a coding', async () => {
  const { messages, url } = await receiver((socket) => {
    socket.write(`${OK}content-encoding: gzip\r\ncontent-length: 1000\r\n\r\n`)
    socket.end(Buffer.from('1f8b0800000000000003', 'hex'))
  })
  const { iam, deliveries, faults, until } = await sending(url)
  await addProjects(iam, 'acme/a', 'acme/b')
  await until(() => deliveries.length === 2)
  expect(deliveries.map(({ outcome, status }) => [outcome, status])).toEqual([
    ['taken', 200],
    ['taken', 204],
  ])
  expect(faults).toEqual([])
  expect(messages.map((body) => nameOf({ event: JSON.parse(body) } as Received))).toEqual([
    'acme/a',
    'acme/b',
  ])
})
