import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { HOSTILE } from './host.js'
import { type OpenConsole, openConsole, PREFIX } from './open-console.js'

const PAGES = [
  '',
  'projects',
  'project?id=portal',
  'role?projectId=portal&roleKey=viewer',
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
const CHANGING =
  /^(Edit|Add|Remove|Remove all roles|Deactivate|Reactivate|Verify|Run the test|Give roles)$/

describe.runIf(hasChromium())('What a caller may do in the console', () => {
  let opened: OpenConsole
  let page: Page
  const open = (path: string, who?: string) => opened.open(path, who)
  const buttons = async () =>
    (await page.getByRole('button', { name: CHANGING }).count()) +
    (await page.locator('.more').count())

  beforeAll(async () => {
    opened = await openConsole()
    page = opened.page
  })
  afterAll(() => opened?.close())

  it.each([
    ['project?id=portal', 'project.write'],
    ['role?projectId=portal&roleKey=viewer', 'project.role.write'],
    ['project-grant?projectId=portal&grantedOrgId=globex', 'project.grant.write'],
    ['user-grant?userId=anna&projectId=portal&projectOrgId=acme', 'user.grant.write'],
    ['provider?idpId=google', 'identity_provider.write'],
    ['domain?domain=acme.example', 'domain.write'],
    ['providers', 'identity_provider.write'],
    ['projects', 'project.write'],
    ['domains', 'domain.write'],
    ['user?userId=anna', 'user.grant.write'],
  ])('on /%s is to look, without %s, and nothing was tried out for good', async (path, needed) => {
    const before = await opened.host.head()
    await open(path, 'reader')
    await page.getByText(`You need the permission ${needed} to`).first().waitFor()
    expect(await buttons()).toBe(0)
    await open(path)
    await page.getByRole('button', { name: CHANGING }).first().waitFor()
    expect(await opened.host.head()).toBe(before)
  })

  it('is read once on a page, by a request that changes nothing', async () => {
    const asked: string[] = []
    page.on('request', (request) => {
      const [, path = ''] = request.url().split('/api')
      asked.push(`${request.method()} ${path}`)
    })
    await open('project?id=portal')
    await page.getByRole('button', { name: 'Edit' }).waitFor()
    page.removeAllListeners('request')
    expect(asked.filter((request) => request === 'GET /v1/permissions')).toHaveLength(1)
    expect(asked.filter((request) => !request.startsWith('GET '))).toEqual([])
  })

  it('counts in the organization as a whole: one on a single object shows no buttons', async () => {
    await open('project?id=portal', 'petra')
    await page.getByText('You need the permission project.write to change').waitFor()
    expect(await buttons()).toBe(0)
    const path = `${opened.host.origin}${PREFIX}/api/v1/projects/portal`
    const data = { name: 'Portal of Petra', validateOnly: true }
    const answer = await page.context().request.patch(path, { data })
    expect(answer.status()).toBe(200)
  })

  it('is left to the interface where the permissions cannot be read', async () => {
    await page.route('**/v1/permissions', (route) =>
      route.fulfill({ status: 500, json: { code: 13, message: 'Out of order', details: [] } }),
    )
    await open('project?id=portal', 'reader')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name').fill('Other')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('it needs the permission project.write').waitFor()
    await page.unroute('**/v1/permissions')
  })

  it.each(PAGES)('is said on /%s to a caller without any permission', async (path) => {
    await open(path, 'nobody')
    const body = await page.locator('main').innerText()
    if (path === '' || path === 'plan') expect(body).toContain('You may not see anything here')
    else expect(body).toMatch(/needs the permission [a-z_.]+ in the organization acme/)
    expect(await buttons()).toBe(0)
  })

  it('is never to see what another organization has', async () => {
    const answers: string[] = []
    const crawl = await openConsole()
    try {
      crawl.page.on('response', async (response) => {
        if (response.url().includes('/api/')) answers.push(await response.text().catch(() => ''))
      })
      for (const path of PAGES) await crawl.open(path, 'globex')
      await crawl.settled()
    } finally {
      await crawl.close()
    }
    const seen = answers.join('\n')
    expect(answers.length).toBeGreaterThan(PAGES.length)
    expect(JSON.stringify(HOSTILE)).toContain('hacked')
    expect(seen).toContain('window.hacked')
    // What is asked for stands in a refusal; what is there does not.
    for (const own of ['Customer portal', 'Billing', 'carla', 'accounts.google', 'verification'])
      expect(seen).not.toContain(own)
  })

  it('to test a provider shows what was found', async () => {
    await open('provider?idpId=google')
    await page.getByRole('button', { name: 'Run the test' }).click()
    await page.getByText('The provider rejects client id or secret.').waitFor()
    expect(await page.locator('.checks .badge').allInnerTexts()).toEqual([
      'failed',
      'warning',
      'fine',
    ])
  })

  it('to test a provider needs the application, which is said', async () => {
    await page.route('**/*:test', (route) =>
      route.fulfill({
        status: 409,
        json: {
          code: 9,
          message: 'x',
          details: [{ reason: 'NOT_CONFIGURED', metadata: { option: 'testIdentityProvider' } }],
        },
      }),
    )
    await open('provider?idpId=google')
    await page.getByRole('button', { name: 'Run the test' }).click()
    await page.getByText('The application has not set this up').waitFor()
    await page.unroute('**/*:test')
  })

  it('works at the prefix where it is mounted, and nowhere else', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await open('projects')
    expect(asked.every((url) => url.startsWith(`${opened.host.origin}${PREFIX}/`))).toBe(true)
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
