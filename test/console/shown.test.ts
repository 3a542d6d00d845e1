import { orThrow } from 'claviger'
import { german } from 'claviger/console'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openContext } from '../chromium.js'
import { type OpenConsole, openConsole } from './open-console.js'
import { fillRealistic, PEOPLE, REALISTIC } from './realistic.js'
import { openVendor, vendor } from './set-up-host.js'

describe.runIf(hasChromium())('What the console shows, in Chromium', () => {
  let opened: OpenConsole
  let page: OpenConsole['page']

  beforeAll(async () => {
    opened = await openConsole(
      { ...REALISTIC, messages: { de: german }, loginUrl: '/login?returnTo={returnTo}' },
      fillRealistic,
    )
    page = opened.page
    await page.setViewportSize({ width: 1440, height: 800 })
  })
  afterAll(() => opened?.close())

  it('tells what happened in sentences, and only of a permission where one is chosen', async () => {
    await opened.open('timeline?projectId=invoicing')
    const field = page.getByRole('combobox', { name: 'Role or permission' })
    await field.fill('payment.run')
    await page.getByRole('option', { name: /^payment\.run/ }).click()
    await page.waitForFunction(() => /permission=/.test(location.search))
    await page.locator('.timeline li').last().filter({ hasText: 'Payment run' }).waitFor()
    const sentences = await page.locator('.timeline li strong').allInnerTexts()
    expect(sentences).toContain('The role Payment run was added')
    expect(sentences).toContain('The roles of Elif Yılmaz were deactivated')
    const given = sentences.filter((sentence) => / got .*Payment run/.test(sentence))
    expect([given.length, given.length > 3]).toEqual([sentences.length - 2, true])
    await opened.open('timeline?projectId=invoicing&roleKey=payer')
    expect(await page.locator('.timeline li strong').allInnerTexts()).toEqual(sentences)
  })

  it('heads the columns of the matrix by the groups of roles', async () => {
    await opened.open('matrix?projectId=invoicing')
    const groups = await page.locator('th[scope="colgroup"]').allInnerTexts()
    expect(groups).toEqual(['Administration', 'Books', 'Invoices', 'Payments', 'Reading'])
    const columns = await page.locator('th[scope="col"]').allInnerTexts()
    expect(columns.slice(2, 5)).toEqual(['Accountant', 'Controller', 'Tax consultant'])
    // Both rows of the head stay in sight.
    const window = page.locator('.window.matrix')
    await window.evaluate((element) => element.scrollTo(300, 300))
    const [box, head] = [await window.boundingBox(), await page.locator('thead').boundingBox()]
    expect(Math.abs((head?.y ?? 0) - (box?.y ?? 1_000))).toBeLessThan(3)
  })

  it('shows all columns of a comparison at 1280 pixels, in rows of one height', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await opened.open('review?projectId=invoicing&since=2020-01-31T00:00:00.000Z')
    const rows = page.locator('.window tbody tr:not([aria-hidden])')
    await rows.filter({ hasText: 'until' }).first().waitFor()
    const cut = await page
      .locator('.window, .window td')
      .evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length)
    const heights = await rows.evaluateAll((all) =>
      all.map((each) => each.getBoundingClientRect().height),
    )
    expect([cut, [...new Set(heights)]]).toEqual([0, [40]])
    await page.setViewportSize({ width: 1440, height: 800 })
  })

  it('keeps the room of rows that are being read', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/api/v1/users?*', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${opened.host.origin}/any/prefix/users`)
    const skeleton = page.getByRole('status').filter({ hasText: 'Loading…' })
    await skeleton.waitFor()
    expect((await skeleton.boundingBox())?.height).toBeGreaterThan(300)
    release()
    await page.getByRole('link', { name: /^Anna Berger/ }).waitFor()
    expect(await page.locator('.skeleton').count()).toBe(0)
    await page.unroute('**/api/v1/users?*')
  })

  it('puts what a role is beside who has it, and below that on a phone', async () => {
    await opened.open('role?projectId=invoicing&roleKey=approver')
    const places = async () => [
      await page.getByRole('heading', { name: 'Who has it' }).boundingBox(),
      await page.getByRole('complementary').boundingBox(),
    ]
    const [holders, facts] = await places()
    expect(facts?.x).toBeGreaterThan((holders?.x ?? 0) + 700)
    expect(Math.abs((facts?.y ?? 0) - (holders?.y ?? 0))).toBeLessThan(30)
    await page.setViewportSize({ width: 360, height: 800 })
    const [above, below] = await places()
    expect(below?.y).toBeGreaterThan(above?.y ?? 0)
    await page.setViewportSize({ width: 1440, height: 800 })
  })

  it('lets new users in only where an admin has said so, in the guided set-up as in the form', async () => {
    const field = page.getByRole('checkbox', { name: 'Let new users in' })
    await opened.open('providers')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    expect(await field.isChecked()).toBe(false)
    await opened.open('set-up')
    await page.getByRole('radio', { name: 'Google Workspace' }).check()
    expect(await field.isChecked()).toBe(false)
  })

  it('keeps what takes something away in a menu, apart from what changes it', async () => {
    await opened.open('project?id=invoicing')
    const actions = page.getByRole('complementary').getByRole('button')
    const shown = async () =>
      (await actions.allInnerTexts()).filter((text) => !['Copy', ''].includes(text))
    expect(await shown()).toEqual(['Edit'])
    await page.getByText('More', { exact: true }).click()
    expect(await shown()).toEqual(['Edit', 'Deactivate', 'Remove'])
  })

  it('shows a table as a whole on a tablet, with its last column', async () => {
    await page.setViewportSize({ width: 768, height: 800 })
    await opened.open(`user?userId=${PEOPLE[2]?.id}`)
    const held = page.locator('.held .wide')
    await held.getByText('until').first().waitFor()
    expect(await held.evaluate((table) => table.scrollWidth - table.clientWidth)).toBe(0)
    await page.setViewportSize({ width: 1440, height: 800 })
  })

  it('names the user of a grant, never by an id', async () => {
    const { id = '', name } = PEOPLE[2] ?? {}
    await opened.open(`user-grant?userId=${id}&projectId=invoicing&projectOrgId=acme`)
    await page.getByRole('link', { name: `User: ${name}` }).waitFor()
    expect(await page.locator('main').innerText()).not.toContain(id)
  })

  it('keeps the option of a picker in view, and says how many there are', async () => {
    await opened.open('timeline')
    await page.getByRole('combobox', { name: 'By', exact: true }).fill('a')
    await page.getByText('20 found Type to find more.').waitFor()
    const isInView = (number: number) =>
      page
        .locator(`[role="option"]:nth-child(${number})[aria-selected="true"]`)
        .evaluate((option) => {
          const list = option.closest('.options')?.getBoundingClientRect()
          const { top, bottom } = option.getBoundingClientRect()
          return list !== undefined && top >= list.top - 1 && bottom <= list.bottom + 1
        })
    for (let step = 0; step < 12; step++) await page.keyboard.press('ArrowDown')
    expect(await isInView(13)).toBe(true)
    await page.keyboard.press('PageDown')
    expect(await isInView(20)).toBe(true)
    await page.keyboard.press('Escape')
  })

  it('says in words at which change of an object the slider stands', async () => {
    await opened.open('role?projectId=invoicing&roleKey=tax')
    const slider = page.getByLabel('Version')
    expect(await slider.getAttribute('aria-valuetext')).toBe('now')
    await slider.press('ArrowLeft')
    await page.getByRole('heading', { level: 1, name: 'Tax adviser' }).waitFor()
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/\d{4}.*\d:\d\d/)
  })

  it('keeps rows of one height in a long comparison', async () => {
    await opened.open('review?projectId=invoicing&since=2020-01-01T00:00:00.000Z')
    await page.locator('.window .badge').first().waitFor()
    const heights = await page
      .locator('.window tbody tr:not([aria-hidden])')
      .evaluateAll((rows) => rows.map((row) => Math.round(row.getBoundingClientRect().height)))
    expect([heights.length > 20, Math.max(...heights)]).toEqual([true, 40])
  })

  it('gives each button room for a finger', async () => {
    for (const path of [`user?userId=${PEOPLE[2]?.id}`, 'projects']) {
      await opened.open(path)
      const sides = await page
        .locator('main button')
        .evaluateAll((buttons) =>
          buttons.flatMap((button) => [button.clientWidth + 2, button.clientHeight + 2]),
        )
      expect(Math.min(...sides)).toBeGreaterThanOrEqual(24)
    }
  })

  it('says of an unknown user that nobody knows them', async () => {
    await opened.open('user?userId=nobody')
    await page.getByText('The application does not know this user').waitFor()
  })

  it('asks for nothing new in a tab that nobody sees', async () => {
    const tab = await page.context().newPage()
    await tab.clock.install()
    await tab.goto(`${opened.host.origin}/any/prefix/timeline`)
    await tab.locator('.timeline li').first().waitFor()
    let polls = 0
    tab.on('request', (request) => {
      if (request.url().includes('after=')) polls++
    })
    const later = async () => {
      await tab.clock.fastForward(5000)
      return polls
    }
    await expect.poll(later).toBeGreaterThan(1)
    await tab.evaluate(() => Object.defineProperty(document, 'hidden', { value: true }))
    // One that was on its way may still end.
    await later()
    const before = await later()
    for (let round = 0; round < 5; round++) expect(await later()).toBe(before)
    await tab.close()
  })

  it('leads back after a sign-in', async () => {
    await opened.open('matrix?projectId=invoicing', 'stranger')
    const link = page.getByRole('link', { name: 'Sign in' })
    const to = encodeURIComponent('/any/prefix/matrix?projectId=invoicing')
    expect(await link.getAttribute('href')).toBe(`/login?returnTo=${to}`)
    await opened.open('')
  })

  it('speaks the language that the reader chooses, also of wrong fields', async () => {
    await opened.open('timeline?projectId=invoicing')
    await page.getByLabel('Language').selectOption('Deutsch')
    await page.getByRole('heading', { name: german.timeline }).waitFor()
    await page
      .getByText(/hat .*Buchhal|hat .*Accountant.* erhalten/)
      .first()
      .waitFor()
    const state = page.locator('.timeline li').filter({ hasText: 'deaktiviert' }).first()
    expect(await state.locator('.changes').innerText()).toMatch(/Zustand\s+aktiv → inaktiv/)
    await opened.open('projects')
    await page.getByRole('button', { name: german.add, exact: true }).click()
    await page.getByRole('dialog').getByLabel('Id').fill('not an id!')
    await page.getByRole('dialog').getByLabel('Name').fill('Shop')
    await page.getByRole('button', { name: german.preview }).click()
    await page.getByText('muss aus 1 bis 64 Buchstaben').waitFor()
    await page.getByRole('button', { name: german.cancel }).click()
    await page.getByLabel(german.language).selectOption('English')
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})

