import { once } from 'node:events'
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
    const { out, notes, code } = await probe(folder, origin)
    if (code !== 0) throw new Error(notes)
    found = JSON.parse(out)
  })

  it('take only https URLs for webhooks, and answer 400 to every other body', () => {
    expect(found['webhooks']).toEqual([200, ...Array.from({ length: 10 }, () => 400)])
  })

  it('store an invoice and the role of its approver together, and list by a join', () => {
    expect(found['invoices']).toEqual([200, 400, 400, 400, 400, 500])
    expect(found['approvals']).toEqual([[{ id: 'i-1', total: 120 }], 403])
  })

  it('add a customer as often as operators ask, and answer 400 to every other body', () => {
    expect(found['customers']).toEqual([200, 200, ...Array.from({ length: 8 }, () => 400)])
  })

  it('set a session cookie that no other subdomain can set', () => {
    expect(found['cookie']).toMatch(/^__Host-/)
    expect(found['cookie']).toMatch(/; Path=\/(;|$)/i)
    expect(found['cookie']).toMatch(/; Secure/i)
    expect(found['cookie']).not.toMatch(/; Domain=/i)
  })

  it('cannot be framed or kept by a cache', () => {
    expect(found['headers']).toEqual(['no-store', "frame-ancestors 'none'", 'no-cache', true])
  })

  it('are served although the roles of one customer cannot be applied', async () => {
    const running = start(process.execPath, [join(folder, 'main.ts')], {
      cwd: folder,
      env: settings(origin),
    })
    await running.printed('Ready')
    await running.noted('The roles of globex were not applied')
    running.child.kill('SIGTERM')
    await once(running.child, 'close')
  })
})
