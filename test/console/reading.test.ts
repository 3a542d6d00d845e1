import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context, HOSTILE } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'

describe.runIf(hasChromium())('Reading in the console, in Chromium', () => {
  let opened: OpenConsole
  let page: Page
  const open = (path: string, who?: string) => opened.open(path, who)

  beforeAll(async () => {
    opened = await openConsole()
    page = opened.page
  })
  afterAll(() => opened?.close())

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
    await page.getByLabel('Version').focus()
    await page.keyboard.press('Home')
    await page.getByRole('heading', { level: 1, name: 'Customer portal' }).waitFor()
    expect(page.url()).toContain('at=')
  })

  it('shows the same changes in slider and list, by one request, and says how far they reach', async () => {
    const { iam } = opened.host
    await orThrow(iam.projects.add({ id: 'busy', name: 'Name 0' }, context()))
    for (let n = 1; n < 120; n++)
      await orThrow(iam.projects.patch({ id: 'busy', name: `Name ${n}` }, context()))
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await open('project?id=busy')
    const slider = page.getByLabel('Version')
    await page.getByText('the last 100 changes, since').waitFor()
    expect(asked.filter((url) => url.includes('/history'))).toHaveLength(1)
    page.removeAllListeners('request')
    await slider.press('Home')
    await page.getByRole('heading', { level: 1, name: 'Name 20' }).waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('all 120 changes, since').waitFor()
    await slider.press('Home')
    await page.getByRole('heading', { level: 1, name: 'Name 0' }).waitFor()
    await page.reload()
    await page.getByText('earlier than these changes').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Name 0' }).waitFor()
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
    await page.getByText('is unavailable').first().waitFor()
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

  it('says why a role does not count', async () => {
    await open('matrix?projectId=portal')
    await page.getByRole('button', { name: 'inactive' }).click()
    await page.getByText('The roles of the user are inactive.').waitFor()
  })

  it('keeps the focus on a button that waits for an answer', async () => {
    await open('provider?idpId=google')
    const run = page.getByRole('button', { name: 'Run the test' })
    await run.focus()
    await page.keyboard.press('Enter')
    await page.locator('.checks').waitFor()
    expect(await run.evaluate((button) => button === document.activeElement)).toBe(true)
  })

  it('says how many permissions of a role are not shown', async () => {
    const permissions = ['a', 'b', 'c', 'd', 'e', 'f']
    const role = { projectId: 'portal', roleKey: 'many', displayName: 'Many', permissions }
    await orThrow(opened.host.iam.projectRoles.add(role, context()))
    await open('matrix?projectId=portal')
    await page.getByRole('button', { name: 'Give roles' }).click()
    await page.getByRole('checkbox', { name: 'Many a, b, c, d +2', exact: true }).waitFor()
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
