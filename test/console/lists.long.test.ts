import { orThrow } from 'claviger'
import type { Page, Response } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openContext } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'

/** Every list, by its page and its label, and how many fields a long one is filtered by. */
const LISTS = [
  ['providers', 'Single sign-on', 4],
  ['projects', 'Projects', 2],
  ['projects', 'Received from other organizations', 1],
  ['domains', 'Domains', 2],
  ['grants', 'Grants', 4],
  ['user?userId=anna', 'Roles by project', 2],
  ['project?id=portal', 'Roles', 4],
  ['project?id=portal', 'Granted to other organizations', 2],
] as const

describe.runIf(hasChromium())('Lists of the console, in Chromium', () => {
  let opened: OpenConsole
  let page: Page

  beforeAll(async () => {
    opened = await openConsole()
    page = opened.page
    const { iam } = opened.host
    const globex = context('globex')
    for (const projectId of ['shared', 'lent']) {
      await orThrow(iam.projects.add({ id: projectId, name: projectId }, globex))
      const guest = { projectId, roleKey: 'guest', displayName: 'Guest' }
      await orThrow(iam.projectRoles.add(guest, globex))
      const granted = { projectId, grantedOrgId: 'acme', roleKeys: ['guest'] }
      await orThrow(iam.projectGrants.add(granted, globex))
    }
    // A second of each, so that one does not fill a list.
    const acme = context()
    const other = { idpId: 'other', name: 'Other', issuer: 'https://login.other.example' }
    await orThrow(
      iam.identityProviders.addOidc({ ...other, clientId: 'portal', clientSecret: 'any' }, acme),
    )
    await orThrow(iam.domains.add({ domain: 'acme.test' }, acme))
    const toInitech = { projectId: 'portal', grantedOrgId: 'initech', roleKeys: ['viewer'] }
    await orThrow(iam.projectGrants.add(toInitech, acme))
    const auditor = { projectId: 'billing', roleKey: 'auditor', displayName: 'Auditor' }
    await orThrow(iam.projectRoles.add(auditor, acme))
    const audits = { userId: 'anna', projectId: 'billing', roles: [{ roleKey: 'auditor' }] }
    await orThrow(iam.userGrants.add(audits, acme))
  })
  afterEach(() => page?.unrouteAll())
  afterAll(() => opened?.close())

  const alerts = () => page.locator('[role=alert]').count()
  /** Does something that asks the interface anew, and waits for its answer. */
  const asking = async (act: () => Promise<unknown>, part = 'page_size=500') => {
    const answered = page.waitForResponse((response) => response.url().includes(part))
    await act()
    const answer = await answered
    await opened.settled()
    return answer
  }
  const parameterOf = (answer: Response, name: string) =>
    new URL(answer.url()).searchParams.get(name)

  it.each(LISTS)('on %s, "%s" is sorted by each column', async (path, label) => {
    await opened.open(path)
    const list = page.getByRole('region', { name: label, exact: true })
    const columns = await list.locator('th button').count()
    expect(columns).toBeGreaterThan(0)
    const sorted = list.locator('th').filter({ has: page.locator('button') })
    const press = (column: number) => asking(() => sorted.nth(column).getByRole('button').click())
    for (let column = 0; column < columns; column++) {
      expect((await press(column)).status()).toBe(200)
      expect(await sorted.nth(column).getAttribute('aria-sort')).toBe('ascending')
    }
    expect((await press(columns - 1)).status()).toBe(200)
    expect(await sorted.nth(columns - 1).getAttribute('aria-sort')).toBe('descending')
    expect(await alerts()).toBe(0)
  })

  it.each(LISTS)(
    'on %s, "%s" is filtered by what a row shows, and by state',
    async (path, label) => {
      await opened.open(path)
      const bar = page.getByRole('search', { name: label, exact: true })
      const rows = page.getByRole('region', { name: label, exact: true }).locator('tbody tr')
      const count = await rows.count()
      expect(count).toBeGreaterThan(1)
      const shown = await rows.first().locator('td').first().innerText()
      const [word = ''] = shown.split('\n')
      const filter = bar.getByRole('searchbox')
      await filter.fill('no such thing')
      await page.getByText('Nothing matches the filter.').waitFor()
      await filter.fill(word.toUpperCase())
      await rows.filter({ hasText: word }).first().waitFor()
      expect(await rows.filter({ hasNotText: word }).count()).toBe(0)
      // All rows are here: a field need not be chosen.
      expect(await bar.getByLabel('Field').count()).toBe(0)
      await filter.fill('')
      const [, ...states] = await bar.getByLabel('State').locator('option').all()
      for (const state of states) {
        const value = await state.getAttribute('value')
        const answer = await asking(() => bar.getByLabel('State').selectOption(value))
        expect([answer.status(), parameterOf(answer, 'filter.state')]).toEqual([200, value])
      }
      expect(await alerts()).toBe(0)
    },
  )

  it.each(LISTS)(
    'on %s, "%s" is filtered by each field where it is long',
    async (path, label, count) => {
      // Two rows are long for a page of one.
      await page.route(/page_size=500/, (route) =>
        route.continue({ url: route.request().url().replace('page_size=500', 'page_size=1') }),
      )
      await opened.open(path)
      const bar = page.getByRole('search', { name: label, exact: true })
      const filter = bar.getByRole('searchbox')
      const field = bar.getByLabel('Field')
      const options = await field.locator('option').all()
      // A choice of one is none.
      expect(options).toHaveLength(count === 1 ? 0 : count)
      const asked: (string | undefined)[] = []
      const ask = async (act: () => Promise<unknown>) => {
        const answer = await asking(act, '.contains=')
        expect(answer.status()).toBe(200)
        const { searchParams } = new URL(answer.url())
        asked.push([...searchParams.keys()].find((name) => name.endsWith('.contains')))
        await page.getByText('Nothing matches the filter.').waitFor()
      }
      await ask(() => filter.fill('no such thing'))
      for (const option of options.slice(1)) {
        const value = await option.getAttribute('value')
        await ask(() => field.selectOption(value))
      }
      expect(new Set(asked).size).toBe(count)
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
    await page.getByLabel('Change').selectOption({ label: '… was granted the project' })
    await page.locator('.timeline strong', { hasText: 'was granted the project' }).nth(1).waitFor()
    await opened.settled()
    expect(await page.locator('.timeline li').count()).toBe(2)
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
