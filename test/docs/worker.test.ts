import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SignJWT } from 'jose'
import type { Miniflare, MiniflareOptions } from 'miniflare'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backUp } from '../../docs/examples/worker/backup.ts'
import { verify } from '../../src/index.js'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import { bundle, startWorkerd } from '../adapters/cloudflare/workerd.js'
import { temporaryFile } from '../adapters/sqlite/temporary-file.js'
import { everything } from '../application/host.js'

const folder = 'docs/examples/worker'

/** The configuration of the example, comments aside. */
const configuration: {
  readonly main: string
  readonly compatibility_date: string
  readonly durable_objects: { readonly bindings: readonly { name: string; class_name: string }[] }
  readonly migrations: readonly { readonly new_sqlite_classes: readonly string[] }[]
} = JSON.parse(
  readFileSync(join(resolve(import.meta.dirname, '../..'), folder, 'wrangler.jsonc'), 'utf8').replaceAll(
    /^\s*\/\/.*$/gm,
    '',
  ),
)

const SESSION_KEY = 'a key of at least thirty-two bytes'

/** What DNS holds, by name. */
const records = new Map<string, string>()

let workerd: Miniflare
let url: string

beforeAll(async () => {
  const sqlite = new Set(configuration.migrations.flatMap((each) => each.new_sqlite_classes))
  const objects = configuration.durable_objects.bindings.map(({ name, class_name: className }) => [
    name,
    { className, useSQLite: sqlite.has(className) },
  ])
  const outboundService: MiniflareOptions['outboundService'] = async (request) => {
    const { hostname, searchParams } = new URL(request.url)
    if (hostname !== 'cloudflare-dns.com') return new Response(null, { status: 502 }) as never
    const text = records.get(searchParams.get('name') ?? '')
    const Answer = text === undefined ? [] : [{ type: 16, data: JSON.stringify(text) }]
    return Response.json({ Status: text === undefined ? 3 : 0, Answer }) as never
  }
  workerd = startWorkerd(await bundle(join(folder, configuration.main)), {
    compatibilityDate: configuration.compatibility_date,
    durableObjects: Object.fromEntries(objects),
    bindings: { SESSION_KEY, SECRETS_KEY: btoa('k'.repeat(32)) },
    outboundService,
  })
  url = (await workerd.ready).href.replace(/\/$/, '')
})

afterAll(() => workerd.dispose())

const tokenOf = (org: string, claims: object = { permissions: everything }) =>
  new SignJWT({ sub: `admin of ${org}`, org, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(SESSION_KEY))

/** Sends JSON as an admin of `org`; the status, and what was answered. */
const send = async (org: string, path: string, body?: object, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${await tokenOf(org)}`, ...headers },
  })
  const text = await response.text()
  return { status: response.status, text, json: () => JSON.parse(text) }
}

describe('The worker of the guide', () => {
  test('routes', async () => {
    const added = await send('acme', '/v1/projects', { id: 'portal', name: 'Portal' })
    expect(added).toMatchObject({ status: 200 })
    expect(await send('acme', '/v1/projects/portal/roles', { roleKey: 'reader', displayName: 'Reader' })).toMatchObject({ status: 200 })
    console.log(await send('acme', '/v1/projects/portal/grants', { grantedOrgId: 'acme.retail', roleKeys: ['reader'] }))
    console.log(await send('acme.retail', '/v1/userGrants', { userId: 'u1', projectId: 'portal', projectOrgId: 'acme', roles: [{roleKey: 'reader'}] }))
    console.log(await send('globex', '/v1/projects/portal'))
    console.log(await send('acme', '/directory/v1/domains', { domain: 'acme.example' }))
    console.log((await send('acme', '/admin/')).text.slice(0, 200))
    console.log(await backUp({ url: `${url}/backup`, orgId: 'acme', token: await tokenOf('operator') }, temporaryFile()))
  })
})
