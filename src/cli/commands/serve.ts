import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { aesGcmCipher, type Caller, type Iam } from 'claviger'
import { type Command, type CommandCall, Failed, optional, print, UsageError } from '../command.js'
import {
  addressOf,
  DATABASE,
  KEYS,
  openAddress,
  openCipher,
  openDatabase,
  openIam,
} from '../database.js'

export const serve: Command = {
  help: `Usage: claviger serve [options]

Serves the JSON interface and the console of a database, only to this machine.
Anybody with the printed token may do everything in it. Ends with Ctrl-C.

  --db ADDRESS    SQLite file, or postgres://…; else CLAVIGER_DB; else a
                  database in memory, which is lost at the end
  --schema NAME   schema of PostgreSQL; default: claviger
  --create        creates the database, or brings its tables up to date
  --org ORG       the organization to show; default: acme
  --port PORT     default: 8080; 0 for a free port
  --keys FILE     keys that encrypt secrets; else CLAVIGER_KEYS_FILE
  --json          addresses and token as a line of JSON`,
  options: {
    ...DATABASE,
    ...KEYS,
    create: { type: 'boolean' },
    org: { type: 'string' },
    port: { type: 'string' },
  },
  positionals: [0, 0],
  run: async (call) => {
    const { signal } = call
    const port = portOf(optional(call, 'port') ?? '8080')
    const { cipher, database } = await opened(call)
    await using used = database
    const token = randomBytes(24).toString('base64url')
    const caller = { userId: 'claviger-cli', orgId: optional(call, 'org') ?? 'acme' }
    const server = createServer(await openHandlers(openIam(used, cipher), token, caller))
    await printAddresses(call, token, await listen(server, port))
    if (!signal.aborted) await once(signal, 'abort')
    server.closeAllConnections()
    server.close()
    return 0
  },
}

const portOf = (text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError('--port must be a number up to 65535')
  return Number(text)
}

/** The database, and the cipher if there are keys. */
const opened = async (call: CommandCall) => {
  const cipher = await openCipher(call)
  const create = call.values['create'] === true
  if (addressOf(call)) return { cipher, database: await openDatabase(call, { create }) }
  // A database in memory may be sealed with a key that nobody keeps.
  const drawn = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(randomBytes(32)) } })
  return { cipher: cipher ?? drawn, database: await openAddress(':memory:', { create: true }) }
}

const listen = async (server: Server, port: number): Promise<string> => {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((cause: unknown) => {
    throw new Failed(`Port ${port} cannot be used (${Object(cause).code}): give --port`)
  })
  // Cast: it listens on a port, not on a socket with a path.
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

const printAddresses = async (call: CommandCall, token: string, origin: string): Promise<void> => {
  const addresses = {
    console: `${origin}/sign-in`,
    json: `${origin}/v1/projects`,
    openapi: `${origin}/openapi.json`,
    token,
  }
  const lines = Object.entries(addresses).map(([name, value]) => `${name.padEnd(9)}${value}`)
  await print(call, addresses, ...lines)
}

/**
 * The JSON interface; below `/console` the console, and `/sign-in` for it. The caller makes the requests that have the
 * token.
 */
const openHandlers = async (iam: Iam, token: string, caller: Caller): Promise<RequestListener> => {
  const { nodeHandler } = await import('claviger/transport')
  const { consoleHandler } = await import('claviger/console')
  const api = nodeHandler(iam, {
    authenticate: (headers) =>
      headers.get('authorization') === `Bearer ${token}` ? caller : undefined,
  })
  const pages = consoleHandler(iam, {
    basePath: '/console',
    authenticate: (headers) =>
      headers.get('cookie')?.split('; ').includes(`demo=${token}`) ? caller : undefined,
  })
  return (request, response) => {
    const { url = '' } = request
    if (url === '/sign-in') void signIn(request, response)
    else if (/^\/console(\/|\?|$)/.test(url)) pages(request, response)
    else api(request, response)
  }
}

const SIGN_IN = `<!doctype html><html lang="en"><title>Sign in</title>
<form method="post"><label>Token <input type="password" name="token" required></label> <button>Sign in</button></form>`

/** Most characters of the form, which holds a token alone. */
const MAX_FORM = 4_096

/** The text of a form; undefined if it is too large. */
const formOf = async (request: IncomingMessage): Promise<string | undefined> => {
  let form = ''
  for await (const piece of request.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    form += piece
    if (form.length > MAX_FORM) return undefined
  }
  return form
}

/** Puts the token in a cookie for the console. */
const signIn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method !== 'POST')
    return void response.setHeader('content-type', 'text/html').end(SIGN_IN)
  const form = await formOf(request).catch(() => '')
  if (form === undefined)
    return void response.writeHead(413, { connection: 'close' }).end('The form is too large')
  const pasted = (new URLSearchParams(form).get('token') ?? '').replaceAll(/[^\w-]/g, '')
  const cookie = `demo=${pasted}; HttpOnly; SameSite=Strict; Path=/console`
  response.writeHead(303, { 'set-cookie': cookie, location: '/console/' }).end()
}
