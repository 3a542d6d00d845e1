import type { Page } from 'playwright-core'
import { openContext } from '../chromium.js'
import { openHost } from './host.js'

/** Where the console is mounted. */
export const PREFIX = '/any/prefix'

type DropFirst<List extends readonly unknown[]> = List extends [unknown, ...infer Rest]
  ? Rest
  : never

/** A host, and its console in Chromium. */
export const openConsole = async (...options: DropFirst<Parameters<typeof openHost>>) => {
  const host = await openHost(PREFIX, ...options)
  const context = await openContext()
  const page: Page = await context.newPage()
  /** What the policies of the page have refused, and what was thrown in it. */
  const complaints: string[] = []
  page.on('console', (message) => {
    if (/Content.Security|TrustedHTML|Trusted Type/i.test(message.text()))
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))

  /** Waits until nothing is loading. */
  const settled = async () => {
    await page.waitForSelector('main > *')
    await page.waitForFunction(() => !document.body.textContent?.includes('Loading…'))
  }
  const open = async (path: string, who = 'admin') => {
    await page.context().addCookies([{ name: 'who', value: who, url: host.origin }])
    await page.goto(`${host.origin}${PREFIX}/${path}`)
    await settled()
  }
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  /** By the tabulator alone, as somebody without a mouse goes there. */
  const tabTo = async (role: string, name: string | RegExp) => {
    // What lies behind a dialog is out of reach.
    const dialog = page.locator('dialog[open]')
    const within = (await dialog.count()) > 0 ? dialog : page
    const target = within.getByRole(role as 'button', { name, exact: typeof name === 'string' })
    for (let step = 0; step < 60; step++) {
      await page.keyboard.press('Tab')
      if (await target.first().evaluate((element) => element === document.activeElement)) return
    }
    throw new Error(`No ${role} ${name} is reached by keyboard`)
  }
  const close = async () => {
    await context.close()
    await host.close()
  }
  return { host, page, complaints, open, settled, press, tabTo, close }
}

/** What {@link openConsole} answers. */
export type OpenConsole = Awaited<ReturnType<typeof openConsole>>
