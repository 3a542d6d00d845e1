import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole, PREFIX } from './open-console.js'

const USERS = 5_000
const ROLES = 500
const CHANGES = 100_230
const padded = (number: number) => String(number).padStart(5, '0')

/** Of the processor, from the first byte to the rows. The time on the wall, which is shown, depends on the machine. */
const USABLE_SECONDS = 1.5

describe.runIf(hasChromium())('5,000 users, 500 roles and 100,000 changes in the console', () => {
  let opened: OpenConsole
  let page: Page

  beforeAll(async () => {
    opened = await openConsole()
    page = opened.page
    const { iam } = opened.host
    await orThrow(iam.projects.add({ id: 'large', name: 'Large' }, context()))
    const roles = Array.from({ length: ROLES }, (_, index) => ({
      roleKey: `r${padded(index)}`,
      displayName: `Role ${padded(index)}`,
    }))
    await orThrow(iam.projectRoles.import({ projectId: 'large', roles }, context()))
    const grants = Array.from({ length: USERS }, (_, index) => ({
      userId: `u${padded(index)}`,
      projectId: 'large',
      roles: [{ roleKey: `r${padded(index % ROLES)}` }],
    }))
    for (let first = 0; first < USERS; first += 1_000)
      await orThrow(
        iam.userGrants.import({ grants: grants.slice(first, first + 1_000) }, context()),
      )
    const rename = (n: number) =>
      iam.projectRoles.patch(
        {
          ...{ projectId: 'large', roleKey: `r${padded(n % ROLES)}` },
          displayName: `Role ${padded(n % ROLES)} ${n}`,
        },
        context(),
      )
    for (let count = await counted(); count < CHANGES; count += ROLES)
      await Promise.all(Array.from({ length: ROLES }, (_, n) => orThrow(rename(count + n))))
  }, 300_000)
  afterAll(() => opened?.close())

  /** The changes of the organization. */
  const counted = async () => {
    let [count, before] = [0, undefined as bigint | undefined]
    do {
      const { items, nextBefore } = await orThrow(
        opened.host.iam.history.list(
          { order: 'desc', limit: 1_000, ...(before !== undefined && { before }) },
          context(),
        ),
      )
      count += items.length
      before = nextBefore
    } while (before !== undefined)
    return count
  }

  it.each([
    ['users', '.people tbody tr'],
    ['matrix?projectId=large', '.matrix .cell'],
    ['review?projectId=large', '.window tbody td'],
    ['project?id=large', '.window tbody td'],
    ['timeline', '.timeline li'],
    ['timeline?projectId=large', '.timeline li'],
    ['timeline?user=u00007', '.timeline li'],
    ['user?userId=u00007', '.held tbody tr'],
    ['', '.timeline li'],
  ])('%s can be used at once', async (path, row) => {
    // The files of the page are in the cache of the browser, as they are from the second visit on.
    await opened.open('domains')
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const start = performance.now()
    await page.goto(`${opened.host.origin}${PREFIX}/${path}`)
    await page.locator(row).first().waitFor()
    const seconds = (performance.now() - start) / 1000
    const { metrics } = await session.send('Performance.getMetrics')
    await session.detach()
    const spent = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
    const said = [`${seconds.toFixed(2)} s`, `${spent.toFixed(2)} s of the processor`]
    process.stdout.write(`${path || 'overview'}: ${said.join(', ')}, ${nodes} nodes\n`)
    expect(nodes).toBeLessThan(8_000)
    expect(spent).toBeLessThan(USABLE_SECONDS)
  })

  it('writes each of 100,230 changes into the file', async () => {
    const total = await counted()
    expect(total).toBeGreaterThanOrEqual(CHANGES)
    await opened.open('timeline')
    await page.getByRole('button', { name: 'Live' }).click()
    const download = page.waitForEvent('download', { timeout: 200_000 })
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    await page.getByText(/[\d,]+ rows read…/).waitFor()
    let lines = 0
    const file = createReadStream(await (await download).path())
    for await (const _ of createInterface(file)) lines++
    expect(lines).toBe(total + 1)
  }, 240_000)

  it('says after how many rows an export has ended, and saves no part', async () => {
    await opened.open('timeline')
    let calls = 0
    await page.route(/\/history\?.*page_size=1000/, (route) =>
      ++calls > 3 ? route.fulfill({ status: 503, body: '{}' }) : route.continue(),
    )
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    await page.getByText('The export ended after 3,000 rows. Nothing was saved.').waitFor()
    await page.unrouteAll()
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
