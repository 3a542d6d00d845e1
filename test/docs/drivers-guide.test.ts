import { createServer } from 'node:http'
import { connect } from 'node:net'
import { neonConfig } from '@neondatabase/serverless'
import { expect, test } from 'vitest'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { openOnNeon } from '../../docs/examples/neon-pool.js'
import { addSamples, iamOn, logOf } from '../application/host.js'
import { startPostgres } from '../postgres-server.js'

test('The pool of Neon serves claviger over web sockets, as through the proxy of Neon.', async () => {
  await using server = await startPostgres({ settings: ['fsync=off'] })
  const http = createServer()
  const sockets = new WebSocketServer({ server: http })
  sockets.on('connection', (socket) => {
    const stream = createWebSocketStream(socket)
    const toServer = connect(server.port, '127.0.0.1')
    stream.pipe(toServer).pipe(stream)
    for (const end of [stream, toServer]) end.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const address = http.address()
  const port = typeof address === 'object' ? address?.port : undefined
  Object.assign(neonConfig, {
    wsProxy: () => `127.0.0.1:${port}/`,
    useSecureWebSocket: false,
    pipelineConnect: false,
    pipelineTLS: false,
  })

  const opened = await openOnNeon(server.connectionString)
  const iam = iamOn(opened.store, opened)
  await addSamples(iam)
  expect((await logOf(opened.store)).length).toBeGreaterThan(0)
  expect(opened.engine).toEqual({
    server: expect.stringMatching(/^PostgreSQL \d/),
    driver: 'pg',
  })
  const woken = new Promise<void>((resolve) => opened.store.onAppend?.(resolve))
  await woken
  await opened.close()
  sockets.close()
  http.closeAllConnections()
  http.close()
})
