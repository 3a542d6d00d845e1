import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'

const padded = (number: number) => String(number).padStart(3, '0')

describe.runIf(hasChromium())('Answers that arrive late, in the console', () => {
  let opened: OpenConsole
  let page: Page
  let renamed = 0

  beforeAll(async () => {
    opened = await openConsole()
    page = opened.page
    const { iam } = opened.host
    const roles = Array.from({ length: 600 }, (_, index) => ({
      roleKey: `r${padded(index)}`,
      displayName: `Role ${padded(index)}`,
    }))
    await orThrow(iam.projects.add({ id: 'many', name: 'Many' }, context()))
    await orThrow(iam.projectRoles.import({ projectId: 'many', roles }, context()))
    for (let n = 0; n < 120; n++) await rename()
  })
  afterAll(() => opened?.close())

  const rename = async () => {
    const name = `Name ${++renamed}`
    await orThrow(opened.host.iam.projects.patch({ id: 'billing', name }, context()))
    return name
  }

  /** Holds the first request whose URL matches; `release` lets it go, and waits until the page has its answer. */
  const held = async (url: RegExp) => {
    let letGo = () => {}
    const gate = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const asked = page.waitForRequest(url)
    await page.route(
      url,
      async (route) => {
        await gate
        // The page may have given the request up.
        await route.continue().catch(() => undefined)
      },
      { times: 1 },
    )
    const release = async () => {
      const request = await asked
      letGo()
      await request.response().then(
        (response) => response?.finished(),
        () => undefined,
      )
      // An answer is drawn in the frame after it at the latest.
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      )
    }
    return { asked, release }
  }

  const timeline = () => page.locator('.timeline li')
  const hasEntries = (count: number) =>
    page.waitForFunction(
      (wanted) => document.querySelectorAll('.timeline li').length === wanted,
      count,
    )

  it('a page of a list that was asked for before it was sorted anew is not appended', async () => {
    await opened.open('project?id=many&roles.order=role_key')
    const list = page.getByRole('region', { name: 'Roles', exact: true })
    const count = page.getByRole('search', { name: 'Roles', exact: true }).getByRole('status')
    await list.getByRole('link', { name: 'Role 000' }).waitFor()
    const late = await held(/page_token=/)
    await list.focus()
    await page.keyboard.press('End')
    await late.asked
    await page.keyboard.press('Home')
    const sort = list.getByRole('button', { name: 'Role key' })
    await sort.click()
    await list.getByRole('link', { name: 'Role 599' }).waitFor()
    await late.release()
    expect(await count.innerText()).toBe('500 of 600')
    expect(await list.getByRole('link').first().innerText()).toBe('Role 599')
  })

  it('a page of a history that was asked for before it was filtered is not appended', async () => {
    await opened.open('timeline')
    await hasEntries(50)
    const late = await held(/before=/)
    await page.getByRole('button', { name: 'Show more' }).click()
    await late.asked
    await page.getByLabel('Change').selectOption({ label: '… was granted the project' })
    await hasEntries(1)
    await late.release()
    expect(await timeline().count()).toBe(1)
  })

  it('a poll that was sent before a page was loaded keeps that page', async () => {
    await opened.open('timeline')
    await hasEntries(50)
    const late = await held(/order=asc/)
    const name = await rename()
    await late.asked
    await page.getByRole('button', { name: 'Show more' }).click()
    await hasEntries(100)
    await late.release()
    await timeline().first().getByText(name, { exact: true }).first().waitFor()
    expect(await timeline().count()).toBe(101)
  })

  it('a page that was asked for before a poll keeps what the poll has found', async () => {
    await opened.open('timeline')
    await hasEntries(50)
    const late = await held(/before=/)
    await page.getByRole('button', { name: 'Show more' }).click()
    await late.asked
    const name = await rename()
    await timeline().first().getByText(name, { exact: true }).first().waitFor()
    await late.release()
    expect(await timeline().count()).toBe(101)
    expect(await timeline().first().textContent()).toContain(name)
  })

  it('a page that is asked for again before its rows are drawn is added once', async () => {
    await opened.open('timeline')
    await hasEntries(50)
    const { items } = await orThrow(
      opened.host.iam.history.list({ order: 'desc', limit: 1_000 }, context()),
    )
    await page.evaluate(() => {
      const { json } = Response.prototype
      Response.prototype.json = async function () {
        const answer = await json.call(this)
        let left = 30
        const click = () => {
          const more = [...document.querySelectorAll('button')].find(
            ({ textContent }) => textContent === 'Show more',
          )
          more?.click()
          if (left-- > 0) queueMicrotask(click)
        }
        if (this.url.includes('before=')) queueMicrotask(click)
        return answer
      }
    })
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })
    await expect.poll(() => timeline().count()).toBe(items.length)
    await page.reload()
  })

  it('a form that is opened before a change was read again begins with the change', async () => {
    await opened.open('project?id=portal')
    await page.locator('.more > summary').click()
    await page.getByRole('button', { name: 'Deactivate' }).click()
    const late = await held(/projects\/portal$/)
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    await late.asked
    await page.getByRole('button', { name: 'Edit' }).click()
    await late.release()
    await page.getByLabel('Name').fill('Door')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Door' }).waitFor()
  })

  it('a project that is found after its field was left does not take the focus back', async () => {
    await opened.open('users')
    await page.getByRole('button', { name: 'Give roles' }).click()
    const dialog = page.getByRole('dialog')
    const project = dialog.getByRole('combobox', { name: 'Project' })
    const late = await held(/projects\?.*contains=Many/)
    await project.fill('Many')
    await project.press('Enter')
    await late.asked
    await dialog.getByRole('combobox', { name: 'To' }).focus()
    await late.release()
    await dialog.getByRole('button', { name: 'Remove Many' }).waitFor()
    expect(await project.evaluate((field) => field === document.activeElement)).toBe(false)
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