it.runIf(hasChromium())(
  'A set-up link says until when it works, and that its draft was removed, in the language of the reader',
  async () => {
    const host = await openVendor()
    const expiresAt = new Date(Date.now() + 7 * 86_400_000)
    const link = await orThrow(
      host.iam.setupLinks.issue({ expiresAt, intents: ['provider', 'domain'] }, { caller: vendor }),
    )
    const draft = { idpId: link.linkId, name: 'Entra', clientId: 'c', clientSecret: 's' }
    const issuer = 'https://login.example.com'
    const { identityProviders } = host.iam
    await orThrow(identityProviders.addOidc({ ...draft, issuer }, { caller: vendor }))
    await orThrow(identityProviders.remove({ idpId: link.linkId }, { caller: vendor }))
    const context = await openContext({ viewport: { width: 360, height: 800 } })
    const page = await context.newPage()
    await page.goto(`${host.origin}/set-up/#${link.token}`)
    await page.getByText('valid until').waitFor()
    expect(await page.locator('time').first().getAttribute('datetime')).toBe(
      expiresAt.toISOString(),
    )
    await page.getByLabel('Language').selectOption('Deutsch')
    await page.getByRole('heading', { name: german.setUp.title }).waitFor()
    await page.getByText('gültig bis').waitFor()
    await page.getByText(german.setUp.removed).waitFor()
    await page.getByText(german.setUp.prove, { exact: false }).first().waitFor()
    await context.close()
    await host.close()
  },
)
