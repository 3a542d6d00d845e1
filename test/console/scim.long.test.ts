import { orThrow } from 'claviger'
import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { axeViolations, hasChromium, openContext } from '../chromium.js'
import { openScimHost } from './scim-host.js'

const TITLE = 'Pushes from the directory (SCIM)'

describe.runIf(hasChromium())('SCIM in the console', () => {
  let host: Awaited<ReturnType<typeof openScimHost>>
  let context: BrowserContext
  let page: Page
  let complaints: string[]

  beforeEach(async () => {
    host = await openScimHost()
  })
  afterEach(async () => {
    await context?.close()
    await host?.close()
  })

  const open = async (path: string, { who = 'admin', locale = 'en', width = 360 } = {}) => {
    await context?.close()
    context = await openContext({ locale, viewport: { width, height: 800 } })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: host.origin })
    page = await context.newPage()
    complaints = []
    page.on('console', (message) => {
      if (/Content.Security|TrustedHTML|Trusted Type/i.test(message.text()))
        complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    await context.addCookies([{ name: 'who', value: who, url: host.origin }])
    await page.goto(`${host.origin}${path}`)
  }
  const section = (title = TITLE) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: title, level: 2 }) })

  /** What axe finds, and what is cut off. */
  const faults = async () => {
    const violations = await axeViolations(page)
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    return [...violations, ...complaints, ...(overflow > 0 ? [`${overflow} pixels too wide`] : [])]
  }
  /** By the tabulator alone, as somebody without a mouse goes there. */
  const tabTo = async (name: string) => {
    const dialog = page.locator('dialog[open]')
    const within = (await dialog.count()) > 0 ? dialog : page
    const target = within.getByRole('button', { name, exact: true })
    await target.first().waitFor()
    for (let step = 0; step < 60; step++) {
      await page.keyboard.press('Tab')
      if (await target.first().evaluate((element) => element === document.activeElement)) return
    }
    throw new Error(`No button ${name} is reached by keyboard`)
  }

  it('issues, shows once and revokes a token by keyboard alone, and shows what was refused', async () => {
    await open('/admin/provider?idpId=entra')
    await section().getByText('https://app.example/scim/v2').waitFor()
    await section().getByText('There is no token yet.').waitFor()
    expect(await faults()).toEqual([])
    await tabTo('Create a token')
    await page.keyboard.press('Enter')
    const token = await section().locator('[role=status] code').innerText()
    expect(token).toMatch(/^scim_/)
    await section().getByText('never used').waitFor()
    expect(await faults()).toEqual([])
    // The button after the token copies it.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token)

    // The directory uses it, and something is refused.
    expect(await host.push(token, 'GET', '/Users')).toBe(200)
    expect(await host.push(token, 'POST', '/Users')).toBe(400)
    await page.reload()
    await section().getByText('last request').waitFor()
    await section().getByText('POST /scim/v2/Users').waitFor()
    await section().getByText('400: userName is missing').waitFor()
    // It is shown once.
    expect(await page.content()).not.toContain(token.split('.')[1])
    expect(page.url()).not.toContain('scim_')
    expect(await faults()).toEqual([])

    // Escape leaves it alone; the button of the dialog ends it.
    await tabTo('Revoke')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('Requests with it are refused at once.').waitFor()
    expect(await faults()).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await host.push(token, 'GET', '/Users')).toBe(200)
    // The focus is back on the button.
    await page.keyboard.press('Enter')
    await tabTo('Revoke')
    await page.keyboard.press('Enter')
    await section().getByText('There is no token yet.').waitFor()
    expect(await host.push(token, 'GET', '/Users')).toBe(401)
    const focused = await page.evaluate(() => document.activeElement?.id)
    expect(focused).toBe('main')
  })

  it('shows what readers may see, hostile refusals as text, and when there are enough tokens', async () => {
    const directory = { orgId: 'acme', idpId: 'entra' }
    const token = (await host.tokens.issue(directory)) ?? ''
    await host.push(token, 'DELETE', '/Users/%3Cimg%20src=x%20onerror=hacked=1%3E')
    await host.push(
      token,
      'GET',
      `/Users?filter=${encodeURIComponent('<script>hacked=1</script>')}`,
    )
    await open('/admin/provider?idpId=entra', { who: 'reader' })
    await section().getByText('<script>hacked=1</script>').waitFor()
    expect(await section().getByRole('button').allInnerTexts()).toEqual(['Copy'])
    expect(await page.evaluate(() => Reflect.get(window, 'hacked'))).toBeUndefined()
    expect(await faults()).toEqual([])
    for (let count = 1; count < 5; count++) await host.tokens.issue(directory)
    await open('/admin/provider?idpId=entra')
    await section().getByRole('button', { name: 'Create a token' }).click()
    await section().getByText('Revoke one first.').waitFor()
  })

  it('is in German, and absent from hosts without it', async () => {
    await open('/admin/provider?idpId=entra', { locale: 'de', width: 1200 })
    const german = section('Meldungen des Verzeichnisses (SCIM)')
    await german.getByRole('button', { name: 'Token erstellen' }).click()
    await german.getByText('Es wird nur einmal gezeigt.').waitFor()
    await german.getByText('nie verwendet').waitFor()
    expect(await faults()).toEqual([])
    await host.close()
    host = await openScimHost({ scim: undefined })
    await open('/admin/provider?idpId=entra')
    await page.getByRole('heading', { name: 'Test', exact: true }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(await section().count()).toBe(0)
  })

  it('issues a token behind a set-up link for the provider that the link added', async () => {
    const expiresAt = new Date(Date.now() + 600_000)
    const intents = ['provider', 'groups'] as const
    const { token: link } = await orThrow(
      host.iam.setupLinks.issue({ expiresAt, intents }, host.admin),
    )
    await open(`/set-up/#${link}`)
    await page.getByLabel('Keycloak').check()
    expect(await section().count()).toBe(0)
    await page.getByLabel('Issuer or address').fill('https://idp.example')
    await page.getByLabel('Client ID').fill('c')
    await page.getByLabel('Client secret').fill('s')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await section().waitFor()
    await tabTo('Create a token')
    await page.keyboard.press('Enter')
    const token = await section().locator('[role=status] code').innerText()
    expect(await faults()).toEqual([])
    expect(await host.push(token, 'GET', '/Users')).toBe(200)
    expect(await host.push(token, 'POST', '/Users')).toBe(403)
    await page.reload()
    await section().getByText('403: The identity provider is not switched on').waitFor()
    expect(await faults()).toEqual([])

    // What the link may not do any more is not offered.
    const { items } = await orThrow(
      host.iam.identityProviders.list({ filter: { state: 'inactive' } }, host.admin),
    )
    await orThrow(
      host.iam.identityProviders.reactivate({ idpId: items[0]?.idpId ?? '' }, host.admin),
    )
    await page.reload()
    await section().getByText('last request').waitFor()
    expect(await section().getByRole('button').allInnerTexts()).toEqual(['Copy'])
  })
})
