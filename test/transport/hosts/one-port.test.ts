import { connect as connectHttp2, createSecureServer } from 'node:http2'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import * as grpc from '@grpc/grpc-js'
import { nodeHandler } from 'claviger/transport'
import { expect, it, onTestFinished } from 'vitest'
import { cert, key } from '../certificate.js'
import { openIam, transportOptions } from '../host.js'
import { listening } from '../servers.js'

/** A host with TLS, as a host on the internet has it. */
const openPort = async () => {
  const { options } = transportOptions()
  const handler = nodeHandler(await openIam(), options)
  const server = createSecureServer({ key, cert, allowHTTP1: true }, handler)
  await listening(server)
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const headers = { authorization: 'Bearer admin' }

it('One port with TLS serves JSON over HTTP/1.1', async () => {
  const port = await openPort()
  const text = await new Promise<string>((resolve, reject) => {
    const options = { port, path: '/v1/projects/portal', headers, ca: cert, agent: false }
    request({ host: 'localhost', ...options }, (response) => {
      let received = `HTTP/${response.httpVersion} `
      response.on('data', (chunk) => {
        received += chunk
      })
      response.on('end', () => resolve(received))
    })
      .on('error', reject)
      .end()
  })
  expect(text).toMatch(/^HTTP\/1\.1 \{"project":\{"id":"portal"/)
})

it('One port with TLS serves JSON over HTTP/2', async () => {
  const session = connectHttp2(`https://localhost:${await openPort()}`, { ca: cert })
  const stream = session.request({ ':path': '/v1/projects/portal', ...headers })
  let received = ''
  for await (const chunk of stream) received += chunk
  session.close()
  expect(JSON.parse(received).project.id).toBe('portal')
})

it('One port with TLS serves gRPC', async () => {
  const credentials = grpc.credentials.createSsl(Buffer.from(cert))
  const client = new grpc.Client(`localhost:${await openPort()}`, credentials)
  const metadata = new grpc.Metadata()
  metadata.set('authorization', 'Bearer admin')
  const same = (bytes: Buffer) => bytes
  const answer = await new Promise<Buffer | undefined>((resolve, reject) =>
    client.makeUnaryRequest(
      '/claviger.v1.ProjectService/GetProject',
      same,
      same,
      Buffer.from([0x0a, 6, ...Buffer.from('portal')]),
      metadata,
      (error, bytes) => (error ? reject(error) : resolve(bytes)),
    ),
  )
  client.close()
  expect(answer?.toString()).toContain('Portal')
})
