import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { aesGcmCipher, type SecretCipher } from 'claviger'
import {
  type Command,
  type CommandCall,
  DATABASE,
  Failed,
  optional,
  UsageError,
} from '../../running/command.js'
import { addressOf, type Database, openAddress, openDatabase } from '../../running/database.js'
import { KEYS, openCipher, openIam } from '../../running/secrets.js'
import { openHandlers } from './handlers.js'

export const serve: Command = {
  help: `Usage: claviger serve [options]

Serves the JSON interface and the console to this machine alone, to look at a
database. Who has the token that it prints may do everything in it. Ends with
Ctrl-C.

  --db ADDRESS    file of SQLite, or postgres://…; else CLAVIGER_DB; else a
                  database in memory, which ends with the command
  --schema NAME   schema of PostgreSQL; claviger when absent
  --create        creates the database, or brings its tables up to date
  --org ORG       the organization that is shown; acme when absent
  --port PORT     8080 when absent; 0 for a free one
  --keys FILE     keys that seal secrets; else CLAVIGER_KEYS_FILE
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
    const server = createServer(await openHandlers(openIam(used, cipher), { token, caller }))
    await tellAddresses(call, token, await listen(server, port))
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

interface Opened {
  readonly database: Database
  readonly cipher: SecretCipher | undefined
}

const opened = async (call: CommandCall): Promise<Opened> => {
  const cipher = await openCipher(call)
  const create = call.values['create'] === true
  if (addressOf(call)) return { cipher, database: await openDatabase(call, { create }) }
  // What is in memory may be sealed with a key that nobody has afterwards.
  const drawn = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(randomBytes(32)) } })
  return { cipher: cipher ?? drawn, database: await openAddress(':memory:', { create: true }) }
}

const listen = async (server: Server, port: number): Promise<string> => {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((cause: unknown) => {
    throw new Failed(`Port ${port} cannot be used (${Object(cause).code}): give --port`)
  })
  // Cast: it listens on a port, and not on a socket with a path.
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

const tellAddresses = async (call: CommandCall, token: string, origin: string): Promise<void> => {
  const addresses = {
    console: `${origin}/sign-in`,
    json: `${origin}/v1/projects`,
    openapi: `${origin}/openapi.json`,
    token,
  }
  const shown = Object.entries(addresses).map(([name, value]) => `${name.padEnd(9)}${value}`)
  await call.terminal.print(call.values['json'] ? JSON.stringify(addresses) : shown.join('\n'))
}
