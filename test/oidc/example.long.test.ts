import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openContext } from '../chromium.js'
import { copyExample } from '../docs/copied-example.js'

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

describe.runIf(hasChromium())('The example of a sign-in, in Chromium', () => {
  let host: ChildProcess
  const contexts: BrowserContext[] = []
  let origin: string
  let printed = ''

  beforeAll(async () => {
    const port = await freePort()
    origin = `http://localhost:${port}`
    host = spawn(process.execPath, ['main.ts'], {
      cwd: copyExample('sign-in'),
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await new Promise<void>((ready) => {
      host.stdout?.on('data', (chunk) => {
        printed += chunk
        if (printed.includes('Ctrl+C')) ready()
      })
    })
  })
  afterAll(async () => {
    for (const context of contexts) await context.close()
    host?.kill('SIGKILL')
  })

  const heading = (page: Page) => page.locator('h1').textContent()
  const opened = async () => {
    const context = await openContext()
    contexts.push(context)
    // The pages of oidc-provider ask for a font, and wait for it.
    await context.route(/fonts\.googleapis\.com/, (route) => route.abort())
    const page = await context.newPage()
    await page.goto(origin)
    return page
  }
  const atProvider = async (page: Page, login: string) => {
    await page.fill('[name=login]', login)
    await page.fill('[name=password]', 'x')
    await page.click('[type=submit]')
    await page.click('[type=submit]')
  }
  const byAddress = async (login: string) => {
    const page = await opened()
    await page.fill('[name=email]', `${login}@acme.example`)
    await page.click('text=Go on')
    await atProvider(page, login)
    return page
  }

  it('lets a known user in by the address, with roles, until the user signs out', async () => {
    expect(printed).toContain(`Open ${origin}`)
    const page = await byAddress('ann')
    expect(await heading(page)).toBe('Hello, Ann Archer')
    expect(await page.textContent('body')).toContain('Roles: editor')
    expect(new URL(page.url()).search).toBe('')
    const cookies = await page.context().cookies(origin)
    const own = cookies.filter(({ name }) => name === '__Host-sign-in' || name === 'sessionId')
    expect(own).toEqual([expect.objectContaining({ name: 'sessionId', httpOnly: true })])
    await page.click('text=Sign out')
    expect(await heading(page)).toBe('Sign in')
  })

  it('registers an unknown user, who has no role yet', async () => {
    const page = await byAddress('bob')
    expect(await heading(page)).toBe('Not signed in')
    expect(await page.textContent('body')).toContain('Ask for a role.')
  })

  it('links no provider by an address whose domain is set to another', async () => {
    const page = await opened()
    await page.click('text=Sign in with Partner')
    await atProvider(page, 'ann')
    expect(await heading(page)).toBe('Not signed in')
    expect(await page.textContent('body')).toContain('Ask for an account.')
  })

  it('knows no provider for another address', async () => {
    const page = await opened()
    await page.fill('[name=email]', 'ann@globex.example')
    await page.click('text=Go on')
    expect(await page.textContent('[role=status]')).toContain('No provider is known')
  })

  it('takes no answer without the attempt', async () => {
    const page = await opened()
    const answer = await page.goto(`${origin}/sign-in/callback/acme/corporate?code=c&state=s`)
    expect(answer?.status()).toBe(403)
    expect(await page.textContent('body')).toContain('AttemptTampered')
  })

  it('ends by itself when it is interrupted', async () => {
    const exit = once(host, 'exit')
    host.kill('SIGINT')
    expect(await exit).toEqual([0, null])
  })
})
