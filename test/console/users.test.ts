import { readFileSync } from 'node:fs'
import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openContext } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole, PREFIX } from './open-console.js'
import { fillRealistic, PEOPLE, REALISTIC } from './realistic.js'

const [ANNA, BEN] = PEOPLE

describe.runIf(hasChromium())('Users in the console, in Chromium', () => {
  let opened: OpenConsole
  let page: Page
  const close: (() => Promise<void>)[] = []
  /** Opens a console of its own. */
  const start = async (...options: Parameters<typeof openConsole>) => {
    const console = await openConsole(...options)
    close.push(console.close)
    return console
  }

  beforeAll(async () => {
    opened = await start(REALISTIC, fillRealistic)
    page = opened.page
  })
  afterAll(async () => {
    for (const each of close) await each()
  })

  it.each([
    'users',
    `user?userId=${ANNA?.id}`,
    'matrix?projectId=invoicing',
    'review?projectId=invoicing',
    'timeline',
    '',
  ])('have names on /%s at once, and their ids nowhere', async (path) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await opened.open(path)
    await page
      .getByText(path === '' ? 'Olivia Chen' : 'Anna Berger')
      .first()
      .waitFor()
    page.removeAllListeners('request')
    // The page of a user has the id, to copy it.
    const shown = (await page.locator('body').innerText()).replace(/User id: \S+/, '')
    expect(shown).not.toContain('7c9e6679')
    expect(asked.filter((url) => url.includes('/api/users?'))).toEqual([])
  })

  it('are picked: an unknown one is refused, one of an id is found', async () => {
    await opened.open('users')
    await page.getByRole('button', { name: 'Give roles' }).click()
    const field = page.getByRole('combobox', { name: 'To' })
    await field.fill('Nobody of this name')
    await field.press('Enter')
    await page.getByText('No user was found. Pick one from the list.').waitFor()
    await field.fill(BEN?.id ?? '')
    await field.press('Enter')
    await page.getByRole('dialog').getByText('Ben Okafor').waitFor()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('Choose a project.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
  })

  it('that are picked fast are those of what was typed', async () => {
    await opened.open('users')
    await page.getByRole('button', { name: 'Give roles' }).click()
    await page.getByRole('combobox', { name: 'To' }).focus()
    await page.keyboard.type('Zoë')
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'To' }).getByText('Zoë van Dijk').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
  })

  it('have names in what a change does, which is said', async () => {
    await opened.open('role?projectId=invoicing&roleKey=controller')
    await page.locator('.more > summary').click()
    await page.getByRole('button', { name: 'Remove' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove Controller?' })
    await dialog.getByText('Every user with this role loses it.').waitFor()
    const { items } = await orThrow(
      opened.host.iam.access.whoHas({ projectId: 'invoicing', roleKey: 'controller' }, context()),
    )
    for (const { userId } of items)
      await dialog.getByText(PEOPLE.find(({ id }) => id === userId)?.name ?? '?').waitFor()
    expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['Cancel', 'Remove'])
    await page.keyboard.press('Escape')
  })

  it('are shown by their ids when the host cannot name them', async () => {
    const failing = await start({
      onError: () => {},
      users: {
        describe: () => {
          throw new Error('down')
        },
        find: () => [],
      },
    })
    await failing.open('users')
    await failing.page.getByRole('link', { name: 'anna' }).waitFor()
    expect(await failing.page.getByRole('alert').count()).toBe(0)
  })

  it.each([
    [false, 'This looks like an e-mail address.'],
    [true, 'Remove dora@acme.example'],
  ])('without a directory are typed; ids that are addresses: %s', async (are, said) => {
    const plain = await start({ userIdsAreAddresses: are })
    await plain.open('users')
    await plain.page.getByRole('button', { name: 'Give roles' }).click()
    await plain.page.getByText('does not know the names of the users').waitFor()
    const field = plain.page.getByRole('combobox', { name: 'To' })
    await field.fill('dora@acme.example')
    await field.press('Enter')
    await plain.page
      .getByText(said)
      .or(plain.page.getByRole('button', { name: said }))
      .waitFor()
    expect(await plain.page.getByRole('list', { name: 'To' }).count()).toBe(are ? 1 : 0)
  })

  it('see the title, logo, colour and links of the host, and its areas alone', async () => {
    const branded = await start({
      ...REALISTIC,
      logo: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
      accent: '#ffd400',
      areas: ['users', 'review'],
    })
    await branded.open('')
    const menu = branded.page.getByRole('navigation', { name: 'Pages' })
    expect(await menu.getByRole('link').allInnerTexts()).toEqual([
      'Overview',
      'Users and roles',
      'Role matrix',
      'Grants',
      'Access review',
    ])
    expect(await branded.page.title()).toBe('Overview · Acme Cloud')
    await branded.page.getByRole('link', { name: 'Back to the application' }).waitFor()
    const chosen = menu.getByRole('link', { name: 'Overview' })
    const colours = await chosen.evaluate((element) => {
      const { backgroundColor, color } = getComputedStyle(element)
      return [backgroundColor, color]
    })
    expect(colours).toEqual(['rgb(255, 212, 0)', 'rgb(0, 0, 0)'])
    await branded.open('projects')
    await branded.page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(branded.complaints).toEqual([])
  })

  it('read it in their own language', async () => {
    const { origin } = opened.host
    const german = await start({
      messages: {
        de: {
          overview: 'Übersicht',
          users: 'Benutzer und Rollen',
          removeThis: '{name} entfernen',
          count: '{shown} von {total}',
        },
      },
    })
    const there = await openContext({ locale: 'de-DE', timezoneId: 'Europe/Berlin' })
    const reader = await there.newPage()
    await reader.goto(`${german.host.origin}${PREFIX}/`)
    await reader.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor()
    expect(await reader.evaluate(() => document.documentElement.lang)).toBe('de')
    // What has no text yet stays in English, and times are in the language.
    await reader.getByText('Latest changes').waitFor()
    expect(await reader.locator('time').first().textContent()).toMatch(
      /^\d\d\.\d\d\.\d{4}, \d\d:\d\d$/,
    )
    await there.close()
    expect(origin).not.toBe(german.host.origin)
  })

  describe('have names in an export', () => {
    const exported = async () => {
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export as CSV' }).click()
      return readFileSync(await (await download).path(), 'utf8')
    }

    it('with their addresses', async () => {
      await opened.open('review?projectId=invoicing')
      expect(await exported()).toContain('Anna Berger,anna@acme.example,')
    })

    it.each(['review?projectId=invoicing', 'timeline'])(
      'or %s says why there is none',
      async (at) => {
        await opened.open(at)
        await page.getByText('Anna Berger').first().waitFor()
        const all = /page_?size=1000/i
        await page.route(all, (route) =>
          route.fulfill({ status: 500, json: { message: 'Out of order' } }),
        )
        await page.getByRole('button', { name: 'Export as CSV' }).click()
        await page.getByRole('alert').getByText('Out of order').waitFor()
        await page.unroute(all)
        expect((await exported()).length).toBeGreaterThan(100)
        expect(await page.getByRole('alert').count()).toBe(0)
      },
    )
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
