import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole, PREFIX } from './open-console.js'

describe.runIf(hasChromium())('What must not go wrong in the console', () => {
  let opened: OpenConsole
  let page: Page

  beforeAll(async () => {
    opened = await openConsole({ loginUrl: '/sign-in' })
    page = opened.page
  })
  afterAll(() => opened?.close())

  const asked = async (act: () => Promise<unknown>) => {
    const urls: string[] = []
    const listen = (request: { url(): string }) => urls.push(request.url())
    page.on('request', listen)
    await act()
    page.off('request', listen)
    return urls.map((url) => url.split('/api')[1] ?? '')
  }

  it('the rows of the last filter do not pass for those of the next', async () => {
    await opened.open('projects')
    const list = page.locator('section.list').first()
    let answer = () => {}
    const gate = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(/filter.state=STATE_INACTIVE/, async (route) => {
      await gate
      await route.continue()
    })
    await page.getByLabel('State').first().selectOption('STATE_INACTIVE')
    await page.waitForRequest(/filter.state=STATE_INACTIVE/)
    expect(await list.getAttribute('aria-busy')).toBe('true')
    expect(await list.getByRole('search').getByRole('status').count()).toBe(0)
    answer()
    await page.getByText('Nothing matches the filter.').waitFor()
    expect(await list.getAttribute('aria-busy')).toBe('false')
    await page.unroute(/filter.state=STATE_INACTIVE/)
  })

  it('rows go when the next filter cannot be read', async () => {
    await opened.open('projects')
    await page.route(/filter.state=STATE_INACTIVE/, (route) =>
      route.fulfill({ status: 500, json: {} }),
    )
    await page.getByLabel('State').first().selectOption('STATE_INACTIVE')
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('link', { name: 'Portal', exact: true }).count()).toBe(0)
    await page.unroute(/filter.state=STATE_INACTIVE/)
  })

  it('nothing is shown or asked once the session has ended', async () => {
    await opened.open('timeline')
    await page.locator('.timeline strong', { hasText: 'was granted the project' }).first().waitFor()
    const refusal = { code: 16, message: 'Sign in', details: [] }
    await page.route('**/api/**', (route) => route.fulfill({ status: 401, json: refusal }))
    await page.getByText('You are not signed in.').waitFor({ timeout: 15_000 })
    expect(await page.locator('.timeline').count()).toBe(0)
    expect(await page.getByText('Live').count()).toBe(0)
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    expect(await asked(() => page.waitForTimeout(5000))).toEqual([])
    await page.unroute('**/api/**')
  })

  it('a page that comes back by the back button is loaded again', async () => {
    await opened.open('projects')
    const loaded = page.waitForEvent('load')
    await page.evaluate(() =>
      window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })),
    )
    await loaded
  })

  it.each(['project?id=..', 'project?id=.', 'project-grant?projectId=..&grantedOrgId=x'])(
    'the address %s asks for nothing else',
    async (path) => {
      const urls = await asked(() => opened.open(path))
      await page.locator('.empty, [role=alert]').first().waitFor()
      expect(urls.filter((url) => url.includes('history'))).toEqual([])
      expect(urls.filter((url) => /^\/v1\/projects?\//.test(url))).toEqual([])
    },
  )

  it('an unknown address says so, and leads back', async () => {
    await opened.open('nothing-of-this-name')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('an object that never existed is distinguished from a removed one', async () => {
    const { iam } = opened.host
    await orThrow(iam.projects.add({ id: 'gone', name: 'Gone' }, context()))
    await orThrow(iam.projects.remove({ id: 'gone' }, context()))
    await opened.open('project?id=gone')
    await page.getByText('This was removed. Its history is below.').waitFor()
    await opened.open('project?id=never')
    await page.getByText('Nothing with this id ever existed here.').waitFor()
  })

  it('a role that has expired does not look valid in a list', async () => {
    const { iam } = opened.host
    const expiresAt = new Date(Date.now() + 86_400_000)
    const roles = [{ roleKey: 'viewer', expiresAt }]
    await orThrow(iam.userGrants.add({ userId: 'late', projectId: 'portal', roles }, context()))
    const nextDay = await page.context().newPage()
    await nextDay.addInitScript((time) => {
      Date.now = () => time
    }, expiresAt.getTime())
    const root = `${opened.host.origin}${PREFIX}`
    await nextDay.goto(`${root}/grants?by=userId&filter=late`)
    await nextDay.getByText(/^expired/).waitFor()
    await nextDay.goto(`${root}/user-grant?userId=late&projectId=portal&projectOrgId=acme`)
    await nextDay.locator('.facts .over').waitFor()
    await nextDay.close()
  })

  it.each(['nobody', 'reader', 'admin'])('%s asks for nothing that is refused', async (who) => {
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url())
    })
    await opened.open('', who)
    for (const link of await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link')
      .all()) {
      await link.click()
      await opened.settled()
    }
    page.removeAllListeners('response')
    expect(refused).toEqual([])
  })

  it('"Why" opens beside its cell, in sight, and gives the focus back', async () => {
    await opened.open('matrix?projectId=portal')
    await page.setViewportSize({ width: 360, height: 640 })
    const cell = page.getByRole('button', { name: 'inactive' })
    await cell.click()
    const box = page.locator('.beside')
    await box.getByText('The roles of the user are inactive.').waitFor()
    const { x = -1, width = 0 } = (await box.boundingBox()) ?? {}
    expect(x).toBeGreaterThanOrEqual(0)
    expect(x + width).toBeLessThanOrEqual(360)
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    expect(await cell.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.setViewportSize({ width: 1000, height: 700 })
  })

  it('what is declared by code has no buttons, and says so', async () => {
    const { iam } = opened.host
    const declared = [{ id: 'coded', name: 'Coded', roles: [{ roleKey: 'r', displayName: 'R' }] }]
    await orThrow(iam.apply({ projects: declared, managedBy: 'deploy', protect: true }, context()))
    await opened.open('role?projectId=coded&roleKey=r')
    await page.getByText('Declared by code (deploy).').waitFor()
    expect(await page.getByRole('button', { name: /^(Edit|Remove)$/ }).count()).toBe(0)
  })

  it('revoking the last role that a matrix shows leaves those that were given since', async () => {
    const { userGrants } = opened.host.iam
    const grant = { userId: 'xena', projectId: 'portal' }
    await orThrow(userGrants.add({ ...grant, roles: [{ roleKey: 'viewer' }] }, context()))
    await opened.open('matrix?projectId=portal')
    const cell = page.getByRole('button', { name: 'xena, Viewer: counts' })
    await cell.waitFor()
    await orThrow(userGrants.addRoles({ ...grant, roles: [{ roleKey: 'editor' }] }, context()))
    await cell.click()
    await page.getByRole('button', { name: 'Revoke this role' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revoke Viewer from xena' })
    await dialog.getByText('This will change').waitFor()
    await dialog.getByRole('button', { name: 'Take roles' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { roles } = await orThrow(userGrants.get(grant, context()))
    expect(roles.map(({ roleKey }) => roleKey)).toEqual(['editor'])
  })

  it('the history names a set-up link', async () => {
    const issued = await orThrow(
      opened.host.iam.setupLinks.issue(
        { expiresAt: new Date(Date.now() + 60_000), intents: ['domain'] },
        context(),
      ),
    )
    await opened.open('timeline')
    const entry = page.locator('.timeline li', { hasText: 'The set-up link' })
    expect(await entry.getByRole('link').innerText()).toBe(issued.linkId)
  })

  it('the page of a user leads to the matrices of own and of granted projects', async () => {
    const { iam } = opened.host
    const globex = context('globex')
    await orThrow(iam.projects.add({ id: 'shop', name: 'Shop' }, globex))
    const clerk = { projectId: 'shop', roleKey: 'clerk', displayName: 'Clerk' }
    await orThrow(iam.projectRoles.add(clerk, globex))
    for (const given of [
      { projectId: 'shop', roles: [{ roleKey: 'clerk' }] },
      { projectId: 'portal', projectOrgId: 'acme', roles: [{ roleKey: 'viewer' }] },
    ])
      await orThrow(iam.userGrants.add({ userId: 'gus', ...given }, globex))
    await opened.open('user?userId=gus', 'globex')
    await page.getByRole('link', { name: 'Role matrix: Shop' }).waitFor()
    const links = page.getByRole('main').getByRole('link', { name: /^Role matrix: / })
    expect(await links.allInnerTexts()).toEqual(['Role matrix: Portal · acme', 'Role matrix: Shop'])
  })

  it('rows stay when the page after them cannot be read, which is said', async () => {
    for (let n = 0; n < 60; n++)
      await orThrow(opened.host.iam.projects.patch({ id: 'billing', name: `${n}` }, context()))
    await opened.open('timeline')
    const entries = page.locator('.timeline li')
    await expect.poll(() => entries.count()).toBe(50)
    await page.route(/before=/, (route) => route.fulfill({ status: 500, json: {} }))
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('alert').waitFor()
    expect(await entries.count()).toBe(50)
    await page.unroute(/before=/)
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => entries.count()).toBeGreaterThan(50)
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
