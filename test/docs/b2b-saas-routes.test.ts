import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Ran, start } from '../cli/command-line.js'
import { copyExample } from './copied-example.js'

const key = Buffer.alloc(32, 1).toString('base64')
const settings = (origin: string) => ({
  ORIGIN: origin,
  IAM_KEY: key,
  SIGN_IN_KEY: key,
  AUTH_SECRET: 'thirty-two characters of nobody else',
  OPERATOR_TOKEN: 'operator-token',
  NODE_ENV: 'development',
  PORT: '0',
})

const probe = (folder: string, origin: string): Promise<Ran> =>
  start(process.execPath, [resolve(import.meta.dirname, 'b2b-saas/probe.ts'), folder, origin], {
    cwd: folder,
    env: settings(origin),
  }).ended

describe('the routes of docs/examples/b2b-saas', () => {
  const origin = 'https://app.example'
  const folder = copyExample('b2b-saas')
  let found: Readonly<Record<string, unknown>> = {}
  beforeAll(async () => {
    const settled = { cwd: folder, env: settings(origin) }
    const migrated = await start(process.execPath, [join(folder, 'migrate.ts')], settled).ended
    if (migrated.code !== 0) throw new Error(migrated.notes)
    const { out, notes, code } = await probe(folder, origin)
    if (code !== 0) throw new Error(notes)
    found = JSON.parse(out)
  })

  it('take only https URLs for webhooks, and answer 400 to every other body', () => {
    expect(found['webhooks']).toEqual([200, ...Array.from({ length: 10 }, () => 400)])
  })

  it('store an invoice and the role of its approver together, and list by a join', () => {
    expect(found['invoices']).toEqual([200, 400, 400, 400, 400, 500])
    expect(found['approvals']).toMatchObject([[{ id: 'i-1', org: 'acme', total: 120 }], 403])
  })

  it('add a customer as often as operators ask, and answer 400 to every other body', () => {
    expect(found['customers']).toEqual([200, 200, ...Array.from({ length: 8 }, () => 400)])
  })

  it('delete a person for an admin, with the user', () => {
    expect(found['deleted']).toEqual([403, 204, 401, 204])
    expect(found['users']).toEqual(['ada@acme.example', 'cy@acme.example'])
  })

  it('end a customer for an operator, as often as asked', () => {
    expect(found['ended']).toEqual([401, 204, 204, 401, false, ['globex']])
  })

  it('set a session cookie that no other subdomain can set', () => {
    expect(found['cookie']).toMatchObject({
      name: '__Host-auth.session_token',
      path: '/',
      secure: true,
    })
  })

  it('show a form for an address, or for a provider', () => {
    const [address, provider] = Object(found['pages'])
    expect(address).toContain('name="email"')
    expect(address).toContain('name="returnTo" value="/a&quot;&gt;"')
    expect(provider).not.toContain('name="email"')
    expect(provider).toContain('name="idpId" value="sso"')
  })

  it('cannot be framed or kept by a cache', () => {
    expect(found['headers']).toEqual([
      'no-store',
      expect.stringContaining("frame-ancestors 'none'"),
      'no-cache',
      true,
    ])
  })

  it('are served although the roles of one customer cannot be applied', async () => {
    const settled = { cwd: folder, env: settings(origin) }
    const migrated = await start(process.execPath, [join(folder, 'migrate.ts')], settled).ended
    expect(migrated).toMatchObject({ code: 0, notes: expect.stringContaining('globex') })
    const running = start(process.execPath, [join(folder, 'main.ts')], settled)
    await running.printed('Ready')
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
  })

  it('pass the tests of the example itself', async () => {
    const own = copyExample('b2b-saas')
    const settled = { cwd: own, env: settings(origin) }
    for (const parameters of [['migrate.ts'], ['--test', '--test-force-exit']]) {
      const { code, out, notes } = await start(process.execPath, parameters, settled).ended
      expect(code, out + notes).toBe(0)
    }
  })
})
