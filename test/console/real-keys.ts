import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Presses keys one by one, as somebody without a mouse does, and counts them. */
export const realKeys = (page: Page) => {
  let count = 0
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      count++
      await page.keyboard.press(key)
    }
  }
  /** Each character is a key. */
  const type = (text: string) => press(...text)
  /** The name of the control that has the focus, as a screen reader begins it. */
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement
      if (!element || element === document.body) return ''
      const [label] = element instanceof HTMLElement && 'labels' in element ? [element.labels] : []
      const named = label instanceof NodeList ? label[0]?.textContent : undefined
      return (element.ariaLabel ?? named ?? element.textContent ?? '').trim()
    })
  /** Goes on, by Tab or another key, until a control of this name has the focus. */
  const walk = async (name: string | RegExp, key = 'Tab') => {
    const walked: string[] = []
    for (let step = 0; step < 60; step++) {
      const at = await focused()
      if (typeof name === 'string' ? at === name : name.test(at)) return
      walked.push(at)
      await press(key)
    }
    throw new Error(`${name} is not reached, but ${walked.join(' | ')}`)
  }
  /** Opens a page or an object by a part of its name. */
  const goTo = async (text: string, title: string) => {
    await press('Control+k')
    await type(text)
    await page.getByRole('option').first().waitFor()
    await press('Enter')
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await page.waitForFunction(() => !document.body.textContent?.includes('Loading…'))
  }
  /** After a success no dialog is open, it was said, and the focus is on a control or on the page's content. */
  const succeeded = async (said: string | RegExp) => {
    await page.locator('.status').getByText(said).waitFor()
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
    await expect
      .poll(() =>
        page.evaluate(() => document.activeElement?.closest('main, #main, .status') !== null),
      )
      .toBe(true)
  }
  return { press, type, focused, walk, goTo, succeeded, count: () => count }
}
