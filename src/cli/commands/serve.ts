import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Caller } from 'claviger'
import { type Command, DATABASE, Failed, optional } from '../running/command.js'
import { openDatabase } from '../running/database.js'
import { KEYS, openCipher, openIam } from '../running/secrets.js'

export const serve: Command = {
  help: `Usage: claviger serve [options]

Serves the JSON interface and the console on this machine alone, to look at a
database. Whoever has the token that it prints may do everything in it.

  --db ADDRESS    file of SQLite, created when absent, or postgres://…
  --schema NAME   schema of PostgreSQL, when it is not claviger
  --org ORG       the organization that is shown; acme when absent
  --port PORT     8080 when absent; 0 for a free one
  --keys FILE     keys that seal secrets; else CLAVIGER_KEYS_FILE`,
  options: { ...DATABASE, ...KEYS, org: { type: 'string' }, port: { type: 'string' } },
  positionals: [0, 0],
  run: async (call) => {
    const { terminal, signal } = call
    const orgId = optional(call, 'org') ?? 'acme'
    const cipher = await openCipher(call)
    const database = await openDatabase(call, { create: true })
    try {
      const token = randomBytes(24).toString('base64url')
      const caller: Caller = { userId: 'claviger-cli', orgId }
      const { answer } = await handlers(openIam(database, cipher), { token, caller })
      const server = createServer(answer)
      server.listen(Number(optional(call, 'port') ?? 8080), '127.0.0.1')
      await once(server, 'listening').catch((cause: unknown) => {
        throw new Failed(`The port cannot be used (${Object(cause).code})`)
      })
      const origin = `http://localhost:${(server.address() as AddressInfo).port}`
      for (const line of [
        `console   ${origin}/sign-in`,
        `JSON      ${origin}/v1/projects   OpenAPI: ${origin}/openapi.json`,
        `token     ${token}`,
        '',
        'Stop with Ctrl-C.',
      ])
        await terminal.print(line)
      if (!signal.aborted) await once(signal, 'abort')
      server.closeAllConnections()
      server.close()
      return 0
    } finally {
      await database.close()
    }
  },
}

const SIGN_IN = `<!doctype html><html lang="en"><title>Sign in</title>
<form method="post"><label>Token <input type="password" name="token" required></label> <button>Sign in</button></form>`

interface Access {
  readonly token: string
  readonly caller: Caller
}

/** The transport and the console need packages that a host installs beside this one. */
const handlers = async (iam: Parameters<typeof openHandlers>[1], access: Access) => {
  try {
    const [transport, console_] = await Promise.all([
      import('claviger/transport'),
      import('claviger/console'),
    ])
    return openHandlers({ ...transport, ...console_ }, iam, access)
  } catch (cause) {
    if (Object(cause).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new Failed('This needs two packages: npm install @connectrpc/connect @bufbuild/protobuf')
  }
}

type Servers = Pick<typeof import('claviger/transport'), 'nodeHandler'> &
  Pick<typeof import('claviger/console'), 'consoleHandler'>

const openHandlers = (
  { nodeHandler, consoleHandler }: Servers,
  iam: import('claviger').Iam,
  { token, caller }: Access,
) => {
  const interface_ = nodeHandler(iam, {
    authenticate: (headers) =>
      headers.get('authorization') === `Bearer ${token}` ? caller : undefined,
  })
  const pages = consoleHandler(iam, {
    basePath: '/console',
    authenticate: (headers) =>
      headers.get('cookie')?.split('; ').includes(`demo=${token}`) ? caller : undefined,
  })
  const signIn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST')
      return void response.setHeader('content-type', 'text/html').end(SIGN_IN)
    const given = new URLSearchParams(await text(request)).get('token') ?? ''
    const cookie = `demo=${given.replaceAll(/[^\w-]/g, '')}; HttpOnly; SameSite=Strict; Path=/console`
    response.writeHead(303, { 'set-cookie': cookie, location: '/console/' }).end()
  }
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url === '/sign-in') void signIn(request, response)
    else if (request.url?.startsWith('/console')) pages(request, response)
    else interface_(request, response)
  }
  return { answer }
}
