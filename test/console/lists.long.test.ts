import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openContext } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'

/** Every list, by its page and its label. */
const LISTS = [
  ['providers', 'Single sign-on'],
  ['projects', 'Projects'],
  ['projects', 'Received from other organizations'],
  ['domains', 'Domains'],
  ['grants', 'Grants'],
  ['user?userId=anna', 'Roles by project'],
  ['project?id=portal', 'Roles'],
  ['project?id=portal', 'Granted to other organizations'],
] as const

describe.runIf(hasChromium())('Lists of the console, in Chromium', () => {
  let opened: OpenConsole
  let page: Page

  beforeAll(async () => {
    opened = await openConsole()
    page = opened.page
    const { iam } = opened.host
    const globex = context('globex')
    await orThrow(iam.projects.add({ id: 'shared', name: 'Shared' }, globex))
    const guest = { projectId: 'shared', roleKey: 'guest', displayName: 'Guest' }
    await orThrow(iam.projectRoles.add(guest, globex))
    const granted = { projectId: 'shared', grantedOrgId: 'acme', roleKeys: ['guest'] }
    await orThrow(iam.projectGrants.add(granted, globex))
  })
  afterAll(() => opened?.close())

  const alerts = () => page.locator('[role=alert]').count()
  /** Does something that asks the interface anew, and waits for its answer. */
  const asking = async (act: () => Promise<unknown>) => {
    const answered = page.waitForResponse((response) => response.url().includes('page_size=500'))
    await act()
    const status = (await answered).status()
    await opened.settled()
    return status
  }

  it.each(LISTS)(
    'on %s, "%s" is sorted by each column and filtered by each field',
    async (path, label) => {
      await opened.open(path)
      const list = page.getByRole('region', { name: label, exact: true })
      const columns = await list.locator('th button').count()
      expect(columns).toBeGreaterThan(0)
      const sorted = list.locator('th').filter({ has: page.locator('button') })
      const press = (column: number) => asking(() => sorted.nth(column).getByRole('button').click())
      for (let column = 0; column < columns; column++) {
        expect(await press(column)).toBe(200)
        expect(await sorted.nth(column).getAttribute('aria-sort')).toBe('ascending')
      }
      expect(await press(columns - 1)).toBe(200)
      expect(await sorted.nth(columns - 1).getAttribute('aria-sort')).toBe('descending')
      const bar = page.getByRole('search', { name: label, exact: true })
      await asking(() => bar.getByRole('searchbox').fill('no such thing'))
      const field = bar.getByLabel('Field')
      const [, ...others] = await field.locator('option').all()
      for (const option of others) {
        const value = await option.getAttribute('value')
        expect(await asking(() => field.selectOption(value))).toBe(200)
      }
      await page.getByText('Nothing matches the filter.').waitFor()
      const [, state] = await bar.getByLabel('State').locator('option').all()
      if (state) {
        const value = await state.getAttribute('value')
        expect(await asking(() => bar.getByLabel('State').selectOption(value))).toBe(200)
      }
      expect(await alerts()).toBe(0)
    },
  )

  it('show an address that can be shared, with filter and order', async () => {
    await opened.open('domains?by=domain&filter=acme&state=DOMAIN_STATE_PENDING&order=domain+desc')
    await page.getByRole('link', { name: 'acme.example' }).waitFor()
    await opened.open('domains?state=DOMAIN_STATE_VERIFIED')
    await page.getByText('Nothing matches the filter.').waitFor()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await page.getByRole('link', { name: 'acme.example' }).waitFor()
  })

  it('the timeline is filtered by who, what and when', async () => {
    await opened.open('timeline')
    await page.getByLabel('Change').selectOption({ label: 'Project granted' })
    await page.getByText('Project granted', { exact: true }).nth(1).waitFor()
    await opened.settled()
    expect(await page.locator('.timeline li').count()).toBe(1)
    await page.getByRole('combobox', { name: 'By' }).fill('nobody')
    await page.keyboard.press('Enter')
    await page.getByText('No recorded change matches').waitFor()
    await opened.open('timeline?to=2020-01-01T00:00:00.000Z')
    await page.getByText('No recorded change matches').waitFor()
  })

  it('the timeline is filtered by the hour', async () => {
    await opened.open('timeline?from=2020-01-01T00:00:00.000Z')
    await page.getByLabel('From: time').fill('10:30')
    await page.waitForFunction(() => location.search.includes('10%3A30%3A00'))
    await page.locator('.timeline li').first().waitFor()
  })

  it('the overview shows what needs attention, and counts people', async () => {
    await opened.open('')
    const points = page.getByRole('region', { name: 'Needs attention' }).getByRole('link')
    await points.filter({ hasText: 'acme.example is not verified yet' }).waitFor()
    await points.filter({ hasText: 'No domain sends its users to Google' }).waitFor()
    const people = page.locator('.card', { hasText: 'People with roles' })
    expect(await people.locator('.figure').innerText()).toBe('2')
  })

  it('times are in the zone of the reader, and in UTC on hover', async () => {
    const { origin } = opened.host
    const abroad = await openContext({ timezoneId: 'Asia/Tokyo', locale: 'en-US' })
    const there = await abroad.newPage()
    await there.goto(
      `${origin}/any/prefix/user-grant?userId=anna&projectId=portal&projectOrgId=acme`,
    )
    const expiry = there.locator('.facts time[datetime^="2099-01-31T00:00:00"]')
    expect(await expiry.innerText()).toBe('Jan 31, 2099, 9:00 AM')
    expect(await expiry.getAttribute('title')).toBe('2099-01-31 00:00:00.000 UTC')
    await abroad.close()
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
