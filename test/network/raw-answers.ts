import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

/** What a server sends on a connection, byte by byte, and how it leaves it. */
export interface RawAnswer {
  readonly bytes: Buffer
  readonly end: 'end' | 'reset' | 'stay'
}

/** What became of one request. */
export interface Asked {
  /** Status and length of a response; otherwise the reason of the fault, or an error that is none. */
  readonly status?: number
  readonly length?: number
  readonly text?: string
  readonly reason?: string
  readonly unexpected?: string
}

/** Answers each path `/<number>` with the raw answer of that number, whatever was asked. */
const rawServer = async (answers: readonly RawAnswer[]) => {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      const [, number] = /^\w+ \/(\d+)/.exec(chunk.toString('latin1')) ?? []
      const answer = answers[Number(number)]
      if (!answer) return
      socket.write(answer.bytes, () => {
        if (answer.end === 'end') socket.end()
        if (answer.end === 'reset') socket.resetAndDestroy()
      })
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Asks for every answer in a process of its own, which has to live; `timeout` is that of a request. */
export const askInProcess = async (answers: readonly RawAnswer[], timeout: number) => {
  const server = await rawServer(answers)
  const register = resolve(import.meta.dirname, '../simulation/register.mjs')
  const program = resolve(import.meta.dirname, 'asking-process.ts')
  const given = [server.port, answers.length, timeout].map(String)
  const child = spawn(process.execPath, ['--import', register, program, ...given], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    const [printed, complaints, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ])
    const asked: readonly Asked[] = code === 0 ? JSON.parse(printed) : []
    return { code, complaints, asked, connections: server.connections() }
  } finally {
    child.kill('SIGKILL')
    server.close()
  }
}

export const http = (head: readonly string[], body: Buffer | string = ''): Buffer =>
  Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)])

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
const randomOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

const plain = Buffer.from(JSON.stringify({ issuer: 'https://idp.test', padding: 'x'.repeat(300) }))
const bomb = Buffer.alloc(8 * 1024 * 1024)

const CODED: Readonly<Record<string, readonly Buffer[]>> = {
  gzip: [gzipSync(plain), gzipSync(bomb)],
  deflate: [deflateSync(plain), deflateSync(bomb)],
  br: [brotliCompressSync(plain), brotliCompressSync(bomb, { params: { 1: 1 } })],
}

const STATUS = [
  ...Array<string>(50).fill('HTTP/1.1 200 OK'),
  'HTTP/1.1 400 Bad',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 204 None',
  'HTTP/1.1 205 Reset',
  'HTTP/1.1 304 Same',
  'HTTP/1.1 302 Found',
  'HTTP/1.1 101 Switching Protocols',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nlink: <a>\r\n\r\nHTTP/1.1 200 OK',
  `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(300)}HTTP/1.1 200 OK`,
  'HTTP/1.1 600 Odd',
  'HTTP/1.1 999 Odd',
  'HTTP/1.1 000 Odd',
  'HTTP/1.1 20 OK',
  'HTTP/2.0 200 OK',
  'http/1.1 200 OK',
  'SSH-2.0-OpenSSH_9.2',
  '',
]

const CODINGS = [
  'gzip',
  'deflate',
  'br',
  'x-gzip',
  'identity',
  'zstd',
  'aes128gcm',
  'GZIP',
  '',
  ' ',
]

const OTHERS = [
  'connection: close',
  'connection: keep-alive',
  'connection: upgrade\r\nupgrade: websocket',
  'location: http://169.254.169.254/',
  'set-cookie: a=b\r\nset-cookie: c=d',
  'trailer: x-late',
  'x: \u00ff\u0001',
  'x:\u0000',
  'x y: z',
  ': none',
  'folded: a\r\n b',
  `long: ${'x'.repeat(20_000)}`,
  'n: 1\r\n'.repeat(3_000).trimEnd(),
  'keep-alive: timeout=-1',
  'retry-after: 1e999',
  'content-type: application/json; charset=\u00e4',
]

/** Answers that no server should send, in the order of a seed. */
export const hostileAnswers = (seed: number, count: number): readonly RawAnswer[] => {
  const random = randomOf(seed)
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value
  const several = <Value>(most: number, make: () => Value) =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, make)

  const chunked = (body: Buffer): Buffer => {
    const size = pick([body.length, 1, 7, 1_000])
    const pieces: (Buffer | string)[] = []
    for (let from = 0; from < body.length && pieces.length < 3_000; from += size) {
      const piece = body.subarray(from, from + size)
      const extension = pick(['', '', '', ';a=b', `;${'e'.repeat(20_000)}`])
      const length = pick([
        ...Array(50).fill(piece.length.toString(16)),
        'zz',
        '-1',
        'ffffffffffff',
      ])
      pieces.push(`${length}${extension}\r\n`, piece, pick([...Array(50).fill('\r\n'), '\n', 'xx']))
    }
    const trailers = pick([
      '',
      'x-late: 1\r\n',
      'content-encoding: br\r\n',
      'x: y\r\n'.repeat(5_000),
    ])
    return Buffer.concat(
      [...pieces, pick(['0\r\n', '0\r\n', '', 'g\r\n']), trailers, '\r\n'].map((piece) =>
        Buffer.from(piece),
      ),
    )
  }

  const answer = (): RawAnswer => {
    const coding = pick(['gzip', 'deflate', 'br', 'none', 'none'])
    const whole = pick(CODED[coding] ?? [plain, Buffer.alloc(0), bomb.subarray(0, 3_000_000)])
    const cut = pick([whole, whole, whole.subarray(0, Math.floor(whole.length * random()))])
    const body =
      random() < 0.1 ? Buffer.from(cut.map((byte) => byte ^ (random() < 0.01 ? 255 : 0))) : cut
    const named =
      random() < 0.6 ? (coding === 'none' ? [] : [coding]) : several(8, () => pick(CODINGS))
    const isChunked = random() < 0.4
    const lengths = isChunked
      ? pick([
          ['transfer-encoding: chunked'],
          ['transfer-encoding: gzip, chunked'],
          ['transfer-encoding: chunked, chunked'],
          ['transfer-encoding: chunked', `content-length: ${body.length}`],
        ])
      : pick([
          [`content-length: ${body.length}`],
          [`content-length: ${body.length}`],
          [],
          [`content-length: ${body.length + 10}`],
          ['content-length: -1'],
          ['content-length: 1', 'content-length: 2'],
          ['content-length: 99999999999999999999'],
          ['content-length: 0'],
        ])
    const codings =
      random() < 0.5
        ? named.map((each) => `content-encoding: ${each}`)
        : named.length > 0
          ? [`content-encoding: ${named.join(', ')}`]
          : []
    const head = [
      pick(STATUS),
      ...codings,
      ...lengths,
      ...several(random() < 0.3 ? 2 : 0, () => pick(OTHERS)),
    ]
    const bytes = http(head, isChunked ? chunked(body) : body)
    const sent = random() < 0.2 ? bytes.subarray(0, Math.floor(bytes.length * random())) : bytes
    const twice =
      random() < 0.1
        ? Buffer.concat([sent, http(['HTTP/1.1 200 OK', 'content-length: 4'], 'evil')])
        : sent
    return { bytes: twice, end: pick(['end', 'end', 'reset', 'stay'] as const) }
  }
  return Array.from({ length: count }, answer)
}
