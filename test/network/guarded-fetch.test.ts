import { execFileSync } from 'node:child_process'
import dns from 'node:dns'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import https from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { guardedFetch, NetworkFault } from 'claviger/node'
import { openIdSignIn } from 'claviger/oidc'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { networkOf } from '../../src/network/request.js'
import { temporaryFolder } from '../runtimes/host-folder.js'
import { addProjects, caller, newIam, running } from '../webhooks/receivers.js'
import { askInProcess, hostileAnswers, http, type RawAnswer } from './raw-answers.js'

const OK = 'HTTP/1.1 200 OK'
const json = '{"issuer":"x"}'
const answer = (bytes: Buffer, end: RawAnswer['end'] = 'end'): RawAnswer => ({ bytes, end })
const withCodings = (count: number, body: Buffer | string, end?: RawAnswer['end']) => {
  const codings = Array.from({ length: count }, () => 'content-encoding: gzip')
  return answer(http([OK, ...codings, 'content-length: 1000'], body), end)
}

describe('A process that asks a hostile server', () => {
  it('lives, and learns why there is no response', async () => {
    const zeros = gzipSync(Buffer.alloc(3_000_000))
    const cases: readonly (readonly [RawAnswer, object])[] = [
      [answer(http([OK, 'content-length: 14'], json)), { status: 200, text: json }],
      [withCodings(6, 'half'), { reason: 'malformed' }],
      [withCodings(6, 'half', 'stay'), { reason: 'malformed' }],
      [answer(http([OK, 'content-encoding: gzip, br'], 'half')), { reason: 'malformed' }],
      [withCodings(1, gzipSync(json).subarray(0, 12)), { reason: 'network' }],
      [answer(http([OK, 'content-encoding: zstd'], json)), { reason: 'malformed' }],
      [answer(http([OK, 'content-encoding: gzip'], gzipSync(json))), { status: 200, text: json }],
      [answer(http([OK, 'content-encoding: gzip'], json)), { reason: 'malformed' }],
      [answer(http([OK, 'content-encoding: gzip'], zeros)), { reason: 'too_large' }],
      [answer(http([OK], Buffer.alloc(3_000_000))), { reason: 'too_large' }],
      [answer(http([OK, `x: ${'x'.repeat(20_000)}`])), { reason: 'malformed' }],
      [answer(http(['HTTP/1.1 302 Found', 'location: http://10.0.0.1/'])), { reason: 'redirect' }],
      [answer(http(['HTTP/1.1 101 Switching', 'upgrade: x'])), { reason: 'malformed' }],
      [answer(http(['HTTP/1.1 700 Odd'])), { reason: 'malformed' }],
      [answer(http([OK, 'content-length: 9'], 'half'), 'stay'), { reason: 'timeout' }],
      [answer(Buffer.from(''), 'stay'), { reason: 'timeout' }],
      [answer(Buffer.from(''), 'reset'), { reason: 'network' }],
      [answer(http([OK, 'content-encoding: constructor'], json)), { reason: 'malformed' }],
      // https://github.com/encode/httpx/issues/195, https://github.com/sparklemotion/mechanize/issues/138
      [answer(http([OK, 'content-encoding: UTF-8'], json)), { status: 200, text: json }],
      [answer(http([OK, 'content-encoding: utf8, none'], json)), { status: 200, text: json }],
      [
        answer(http([OK, 'content-encoding: gzip, utf-8'], gzipSync(json))),
        { status: 200, text: json },
      ],
    ]
    const { code, complaints, asked } = await askInProcess(
      cases.map(([each]) => each),
      2_000,
    )
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
    expect(asked.map(({ length: _, ...each }) => each)).toEqual(cases.map(([, outcome]) => outcome))
  })

  it('lives through answers that no server should send', async () => {
    const answers = hostileAnswers(20_261_128, 300)
    const { code, complaints, asked } = await askInProcess(answers, 400)
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
    expect(asked).toHaveLength(answers.length)
    expect(asked.filter((each) => each.unexpected !== undefined)).toEqual([])
    expect(asked.filter(({ length = 0 }) => length > 1024 * 1024)).toEqual([])
    // What is sound is read.
    expect(asked.filter(({ status }) => status === 200).length).toBeGreaterThan(10)
  })
})

/** Names that lead to addresses of a test. */
const addresses = new Map<string, readonly string[]>()
const resolving = () => {
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(((
    name: string,
    { all }: { readonly all?: boolean },
    done: (error: Error | null, found: unknown, family?: number) => void,
  ) => {
    const found = (addresses.get(name) ?? []).map((address) => ({ address, family: 4 }))
    if (all) done(null, found)
    else done(null, found[0]?.address, 4)
  }) as never)
  onTestFinished(() => spy.mockRestore())
}

