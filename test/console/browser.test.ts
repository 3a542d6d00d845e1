import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../transport/clients/chromium.js'
import { context, HOSTILE, openHost, published } from './host.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const PAGES = [
  '',
  'projects',
  'project?id=portal',
  'role?projectId=portal&roleKey=billing%2Fadmin',
  'project-grant?projectId=portal&grantedOrgId=globex',
  'users',
  'user?userId=anna',
  'user-grant?userId=anna&projectId=portal&projectOrgId=acme',
  'providers',
  'provider?idpId=google',
  'domains',
  'domain?domain=acme.example',
  'timeline',
  'matrix?projectId=portal',
  'review?projectId=portal',
  'plan',
]

describe.runIf(hasChromium())('the console in Chromium', () => {
  let browser: Browser
  let host: Awaited<ReturnType<typeof openHost>>
  let page: Page
  const complaints: string[] = []
  const open = async (path: string, who = 'admin') => {
    await page.context().addCookies([{ name: 'who', value: who, url: host.origin }])
    await page.goto(`${host.origin}/any/prefix/${path}`)
    await page.waitForSelector('main > *')
    await page.waitForFunction(() => !document.body.textContent?.includes('Loading…'))
  }

  beforeAll(async () => {
    host = await openHost('/any/prefix')
    browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    })
    page = await (await browser.newContext({ bypassCSP: false })).newPage()
    page.on('console', (message) => {
      if (/Content.Security|TrustedHTML|Trusted Type/i.test(message.text()))
        complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
  })
  afterAll(async () => {
    await browser?.close()
    await host?.close()
  })

  it.each(PAGES)(
    'shows /%s at three widths in both schemes, without a violation of axe',
    async (path) => {
      await open(path)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const width of [360, 768, 1440]) {
          await page.setViewportSize({ width, height: 800 })
          const overflow = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          )
          expect(overflow).toBeLessThanOrEqual(0)
        }
        // By the protocol of the browser, which no policy of the page keeps out.
        await page.evaluate(axe)
        const violations = await page.evaluate(async () => {
          const { axe: checker } = globalThis as unknown as {
            axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
          }
          const { violations } = await checker.run()
          return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
        })
        expect(violations).toEqual([])
      }
      expect(await page.locator('[role=alert]').count()).toBe(0)
      expect(complaints).toEqual([])
    },
  )

  it('changes a name by keyboard: preview, then save', async () => {
    await open('project?id=billing')
    await page.getByRole('button', { name: 'Edit' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Name').focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Invoices')
    await page.keyboard.press('Enter')
    await page.getByText('This will change').waitFor()
    await page.getByRole('button', { name: 'Save' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor()
  })

  it('shows what the server refuses beside the field', async () => {
    await open('project?id=billing')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name').fill('')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('must not be empty').waitFor()
  })

  it('shows a conflict against what changed meanwhile', async () => {
    await open('project?id=billing')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name').fill('Mine')
    const changed = await host.iam.projects.patch({ id: 'billing', name: 'Theirs' }, context())
    expect(changed.isOk()).toBe(true)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('Somebody has changed this').waitFor()
    await page.getByRole('cell', { name: 'Theirs' }).waitFor()
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor()
  })

  it('verifies a domain once its challenge is published, and sets its provider', async () => {
    await open('domain?domain=acme.example')
    await page.getByText('_claviger-challenge.acme.example').waitFor()
    const challenge = await page.getByText('claviger-domain-verification=').first().innerText()
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('The challenge of the domain is not published').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    published.push([challenge])
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByRole('button', { name: 'Do it' }).click()
    await page.getByText('verified').first().waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Id').fill('google')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This will change').waitFor({ state: 'detached' })
    const email = 'anna@acme.example'
    expect((await host.iam.domains.route({ email }))._unsafeUnwrap()).toEqual({
      orgId: 'acme',
      idpId: 'google',
    })
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Id').fill('')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This will change').waitFor({ state: 'detached' })
    expect((await host.iam.domains.route({ email }))._unsafeUnwrap()).toBeUndefined()
  })

  it('goes back and forward', async () => {
    await open('projects')
    await page.getByRole('link', { name: 'Portal', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Portal' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
    await page.goForward()
    await page.getByRole('heading', { level: 1, name: 'Portal' }).waitFor()
  })

  it('shows an object as it was', async () => {
    await open('project?id=portal')
    await page.getByLabel('As it was').focus()
    await page.keyboard.press('Home')
    await page.getByRole('heading', { level: 1, name: 'Customer portal' }).waitFor()
    expect(page.url()).toContain('at=')
  })

  it('shows an outage, and recovers from it', async () => {
    await open('')
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Projects' }).first().click()
    await page.getByText('No connection').first().waitFor()
    await page.context().setOffline(false)
    await page.getByRole('link', { name: 'Portal', exact: true }).waitFor()
    expect(await page.getByText('No connection').count()).toBe(0)
  })

  it('recovers from 503', async () => {
    await page.route('**/api/v1/**', (route) =>
      route.fulfill({ status: 503, json: { code: 14, message: 'Out of order', details: [] } }),
    )
    await open('projects')
    await page.getByText('out of order').first().waitFor()
    await page.unroute('**/api/v1/**')
    await page.getByRole('link', { name: 'Portal', exact: true }).waitFor()
  })

  it('says to a caller without permissions what is missing', async () => {
    await open('projects', 'nobody')
    await page.getByText('project.read').first().waitFor()
  })

  it('shows hostile names as text, and nothing of another organization', async () => {
    await open('projects', 'globex')
    for (const name of HOSTILE) expect(await page.getByText(name, { exact: true }).count()).toBe(1)
    expect(await page.evaluate(() => (globalThis as { hacked?: number }).hacked)).toBeUndefined()
    expect(await page.getByText('Mine').count()).toBe(0)
  })

  it('plans a desired state, with nothing of it in the URL', async () => {
    await open('plan')
    await page.getByLabel('Desired state').fill('{"projects":[{"id":"new","name":"New"}]}')
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByText('1 add').waitFor()
    expect(page.url()).toBe(`${host.origin}/any/prefix/plan`)
  })

  it('says why a role does not count', async () => {
    await open('matrix?projectId=portal')
    await page.getByRole('button', { name: 'inactive' }).click()
    await page.getByText('The roles of the user are inactive.').waitFor()
  })

  it('breaks no policy', () => expect(complaints).toEqual([]))
})
