import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'

const padded = (number: number) => String(number).padStart(5, '0')

/** Every printable character of ASCII, and some that are not. */
const ODD = `${Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('')} é\u202e😀 %2F`

describe.runIf(hasChromium())('Much in the console', () => {
  let opened: OpenConsole
  let page: Page

  beforeAll(async () => {
    opened = await openConsole()
    page = opened.page
    const { iam } = opened.host
    await orThrow(iam.projects.add({ id: 'large', name: 'Large' }, context()))
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      roleKey: `r${padded(index)}`,
      displayName: `Role ${padded(index)}`,
    }))
    await orThrow(iam.projectRoles.import({ projectId: 'large', roles: rows }, context()))
    await orThrow(
      iam.projectRoles.add({ projectId: 'large', roleKey: ODD, displayName: 'Odd' }, context()),
    )
    const grants = Array.from({ length: 1_100 }, (_, index) => ({
      userId: index === 0 ? ODD : `u${padded(index)}`,
      projectId: 'large',
      roles: [{ roleKey: 'r00000' }],
    }))
    await orThrow(iam.userGrants.import({ grants }, context()))
  }, 120_000)
  afterAll(() => opened?.close())

  it('shows 10,000 roles with a few rows at a time, to the last', async () => {
    await opened.open('project?id=large&roles.order=role_key')
    const list = page.getByRole('region', { name: 'Roles', exact: true })
    const drawn = () => list.locator('tbody tr:not([aria-hidden])').count()
    await list.getByRole('link', { name: 'Role 00000' }).waitFor()
    const countedRows = () => list.locator('table').getAttribute('aria-rowcount')
    expect(await countedRows()).toBe('-1')
    await page.getByText('of more than 10,000').waitFor()
    const last = list.getByRole('link', { name: 'Role 09999' })
    await list.focus()
    let most = 0
    for (let step = 0; step < 100 && (await last.count()) === 0; step++) {
      const answered = page.waitForResponse(/page_token=/, { timeout: 300 }).catch(() => undefined)
      await page.keyboard.press('End')
      await answered
      most = Math.max(most, await drawn())
    }
    await last.waitFor()
    expect(most).toBeLessThanOrEqual(60)
    const row = list.locator('tr', { hasText: 'Role 09999' })
    expect(await row.getAttribute('aria-rowindex')).toBe('10002')
    expect(await countedRows()).toBe('10002')
    await page.keyboard.press('Home')
    await list.getByRole('link', { name: 'Role 00000' }).waitFor()
  })

  it('finds one of them by the filter, and leads to its page and back', async () => {
    await opened.open('project?id=large')
    await page
      .getByRole('search', { name: 'Roles', exact: true })
      .getByRole('searchbox')
      .fill('7654')
    await page.getByRole('link', { name: 'Role 07654' }).click()
    await page.getByRole('heading', { level: 1, name: 'Role 07654' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Role 07654' }).waitFor()
  })

  it('shows ids of every character as text, on pages that can be loaded again', async () => {
    await opened.open('project?id=large')
    await page
      .getByRole('search', { name: 'Roles', exact: true })
      .getByRole('searchbox')
      .fill('Odd')
    await page.getByRole('link', { name: 'Odd', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Odd' }).waitFor()
    await page.reload()
    await opened.settled()
    expect(await page.locator('dl.facts').innerText()).toContain(ODD.trim())
    await opened.open(`user?userId=${encodeURIComponent(ODD)}`)
    expect(await page.locator('h1').innerText()).toContain(ODD)
    await page.getByRole('link', { name: 'Large', exact: true }).click()
    await page.getByText('Roles of a user').first().waitFor()
    await opened.settled()
    expect(await page.locator('h1').innerText()).toContain(ODD)
  })

  it('adds users and roles to the matrix, page by page', async () => {
    await opened.open('matrix?projectId=large')
    const table = page.locator('.matrix table')
    const rows = async () => Number(await table.getAttribute('aria-rowcount')) - 1
    const columns = () => page.locator('.matrix thead th').count()
    expect([await rows(), await columns()]).toEqual([50, 51])
    // By the text: to find the name of thousands of buttons takes long.
    await page.getByText('Show more users').click()
    await expect.poll(rows).toBe(100)
    await page.getByText('Show more roles').click()
    await page.waitForFunction(() => document.querySelectorAll('.matrix thead th').length === 101)
    expect([await rows(), await columns()]).toEqual([100, 101])
    // What is out of sight is drawn once it is scrolled to.
    await page.locator('.matrix').focus()
    await page.keyboard.press('End')
    await table.locator('tr[aria-rowindex="101"]').waitFor()
    expect(await table.locator('tbody tr:not([aria-hidden])').count()).toBeLessThanOrEqual(50)
  })

  it('keeps the users of a matrix in sight beside each role', async () => {
    await opened.open('matrix?projectId=large')
    const region = page.locator('.matrix')
    await region.evaluate((element) => element.scrollBy(600, 0))
    const onTop = await region.locator('tbody th').evaluateAll((heads) =>
      heads.slice(0, 5).every((head) => {
        const { left, top, width, height } = head.getBoundingClientRect()
        const found = document.elementFromPoint(left + width - 8, top + height / 2)
        return found !== null && head.contains(found)
      }),
    )
    expect(onTop).toBe(true)
  })

  it('does not stutter with 10,000 users and 1,000 roles', async () => {
    const { iam } = opened.host
    await orThrow(iam.projects.add({ id: 'wide', name: 'Wide' }, context()))
    const roles = Array.from({ length: 1_000 }, (_, index) => ({
      roleKey: `w${padded(index)}`,
      displayName: `Wide ${padded(index)}`,
      group: `Group ${index % 20}`,
    }))
    await orThrow(iam.projectRoles.import({ projectId: 'wide', roles }, context()))
    const grants = Array.from({ length: 10_000 }, (_, index) => ({
      userId: `w${padded(index)}`,
      projectId: 'wide',
      roles: [{ roleKey: `w${padded(index % 1_000)}` }],
    }))
    for (let first = 0; first < grants.length; first += 1_000)
      await orThrow(
        iam.userGrants.import({ grants: grants.slice(first, first + 1_000) }, context()),
      )
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    /** What a step takes of the processor, in seconds. */
    const costs: number[] = []
    const total = async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
    }
    const step = async (work: () => Promise<unknown>) => {
      const before = await total()
      await work()
      costs.push((await total()) - before)
    }
    await opened.open('matrix?projectId=wide')
    await step(async () => {
      await page.getByRole('button', { name: 'Show more users' }).click()
      await page.locator('.matrix table[aria-rowcount="102"]').waitFor()
    })
    await step(async () => {
      await page.getByRole('button', { name: 'Show more roles' }).click()
      await page.getByRole('columnheader', { name: 'Wide 00099' }).waitFor()
    })
    await step(async () => {
      await page.getByRole('button', { name: 'w00007, Wide 00007: counts' }).click()
      await page.locator('.beside').getByText('it counts.').waitFor()
    })
    await opened.open('users')
    await page.getByRole('button', { name: 'Give roles' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Project' }).fill('Wide')
    await dialog.getByRole('option', { name: 'Wide', exact: true }).click()
    await step(async () => {
      await page.getByRole('searchbox', { name: 'Find a role' }).pressSequentially('Wide 00999')
      await page.getByRole('checkbox', { name: /^Wide 00999/ }).check()
    })
    expect(await page.locator('.roles li:not(.kind)').count()).toBeLessThanOrEqual(61)
    expect(Math.max(...costs)).toBeLessThan(1)
  }, 120_000)

  it('offers more projects than a page of the interface has', async () => {
    const { iam } = opened.host
    for (let n = 0; n < 1_001; n++)
      await orThrow(iam.projects.add({ id: `many${n}`, name: `Many ${padded(n)}` }, context()))
    await opened.open('review')
    await page.getByRole('option', { name: 'Many 01000' }).waitFor({ state: 'attached' })
    await page.getByLabel('Project').selectOption({ label: 'Portal' })
    await page.getByRole('cell', { name: 'carla' }).first().waitFor()
  })

  it('shows an access review of any length with a few rows at a time, to the last', async () => {
    await opened.open('review?projectId=large')
    const table = page.locator('.window table')
    const counted = () => table.getAttribute('aria-rowcount')
    expect(await counted()).toBe('1001')
    await page.getByText('There are more.').waitFor()
    await page.locator('.window').focus()
    await page.keyboard.press('End')
    await expect.poll(counted).toBe('1101')
    await page.keyboard.press('End')
    await page.locator('tr[aria-rowindex="1101"]').waitFor()
    expect(await table.locator('tbody tr').count()).toBeLessThanOrEqual(62)
    expect(await page.getByText('There are more.').count()).toBe(0)
    // On paper are all.
    await page.evaluate(() => {
      Object.assign(window, { print: () => window.dispatchEvent(new Event('beforeprint')) })
    })
    await page.getByRole('button', { name: 'Print' }).click()
    await expect.poll(() => page.locator('main tbody tr').count()).toBe(1100)
  })

  it('prints the access review without what is to be pressed', async () => {
    await opened.open('review?projectId=portal')
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
    expect(await page.getByRole('navigation').isVisible()).toBe(false)
    expect(await page.getByRole('cell', { name: 'carla' }).first().isVisible()).toBe(true)
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(5_000)
    await page.emulateMedia({ media: 'screen' })
  })

  it('puts what is changed elsewhere on top of the timeline, by itself', async () => {
    await opened.open('timeline')
    const renamed = { id: 'billing', name: 'Renamed elsewhere' }
    await orThrow(opened.host.iam.projects.patch(renamed, context()))
    const first = page.locator('.timeline li').first()
    await first.getByText('Renamed elsewhere').first().waitFor()
    await page.getByRole('button', { name: 'Live' }).click()
    await page.getByRole('button', { name: 'Paused' }).waitFor()
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