describe('guardedFetch', () => {
  const seen: string[] = []
  const connections = new Set<object>()
  let server: Server
  let port = 0
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      connections.add(request.socket)
      const body = Buffer.concat(await request.toArray()).toString()
      seen.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`)
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.end('hello')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const reasonOf = async (asked: Promise<Response>) => {
    const thrown = await asked.then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(thrown).toBeInstanceOf(NetworkFault)
    return (thrown as NetworkFault).reason
  }
  const local = guardedFetch({ allowHttpLoopback: true })

  it('sends what a fetch sends, and answers what a fetch answers', async () => {
    const url = `http://127.0.0.1:${port}/a?b=c`
    const body = new URLSearchParams({ code: 'x' })
    const response = await local(url, { method: 'POST', body })
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(await response.text()).toBe('hello')
    const type = 'application/x-www-form-urlencoded;charset=UTF-8'
    expect(seen.at(-1)).toBe(`POST /a?b=c ${type} code=x`)
  })

  it('uses a connection again, and a new one when the server has closed it', async () => {
    const ask = guardedFetch({ allowHttpLoopback: true })
    const before = connections.size
    const url = `http://127.0.0.1:${port}/`
    for (let n = 0; n < 3; n++) await (await ask(url)).text()
    expect(connections.size).toBe(before + 1)
    server.closeAllConnections()
    expect(await (await ask(url)).text()).toBe('hello')
    expect(connections.size).toBe(before + 2)
  })

  it('asks once when a connection breaks after the response has begun', async () => {
    const requests: string[] = []
    const breaking = createServer((request, response) => {
      requests.push(request.url ?? '')
      if (request.url === '/first') return response.end('hello')
      response.writeHead(200, { 'content-length': '100' })
      return response.write('half', () => request.socket.resetAndDestroy())
    }).listen(0, '127.0.0.1')
    await once(breaking, 'listening')
    onTestFinished(() => void breaking.close())
    const ask = guardedFetch({ allowHttpLoopback: true })
    const url = `http://127.0.0.1:${(breaking.address() as AddressInfo).port}`
    await (await ask(`${url}/first`)).text()
    const response = await ask(`${url}/second`)
    await expect(response.text()).rejects.toBeInstanceOf(NetworkFault)
    await (await ask(`${url}/first`)).text()
    expect(requests).toEqual(['/first', '/second', '/first'])
  })

  it.each([[['127.0.0.1']], [['8.8.8.8', '127.0.0.1']], [['10.1.2.3']], [[]], [['0177.0.0.1']]])(
    'makes no connection to a name that leads to %j',
    async (found) => {
      resolving()
      addresses.set('rebound.test', found)
      const before = connections.size
      expect(await reasonOf(guardedFetch()(`https://rebound.test:${port}/`))).toBe('address')
      expect(connections.size).toBe(before)
    },
  )

  it('sends nothing without TLS to a name of this machine that leads elsewhere', async () => {
    resolving()
    addresses.set('app.localhost', ['8.8.8.8'])
    expect(await reasonOf(local(`http://app.localhost:${port}/`))).toBe('address')
    addresses.set('app.localhost', ['127.0.0.1'])
    expect((await local(`http://app.localhost:${port}/`)).status).toBe(200)
  })

  it.each([
    'http://idp.test/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://user:x@idp.test/',
    'file:///etc/passwd',
    'nothing',
  ])('does not ask for %s', async (url) => {
    expect(await reasonOf(guardedFetch()(url))).toBe('address')
  })

  it('ends when its signal aborts', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
    const aborted = new AbortController()
    silent.once('request', () => aborted.abort())
    expect(await reasonOf(local(url, { signal: aborted.signal }))).toBe('timeout')
    expect(await reasonOf(local(url, { signal: AbortSignal.abort() }))).toBe('timeout')
    silent.closeAllConnections()
    silent.close()
  })

  it('tells a certificate that nobody trusts from a server that is not there', async () => {
    const folder = await temporaryFolder()
    const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert]
    execFileSync('openssl', [...made, '-days', '2', ...subject], { stdio: 'ignore' })
    const secure = https
      .createServer({ key: readFileSync(key), cert: readFileSync(cert) })
      .listen(0, '127.0.0.1')
    await once(secure, 'listening')
    const url = `https://localhost:${(secure.address() as AddressInfo).port}/`
    expect(await reasonOf(local(url))).toBe('certificate')
    secure.close()
    await once(secure, 'close')
    expect(await reasonOf(local(url))).toBe('network')
    await folder.dispose()
  })

  it('knows its options', () => {
    expect(() => guardedFetch({ lookup: false } as never)).toThrow(TypeError)
    expect(() => guardedFetch({ timeout: 0 })).toThrow(TypeError)
  })

  it('refuses to work where it cannot check addresses', () => {
    vi.stubGlobal('process', { versions: { ...process.versions, bun: '1.4.5' } })
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(() => guardedFetch()).toThrow('guardedFetch needs Node.js')
  })
})

describe('guardedFetch is the default', () => {
  /** Ends a process that asks it by the fetch of Node.js. */
  const deadly = async () => {
    const { bytes } = withCodings(6, 'half')
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.write(bytes, () => socket.destroy()))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it('of sign-in', async () => {
    const iam = newIam()
    const issuer = await deadly()
    const idp = { idpId: 'own', name: 'Own', clientId: 'c', clientSecret: 's', issuer }
    await iam.identityProviders.addOidc(idp, { caller: caller('acme') })
    const begun = await openIdSignIn({
      iam,
      caller,
      key: new Uint8Array(32),
      callbackBase: 'https://app.test/callback',
      allowHttpLoopback: true,
    }).begin({ orgId: 'acme', idpId: 'own' })
    const refusal = begun._unsafeUnwrapErr()
    expect(refusal).toEqual({ kind: 'ProviderUnreachable', reason: 'malformed' })
    const cause = new Error('The response has 6 content codings')
    expect(refusal).toHaveProperty('cause', cause)
  })

  it('of webhooks', async () => {
    const url = await deadly()
    const { iam, deliveries, until } = await running(() => 200, {
      fetch: undefined,
      lookup: undefined,
      allowHttpLoopback: true,
      endpoint: { url },
    })
    await addProjects(iam, 'acme/a')
    await until(() => deliveries.length > 0)
    expect(deliveries[0]).toMatchObject({ outcome: 'unreachable', reason: 'malformed' })
  })

  it('not where addresses cannot be checked: there, lookup is required', () => {
    vi.stubGlobal('process', { versions: { ...process.versions, deno: '2.5.0' } })
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(() => networkOf({})).toThrow(/^lookup must be a function/)
    expect(networkOf({ lookup: false })).toEqual({ lookup: false })
  })
})
