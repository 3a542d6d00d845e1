import { connect } from 'node:http2'
import { create, toBinary } from '@bufbuild/protobuf'
import { ProjectRoleService, ProjectService } from 'claviger/transport'
import { type Operation, type Protocol, rpcPath, TOKEN } from './calls.ts'

/** What a server is called with for some seconds, by a process of its own. */
export interface Load {
  readonly protocol: Protocol
  readonly operation: Operation
  readonly port: number
  readonly seconds: number
}

/** Calls over HTTP/1.1. */
export interface Http {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Record<string, string>
  /** A new body for each call; none when absent. */
  readonly bodyOf?: (() => string) | undefined
  readonly port: number
  readonly connections: number
  readonly seconds: number
}

// The compiler does not follow this name: peers are a package of their own.
const AUTOCANNON: string = '../peers/autocannon.ts'
const { callHttp }: { callHttp: (calls: Http) => Promise<number> } = await import(AUTOCANNON)

const CONNECTIONS = 16

let roles = 0
const run = Date.now().toString(36)
const nextRole = () => ({ roleKey: `${run}-${roles++}`, displayName: 'Editor', group: 'content' })

const callRest = (operation: Operation, { port, seconds }: Load): Promise<number> => {
  const isAdding = operation === 'post'
  return callHttp({
    method: isAdding ? 'POST' : 'GET',
    path: `/v1/projects/portal${isAdding ? '/roles' : ''}`,
    headers: { authorization: TOKEN, ...(isAdding && { 'content-type': 'application/json' }) },
    bodyOf: isAdding ? () => JSON.stringify(nextRole()) : undefined,
    port,
    connections: CONNECTIONS,
    seconds,
  })
}

const callConnect = (operation: Operation, { port, seconds }: Load): Promise<number> =>
  callHttp({
    method: 'POST',
    path: rpcPath(operation),
    headers: {
      authorization: TOKEN,
      'content-type': 'application/json',
      'connect-protocol-version': '1',
    },
    bodyOf: () =>
      JSON.stringify(
        operation === 'post' ? { projectId: 'portal', ...nextRole() } : { id: 'portal' },
      ),
    port,
    connections: CONNECTIONS,
    seconds,
  })

const messageOf = (operation: Operation): Uint8Array => {
  const { input: add } = ProjectRoleService.method.addProjectRole
  const { input: get } = ProjectService.method.getProject
  return operation === 'post'
    ? toBinary(add, create(add, { projectId: 'portal', ...nextRole() }))
    : toBinary(get, create(get, { id: 'portal' }))
}

const callGrpc = async (operation: Operation, { port, seconds }: Load): Promise<number> => {
  const end = Date.now() + seconds * 1_000
  let calls = 0
  const caller = async (): Promise<void> => {
    const session = connect(`http://127.0.0.1:${port}`)
    for (; Date.now() < end; calls++) {
      const message = messageOf(operation)
      const frame = Buffer.alloc(5 + message.length)
      frame.writeUInt32BE(message.length, 1)
      frame.set(message, 5)
      const stream = session.request({
        ':method': 'POST',
        ':path': rpcPath(operation),
        authorization: TOKEN,
        'content-type': 'application/grpc',
        te: 'trailers',
      })
      stream.once('trailers', (trailers) => {
        if (trailers['grpc-status'] !== '0') throw new Error('A call was refused')
      })
      await new Promise((resolve) => stream.once('close', resolve).resume().end(frame))
    }
    session.close()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, caller))
  return calls
}

const CALLS = { rest: callRest, connect: callConnect, grpc: callGrpc }

// Answers a load with the number of its calls.
process.on('message', async (load: Load) => {
  process.send?.(await CALLS[load.protocol](load.operation, load))
})
process.once('disconnect', () => process.exit())
