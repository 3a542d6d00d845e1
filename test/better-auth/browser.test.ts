import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from 'better-auth/node'
import { consoleHandler } from 'claviger/console'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hasChromium, openContext } from '../chromium.js'
import { type Host, openHost, startProvider } from './host.js'

const form = (origin: string, fields: string): string =>
  `<!doctype html><form method="post" action="${origin}/api/auth/claviger/sign-in">${fields}
  <input type="hidden" name="returnTo" value="/me"><button>Sign in</button></form>`

/** Serves pages on a port of its own. */
const serve = async (host: '127.0.0.1' | 'localhost') => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onClose.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, origin: `http://${host}:${(server.address() as AddressInfo).port}` }
}
const onClose: (() => void)[] = []

describe.runIf(hasChromium())('A sign-in in Chromium', () => {
  let host: Host
  let origin = ''

  beforeAll(async () => {
    const { server, ...at } = await serve('localhost')
    origin = at.origin
    const acme = await startProvider('acme', origin, {
      ada: { email: 'ada@acme.example' },
      bo: { email: 'bo@acme.example' },
    })
    const evil = await startProvider('globex', origin, { ada: { email: 'ada@acme.example' } })
    onClose.push(acme.close, evil.close)
    host = await openHost(origin)
    await host.addOrganization('acme', acme)
    await host.addOrganization('globex', evil, { autoRegister: true })
    const { iam, sso, directory } = host
    const pages = consoleHandler(iam, {
      basePath: '/admin',
      authenticate: host.callerOf,
      users: directory,
      testIdentityProvider: sso.signIn.test,
      redirectUri: sso.signIn.redirectUri,
    })
    const handler = toNodeHandler(async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname.startsWith('/api/auth/')) return host.auth.handler(request)
      if (pathname.startsWith('/admin')) return pages(request)
      if (pathname === '/me') return Response.json((await host.callerOf(request.headers)) ?? null)
      const body = form('', '<input name="email">')
      return new Response(body, { headers: { 'content-type': 'text/html' } })
    })
    server.on('request', handler)
  })
  afterAll(() => {
    for (const close of onClose) close()
  })

  const newContext = async (): Promise<BrowserContext> => {
    const context = await openContext()
    onTestFinished(() => context.close())
    return context
  }

  /** Fills in the forms of the provider. */
  const atProvider = async (page: Page, login: string): Promise<void> => {
    await page.fill('[name=login]', login)
    await page.fill('[name=password]', 'x')
    await page.click('[type=submit]')
    await page.click('[type=submit]')
  }
  const submit = async (page: Page, email: string): Promise<void> => {
    await page.goto(`${origin}/sign-in`)
    await page.fill('[name=email]', email)
    await page.click('button')
  }
  const begin = async (page: Page, email: string): Promise<void> => {
    await submit(page, email)
    await page.waitForSelector('[name=login]')
  }
  const me = async (page: Page) => JSON.parse(await page.innerText('body'))

  it('ends in a session, with which the console knows the user', async () => {
    const ada = await host.addUser('acme', 'ada@acme.example')
    const page = await (await newContext()).newPage()
    await begin(page, 'ada@acme.example')
    await atProvider(page, 'ada')
    await page.waitForURL(`${origin}/me`)
    expect(await me(page)).toEqual({ userId: ada, orgId: 'acme' })
    await page.goto(`${origin}/admin/providers`)
    await page.waitForSelector('text=acme')
    const found = await page.evaluate(async () => (await fetch('/admin/api/users?text=ada')).json())
    expect(found.users).toMatchObject([{ id: ada, name: 'ada@acme.example' }])
    const signedOut = await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json' }
      return (await fetch('/api/auth/sign-out', { method: 'POST', headers, body: '{}' })).status
    })
    expect(signedOut).toBe(200)
    await page.goto(`${origin}/me`)
    expect(await me(page)).toBeNull()
  })

  it('in two tabs is refused in the earlier one, and works when it begins again', async () => {
    await host.addUser('acme', 'bo@acme.example')
    const context = await newContext()
    const [first, second] = [await context.newPage(), await context.newPage()]
    await begin(first, 'bo@acme.example')
    await begin(second, 'bo@acme.example')
    await atProvider(first, 'bo')
    await first.waitForURL(/claviger\/sign-in\/callback/)
    expect(await first.innerText('body')).toBe('Not signed in: StateMismatch')
    // The provider knows the user by now, and asks nothing.
    await submit(second, 'bo@acme.example')
    await second.waitForURL(`${origin}/me`)
    expect((await me(second)).orgId).toBe('acme')
  })

  it('with a provider that claims every address reaches no user of another organization', async () => {
    const context = await newContext()
    const page = await context.newPage()
    await page.goto(`${origin}/sign-in`)
    await page.setContent(
      form(origin, '<input name="orgId" value="globex"><input name="idpId" value="sso">'),
    )
    await page.click('button')
    await page.waitForSelector('[name=login]')
    await atProvider(page, 'ada')
    await page.waitForURL(`${origin}/me`)
    const caller = await me(page)
    expect(caller.orgId).toBe('globex')
    const users = await host.rows('user')
    const claimed = users.find(({ id }) => id === caller.userId)
    expect(claimed?.['email']).toMatch(/@no\.invalid$/)
  })

  it('does not begin from a page of another site', async () => {
    const evil = await serve('127.0.0.1')
    const fields = '<input name="orgId" value="globex"><input name="idpId" value="sso">'
    evil.server.on('request', (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(form(origin, fields)),
    )
    const page = await (await newContext()).newPage()
    await page.goto(evil.origin)
    await page.click('button')
    await page.waitForURL(`${origin}/**`)
    expect(await page.innerText('body')).toContain('ForeignPage')
  })
})
