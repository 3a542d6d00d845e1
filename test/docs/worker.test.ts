import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SignJWT } from 'jose'
import { type Miniflare, Response } from 'miniflare'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backUp } from '../../docs/examples/worker/backup.ts'
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
  readFileSync(
    join(resolve(import.meta.dirname, '../..'), folder, 'wrangler.jsonc'),
    'utf8',
  ).replaceAll(/^\s*\/\/.*$/gm, ''),
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
  const outboundService = async (request: { readonly url: string }): Promise<Response> => {
    const { hostname, searchParams } = new URL(request.url)
    if (hostname !== 'cloudflare-dns.com') return new Response(null, { status: 502 })
    const text = records.get(searchParams.get('name') ?? '')
    const Answer = text === undefined ? [] : [{ type: 16, data: JSON.stringify(text) }]
    return Response.json({ Status: text === undefined ? 3 : 0, Answer })
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

/** Sends a request as an admin of `org`; what was answered, and its JSON if it is any. */
const send = async (org: string, request: string, body?: object, claims?: object) => {
  const [method = '', path] = request.split(' ')
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body) }),
    headers: {
      authorization: `Bearer ${await tokenOf(org, claims)}`,
      'content-type': 'application/json',
    },
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, text, ...(isJson && { json: JSON.parse(text) }) }
}

const done = async (org: string, request: string, body?: object) => {
  const answered = await send(org, request, body)
  expect(answered, request).toMatchObject({ status: 200 })
  return answered.json
}

const login = {
  name: 'Login',
  clientId: 'c-1',
  clientSecret: 'hush',
  issuer: 'https://login.example',
}

describe('The worker of the guide', () => {
  test('lets an owner grant its project to an organization that shares its object', async () => {
    await done('acme', 'POST /v1/projects', { id: 'portal', name: 'Portal' })
    const role = { roleKey: 'reader', displayName: 'Reader' }
    await done('acme', 'POST /v1/projects/portal/roles', role)
    const grant = { grantedOrgId: 'acme.retail', roleKeys: ['reader'] }
    await done('acme', 'POST /v1/projects/portal/grants', grant)
    const roles = [{ roleKey: 'reader' }]
    const user = { userId: 'ann', projectId: 'portal', projectOrgId: 'acme', roles }
    await done('acme.retail', 'POST /v1/userGrants', user)

    const query = 'userId=ann&projectId=portal&projectOrgId=acme&roleKey='
    for (const consistency of ['strong', 'eventual']) {
      const asked = `GET /allowed?consistency=${consistency}&${query}`
      expect(await done('acme.retail', `${asked}reader`)).toMatchObject({ allowed: true })
      const refused = await done('acme.retail', `${asked}author`)
      expect(refused).toMatchObject({ allowed: false, reasons: [{ kind: 'RoleNotGranted' }] })
    }
  })

  test('keeps tenants in objects of their own', async () => {
    await done('acme', 'POST /v1/projects', { id: 'mine', name: 'Mine' })
    expect(await send('globex', 'GET /v1/projects/mine')).toMatchObject({ status: 404 })
    const claims = { permissions: everything, permissionsIn: { acme: ['project.read'] } }
    const response = await fetch(`${url}/v1/projects/mine`, {
      headers: {
        authorization: `Bearer ${await tokenOf('globex', claims)}`,
        'x-service-orgid': 'acme',
      },
    })
    expect(response.status).toBe(200)
  })

  test('refuses unknown callers, and makes no object for them', async () => {
    expect((await fetch(`${url}/v1/projects`)).status).toBe(401)
    const forged = { headers: { authorization: `Bearer ${await tokenOf('acme')}x` } }
    expect((await fetch(`${url}/v1/projects`, forged)).status).toBe(401)
    const headers = { authorization: `Bearer ${await tokenOf('acme')}`, 'x-service-orgid': 'other' }
    expect((await fetch(`${url}/v1/projects`, { headers })).status).toBe(403)
    expect((await fetch(`${url}/directory/v1/domains`)).status).toBe(401)
  })

  test('does nothing for a page of another site, to whose requests a browser adds the cookie', async () => {
    await done('acme', 'POST /v1/projects', { id: 'wanted', name: 'Wanted' })
    const headers = {
      cookie: `session=${await tokenOf('acme')}`,
      'sec-fetch-site': 'cross-site',
      'content-type': 'text/plain',
    }
    for (const [path, status] of [
      ['/v1/projects/wanted:deactivate', 401],
      ['/admin/api/v1/projects/wanted:deactivate', 403],
    ] as const)
      expect((await fetch(`${url}${path}`, { method: 'POST', headers })).status).toBe(status)
    expect(JSON.stringify(await done('acme', 'GET /v1/projects/wanted'))).not.toMatch(/inactive/i)
  })

  test('has the console of a tenant, and that of the directory', async () => {
    for (const [prefix, path] of [
      ['', 'projects'],
      ['/directory', 'idps'],
    ]) {
      expect((await send('acme', `GET ${prefix}/admin/`)).text).toContain('<script type="module"')
      const token = await tokenOf('acme')
      const response = await fetch(`${url}${prefix}/admin/api/v1/${path}`, {
        headers: { cookie: `session=${token}` },
      })
      expect(await response.json()).toHaveProperty('totalSize')
    }
  })

  test('gives a domain to one organization of all tenants, and finds its provider', async () => {
    const domain = 'login.example'
    const first = await done('acme', 'POST /directory/v1/domains', { domain })
    const second = await done('globex', 'POST /directory/v1/domains', { domain })
    expect(await send('acme', 'POST /v1/domains', { domain })).toMatchObject({ status: 409 })
    const verify = `POST /directory/v1/domains/${domain}:verify`
    expect(await send('acme', verify, {})).toMatchObject({ json: { code: 9 } })
    records.set(`_claviger-challenge.${domain}`, first.challenge)
    await done('acme', verify, {})
    records.set(`_claviger-challenge.${domain}`, second.challenge)
    expect(await send('globex', verify, {})).toMatchObject({ json: { code: 6 } })

    const { idpId } = await done('acme', 'POST /directory/v1/idps/oidc', login)
    await done('acme', `PUT /directory/v1/domains/${domain}/provider`, { idpId })
    const route = await fetch(`${url}/directory/sign-in?email=ann@${domain}`)
    expect(await route.json()).toEqual({ orgId: 'acme', idpId })
    expect((await fetch(`${url}/directory/sign-in?email=ann@other.example`)).status).toBe(404)
  })

  test('shows its log to the operator, who copies it into a file', async () => {
    await done('initech', 'POST /v1/projects', { id: 'portal', name: 'Portal' })
    const token = await tokenOf('operator')
    const [source, path] = [{ url: `${url}/backup`, orgId: 'initech', token }, temporaryFile()]
    expect((await backUp(source, path))._unsafeUnwrap()).toMatchObject({ copied: 1 })
    await done('initech', 'POST /v1/projects/portal:deactivate', {})
    expect((await backUp(source, path))._unsafeUnwrap()).toMatchObject({ copied: 1, events: 2 })
    await using copy = openSqlite(path)
    const types = (await copy.store.readAll(0n, 10)).map(({ type }) => type)
    expect(types).toEqual(['project.added', 'project.deactivated'])
    expect(await send('initech', 'GET /backup?limit=10')).toMatchObject({ status: 403 })
  })
})
