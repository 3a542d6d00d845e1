import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { orThrow } from 'claviger'
import { authZenHandler } from 'claviger/authzen'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAdapter } from '../../docs/examples/gateway/adapter.js'
import { addProject, authenticate, callers, IDENTIFIER, openIam } from '../authzen/host.js'
import { freePort, unprivileged } from '../postgres-server.js'

/** Where the package of Debian puts it. */
const PROGRAM = '/usr/sbin/nginx'
const EXAMPLE = resolve(import.meta.dirname, '../../docs/examples/gateway/nginx.conf')

const listening = async (server: Server): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

/** Starts nginx with the servers of a file. */
const startNginx = (servers: string): (() => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-nginx-'))
  chmodSync(folder, 0o777)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
pid ${join(folder, 'pid')};
error_log stderr crit;
events {}
http {
access_log off;
${temporary.join('\n')}
${servers}
}
`,
  )
  const child = spawn(PROGRAM, ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], {
    ...unprivileged,
    stdio: 'inherit',
  })
  return async () => {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
}

describe.skipIf(!existsSync(PROGRAM))('nginx as a gateway', () => {
  const servers: Server[] = []
  let stop: (() => Promise<void>) | undefined
  let gateway = ''
  const reached: string[] = []

  beforeAll(async () => {
    const { iam } = openIam()
    await addProject(iam, 'invoicing', {
      clerk: ['invoice.read'],
      accountant: ['invoice.read', 'invoice.approve'],
    })
    for (const [userId, roleKey] of [
      ['ann', 'accountant'],
      ['cleo', 'clerk'],
    ] as const)
      await orThrow(
        iam.userGrants.add(
          { userId, projectId: 'invoicing', roles: [{ roleKey }] },
          { caller: callers.admin },
        ),
      )
    const point = createServer(authZenHandler(iam, { authenticate, identifier: IDENTIFIER }))
    const behind = createServer(({ method, url }, response) => {
      reached.push(`${method} ${url}`)
      response.end('done')
    })
    const adapter = createAdapter({
      endpoint: `http://127.0.0.1:${await listening(point)}/access/v1/evaluation`,
      token: 'admin',
      userOf: ({ authorization }) => authorization?.replace('Session ', ''),
    })
    servers.push(point, behind, adapter)
    const port = await freePort()
    gateway = `http://127.0.0.1:${port}`
    const file = readFileSync(EXAMPLE, 'utf8')
      .replace('8080', String(port))
      .replace('8081', String(await listening(adapter)))
      .replace('8082', String(await listening(behind)))
    stop = startNginx(file)
    for (let tries = 0; tries < 100; tries++) {
      if (await fetch(gateway).then(Boolean, () => false)) break
      await delay(50)
    }
    reached.length = 0
  })

  afterAll(async () => {
    await stop?.()
    for (const server of servers) server.close()
  })

  it.each([
    ['ann', 'POST', '/invoicing/7', 200],
    ['ann', 'GET', '/invoicing/7', 200],
    ['cleo', 'GET', '/invoicing/7', 200],
    ['cleo', 'POST', '/invoicing/7', 403],
    ['nobody', 'GET', '/invoicing/7', 403],
    ['ann', 'GET', '/payroll/7', 403],
    ['ann', 'GET', '/invoicing/%2e%2e/payroll', 403],
    ['ann', 'DELETE', '/invoicing/7', 403],
    [undefined, 'GET', '/invoicing/7', 401],
  ])('lets %s %s %s through with %i', async (user, method, path, status) => {
    const before = reached.length
    const response = await fetch(`${gateway}${path}`, {
      method,
      headers: user === undefined ? {} : { authorization: `Session ${user}` },
    })
    expect(response.status).toBe(status)
    expect(reached.slice(before)).toEqual(status === 200 ? [`${method} ${path}`] : [])
  })
})
