import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'
import { fillRealistic, PEOPLE, REALISTIC } from './realistic.js'

const PATHS = [
  '',
  'users',
  `user?userId=${PEOPLE[2]?.id}`,
  'grants',
  'matrix?projectId=invoicing',
  'review?projectId=invoicing',
  'projects',
  'project?id=invoicing',
  'role?projectId=invoicing&roleKey=approver',
  'providers',
  'provider?idpId=google',
  'mappings',
  'domain?domain=acme.example',
  'set-up',
  'setup-links',
  'timeline',
]
const LONG = 'Zahlungsverkehrsüberwachungsberechtigungsverwaltungsbeauftragte'

describe.runIf(hasChromium())('The looks of the console', () => {
  let opened: OpenConsole
  let page: Page

  beforeAll(async () => {
    const messages = { en: {}, ar: { save: 'حفظ' } }
    opened = await openConsole({ ...REALISTIC, messages }, async (iam, by) => {
      await fillRealistic(iam, by)
      const role = { projectId: 'invoicing', roleKey: 'long', displayName: LONG }
      await orThrow(iam.projectRoles.add(role, context()))
    })
    page = opened.page
  })
  afterEach(async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ forcedColors: 'none' })
    await page.setExtraHTTPHeaders({})
  })
  afterAll(() => opened?.close())

  /** How far the page scrolls to the side, and what is cut off in cards and badges. */
  const cut = () =>
    page.evaluate(() => {
      const root = document.documentElement
      const isCard = window.innerWidth <= 600
      return {
        overflow: root.scrollWidth - root.clientWidth,
        scrolled: window.scrollX,
        cells: [...document.querySelectorAll<HTMLElement>(isCard ? '.few td' : 'x')]
          .filter((cell) => cell.scrollWidth > cell.clientWidth)
          .map(({ innerText }) => innerText),
        // A badge that breaks within a word has a line of its own for the rest of it.
        broken: [...document.querySelectorAll<HTMLElement>('.badge')]
          .filter(({ innerText }) => !/\s/.test(innerText))
          .filter((badge) => badge.getClientRects().length > 1)
          .map(({ innerText }) => innerText),
      }
    })
  const WHOLE = { overflow: 0, scrolled: 0, cells: [], broken: [] }

  it.each(PATHS)(
    '/%s is whole on a phone, at 768 pixels and at 200 percent of 1440',
    async (path) => {
      await opened.open(path)
      for (const width of [360, 768, 720]) {
        await page.setViewportSize({ width, height: 800 })
        expect(await cut()).toEqual(WHOLE)
      }
    },
  )

  it.each(PATHS)('/%s is whole from right to left', async (path) => {
    await page.setExtraHTTPHeaders({ 'accept-language': 'ar' })
    await opened.open(path)
    expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl')
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await cut()).toEqual(WHOLE)
    }
  })

  it('mark the current page and the main button without colours of their own', async () => {
    await page.emulateMedia({ forcedColors: 'active' })
    await opened.open('users')
    const looks = await page.evaluate(() => {
      const look = (selector: string) => {
        const { backgroundColor, borderTopColor } = getComputedStyle(
          document.querySelector(selector) ?? document.body,
        )
        return `${backgroundColor} ${borderTopColor}`
      }
      return [
        look('.top nav a[aria-current]') !== look('.top nav a:not([aria-current])'),
        look('button.primary') !== look('button.menu'),
      ]
    })
    expect(looks).toEqual([true, true])
  })

  it('keep a long name within a dialog on a phone', async () => {
    await page.setViewportSize({ width: 360, height: 700 })
    await opened.open('role?projectId=invoicing&roleKey=long')
    await page.locator('.more > summary').click()
    await page.getByRole('button', { name: 'Remove' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This will change').waitFor()
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(
      0,
    )
  })

  it('show names, and an id where it can be copied alone', async () => {
    const id = PEOPLE[2]?.id ?? ''
    for (const path of ['', 'users', 'matrix?projectId=invoicing', 'review?projectId=invoicing']) {
      await opened.open(path)
      expect(await page.locator('main').innerText()).not.toContain(id.slice(0, 8))
    }
    await opened.open(`user?userId=${id}`)
    const shown = await page.locator('main').innerText()
    expect(shown.split(id)).toHaveLength(2)
  })

  it('keep the heads of the matrix in sight', async () => {
    await opened.open('matrix?projectId=invoicing')
    const region = page.locator('.matrix')
    await region.evaluate((element) => element.scrollTo(300, 2_000))
    const heads = region.locator('thead :is(td, [scope="col"]), tbody tr:last-child th')
    const seen = await heads.evaluateAll((found) =>
      [found[0], found[1], found.at(-1)].map((head) => {
        const { left, top, height } = head?.getBoundingClientRect() ?? new DOMRect()
        return head?.contains(document.elementFromPoint(left + 8, top + height / 2))
      }),
    )
    expect(seen).toEqual([true, true, true])
  })

  it('hide the filter of an empty list, and say what it is for', async () => {
    await opened.open('setup-links')
    expect(await page.getByRole('search').count()).toBe(0)
    await page.getByText('No link was created yet.').waitFor()
  })

  it('have four groups in the menu, without plans unless the host wants them', async () => {
    await opened.open('')
    // Projects are one page, which needs no title.
    expect(await page.locator('#menu .kind:visible').allInnerTexts()).toEqual([
      'People',
      'Sign-in',
      'Audit',
    ])
  })

  it('break no policy', () => expect(opened.complaints).toEqual([]))
})
