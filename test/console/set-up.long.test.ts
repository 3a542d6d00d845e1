import { setTimeout as pause } from 'node:timers/promises'
import { orThrow } from 'claviger'
import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { axeViolations, hasChromium, openContext } from '../chromium.js'
import { hasLemonldap, startLemonldap } from '../oidc/lemonldap.js'
import { realProvider } from '../oidc/real-provider.js'
import { openVendor, vendor } from './set-up-host.js'

const DOMAIN = 'globex.example'
// Letters and digits: LemonLDAP::NG does not decode the encoded secret of client_secret_basic.
const SECRET = 'SecretOfTheCustomer'
const OVER = /This link no longer works/
const context = { caller: vendor }
const nextWeek = () => new Date(Date.now() + 7 * 86_400_000)

/** A provider that the IT of the customer runs. */
interface CustomerProvider {
  /** Registers the application there. */
  readonly start: (
    redirectUri: string,
  ) => Promise<{ readonly issuer: string; readonly close: () => unknown }>
  readonly login: (window: Page) => Promise<void>
  /** Who signs in. */
  readonly user: string
  readonly scopes: string
}

const OIDC_PROVIDER: CustomerProvider = {
  start: (redirectUri) =>
    realProvider(
      [{ client_id: 'invoicing', client_secret: SECRET, redirect_uris: [redirectUri] }],
      {
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
        findAccount: (_, id) => ({
          accountId: id,
          claims: () => ({ sub: id, groups: ['everybody', 'finance'] }),
        }),
      },
    ),
  login: async (window) => {
    await window.locator('input[name="login"]').fill('ann')
    await window.locator('input[name="password"]').fill('any')
    await window.locator('button[type="submit"]').click()
    await window.locator('button[type="submit"]').click()
  },
  user: 'ann',
  scopes: 'openid email profile',
}

const LEMONLDAP: CustomerProvider = {
  start: async (redirectUri) => {
    const client = { clientId: 'invoicing', clientSecret: SECRET, redirectUri }
    const portal = await startLemonldap(client)
    await portal.configure({ rules: { finance: '$uid eq "dwho"', everybody: '1' } })
    return portal
  },
  login: async (window) => {
    await window.locator('[name=user]').fill('dwho')
    await window.locator('[name=password]').fill('dwho')
    await window.locator('[type=submit]').click()
  },
  user: 'dwho',
  scopes: 'openid email profile groups',
}

describe.runIf(hasChromium())('the guided set-up', () => {
  let host: Awaited<ReturnType<typeof openVendor>>
  let customer: BrowserContext
  let page: Page
  let complaints: string[]

  beforeEach(async () => {
    host = await openVendor()
    customer = await openContext({ viewport: { width: 360, height: 800 } })
    page = await customer.newPage()
    complaints = []
    page.on('console', (message) => {
      if (/Content.Security|TrustedHTML|Trusted Type/i.test(message.text()))
        complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
  })
  afterEach(async () => {
    await customer?.close()
    await host?.close()
  })

  const linkFor = async (intents: readonly ('domain' | 'provider' | 'groups')[]) => {
    const { token, linkId } = await orThrow(
      host.iam.setupLinks.issue({ expiresAt: nextWeek(), intents }, context),
    )
    return { token, linkId, url: `${host.origin}/set-up/#${token}` }
  }

  /** What axe finds, and what is cut off. */
  const faults = async () => {
    const violations = await axeViolations(page)
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    return [...violations, ...complaints, ...(overflow > 0 ? [`${overflow} pixels too wide`] : [])]
  }

  /** From the link to a signed-in user with a role. */
  const walk = async ({ start, login, user, scopes }: CustomerProvider) => {
    // The vendor makes a link in the console, and sends it.
    const own = await openContext()
    await own.addCookies([{ name: 'who', value: 'vendor', url: host.origin }])
    const office = await own.newPage()
    await office.goto(`${host.origin}/admin/setup-links`)
    await office.getByRole('button', { name: 'Create a link' }).click()
    await office.getByRole('dialog').getByLabel('Note').fill('For Ada')
    await office.getByRole('dialog').getByRole('button', { name: 'Create a link' }).click()
    const url = await office.locator('code.link').innerText()
    expect(url).toMatch(new RegExp(`^${host.origin}/set-up/#[\\w-]{43}$`))
    const token = url.split('#')[1] ?? ''
    await own.close()

    // The customer's IT opens it in a browser that knows nobody.
    await page.goto(url)
    await page.getByLabel('Keycloak').check()
    const redirectUri = await page.locator('.guide code').innerText()
    expect(redirectUri).toMatch(new RegExp(`^${host.origin}/callback/globex/\\w{26}$`))
    const idpId = redirectUri.split('/').at(-1)
    expect(page.url()).toBe(`${host.origin}/set-up/`)
    expect(await faults()).toEqual([])
    const provider = await start(redirectUri)
    await page
      .getByLabel('Issuer or address')
      .fill(`${provider.issuer}/wrong/.well-known/openid-configuration`)
    await page.getByLabel('Client ID').fill('invoicing')
    await page.getByLabel('Client secret').fill(SECRET)
    expect(await page.getByLabel('Scopes').inputValue()).toBe('openid email profile')
    await page.getByLabel('Scopes').fill(scopes)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()

    // A wrong issuer is found by the test, and mended after a reload, without another redirect URI.
    await page.getByRole('button', { name: 'Run the test' }).click()
    await page.locator('.checks .failed').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Edit' }).click()
    expect(await page.locator('.guide code').innerText()).toBe(redirectUri)
    await page.getByLabel('Issuer or address').fill(provider.issuer)
    const save = page.getByRole('button', { name: 'Save' })
    // The secret was for the wrong one.
    await save.click()
    expect(
      await page.getByLabel('Client secret').evaluate((field) => field.matches(':invalid')),
    ).toBe(true)
    await page.getByLabel('Client secret').fill(SECRET)
    // A form that is opened again has what was saved, however long the list takes.
    await page.route(/\/idps(\?|$)/, async (route) => {
      await pause(500)
      await route.continue()
    })
    await save.click()
    // The name alone is changed without it.
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name on the sign-in page').fill('Globex')
    await save.click()
    await page.getByRole('button', { name: 'Edit' }).waitFor()
    await page.getByText('Run the test first, ').waitFor()
    const switchOn = page.getByRole('button', { name: /^Switch .* on$/ })
    expect(await switchOn.count()).toBe(0)

    // The test, then a sign-in of their own.
    const step = (name: string) => page.getByRole('heading', { name, level: 2 })
    expect(await step('Test').innerText()).toBe('Test')
    await page.getByRole('button', { name: 'Run the test' }).click()
    await page.locator('.checks').waitFor()
    await step('Test done').waitFor()
    expect(await page.locator('.checks li:has(.failed)').allInnerTexts()).toEqual([])
    /** The provider knows who signed in before. */
    const signIn = async (isFirst: boolean) => {
      const opening = customer.waitForEvent('page')
      await page.getByRole('link', { name: 'Sign in with it' }).click()
      const window = await opening
      if (isFirst) await login(window)
      await window.waitForURL(/\/callback\//)
      const said = await window.locator('body').innerText()
      await window.close()
      return said
    }
    expect(await signIn(true)).toBe('Refused: DraftSignedIn')
    await page.getByRole('button', { name: 'I have signed in' }).click()
    await page.locator('p:has-text("Then sign in yourself") .badge').waitFor()
    await switchOn.click()
    await switchOn.waitFor({ state: 'detached' })
    await step('Switch it on done').waitFor()
    expect(await signIn(false)).toBe(`Signed in: ${user} with no role`)

    // A group that has a role, from the next sign-in on.
    await page.getByLabel('Group', { exact: true }).fill('finance')
    await page.getByLabel('Accountant').check()
    await page.getByRole('button', { name: 'Map the group' }).click()
    await page.getByText('finance has accountant of Invoicing').waitFor()
    expect(await faults()).toEqual([])
    expect(await signIn(false)).toBe(`Signed in: ${user} with accountant`)

    // The domain, proven by a record that they publish.
    await page.getByLabel('Domain, such as').fill(DOMAIN)
    await page.getByRole('button', { name: 'Add the domain' }).click()
    await page.locator('.record').waitFor()
    const [name = '', , value = ''] = await page.locator('.record code').allInnerTexts()
    await page.getByRole('button', { name: 'Check the record' }).click()
    await page.getByText('The record is not published yet').waitFor()
    expect(await faults()).toEqual([])
    host.dns.set(name, value)
    await page.getByRole('button', { name: 'Check the record' }).click()
    await page.getByRole('button', { name: `Switch on for ${DOMAIN}` }).waitFor()
    expect(await step('Switch it on').innerText()).toBe('Switch it on')
    await page.getByRole('button', { name: `Switch on for ${DOMAIN}` }).click()
    await page.getByText('On: people with addresses').waitFor()
    await step('Switch it on done').waitFor()
    expect(await faults()).toEqual([])
    const route = await orThrow(host.iam.domains.route({ email: `somebody@${DOMAIN}` }))
    expect(route?.idpId).toBe(idpId)

    // Finished: the link does not open again.
    await page.getByRole('button', { name: 'Finish' }).click()
    expect(await page.getByRole('dialog').locator('ul').count()).toBe(0)
    await page.getByRole('dialog').getByRole('button', { name: 'Finish' }).click()
    await page.getByText('All done').waitFor()
    await page.goto('about:blank')
    await page.goto(url)
    await page.getByText(OVER).waitFor()
    expect(await faults()).toEqual([])

    // The token was in no URL that was sent, and nothing was kept in the browser.
    expect(host.urls.filter((sent) => sent.includes(token))).toEqual([])
    const kept = await customer.storageState()
    expect(JSON.stringify(kept)).not.toContain(token)
    const log = await host.store.readAll(0n, 1_000)
    expect(JSON.stringify(log, (_, each) => String(each))).not.toContain(token)
    await provider.close()
  }

  it('leads a customer from the link to a signed-in user, without a word from the vendor', () =>
    walk(OIDC_PROVIDER))

  it.runIf(hasLemonldap())(
    'leads a customer with LemonLDAP::NG there, too',
    () => walk(LEMONLDAP),
    180_000,
  )

  it('is open by default to the end of a day', async () => {
    const own = await openContext()
    await own.addCookies([{ name: 'who', value: 'vendor', url: host.origin }])
    const office = await own.newPage()
    await office.goto(`${host.origin}/admin/setup-links`)
    await office.getByRole('button', { name: 'Create a link' }).click()
    await office.getByRole('dialog').getByRole('button', { name: 'Create a link' }).click()
    await office.locator('code.link').waitFor()
    await office.keyboard.press('Escape')
    // On a phone, in German: words, and no line that is cut off.
    await office.getByLabel('Language').selectOption('de')
    await office.setViewportSize({ width: 360, height: 800 })
    await office.getByRole('row').getByText('Domain nachweisen').waitFor()
    const table = office.locator('.wide')
    expect(await table.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
    const { items } = await orThrow(host.iam.setupLinks.list({}, context))
    const ends = await office.evaluate(
      (at) => new Date(at).toTimeString().slice(0, 5),
      items[0]?.expiresAt.toISOString() ?? '',
    )
    await own.close()
    expect(ends).toBe('23:59')
  })

  it('forgets a test after a change, leaves a form, and follows another tab', async () => {
    const { url } = await linkFor(['provider', 'groups'])
    const open = async (tab: Page) => {
      await tab.goto(url)
      await tab.getByLabel('Keycloak').check()
    }
    const connect = async (tab: Page, name: string) => {
      await tab.getByLabel('Name auf').fill(name)
      await tab.getByLabel('Issuer').fill('http://127.0.0.1:1')
      await tab.getByLabel('Client-ID').fill('invoicing')
      await tab.getByLabel('Client Secret').fill(SECRET)
      await tab.getByRole('button', { name: 'Verbinden' }).click()
      await tab.getByText('ist verbunden').waitFor()
    }
    const other = await customer.newPage()
    await customer.addCookies([{ name: 'claviger-language', value: 'de', url: host.origin }])
    await open(page)
    await open(other)
    await connect(page, 'First')
    await connect(other, 'Second')
    await other.getByText('First ist verbunden').waitFor()
    await other.close()

    // On a phone, a word that is longer than its room is not cut off.
    await page.getByRole('button', { name: 'Test ausführen' }).click()
    const verdict = page.locator('.checks .failed')
    expect(await verdict.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
    const edit = page.getByRole('button', { name: 'Bearbeiten' })
    await edit.click()
    await page.getByLabel('Name auf').fill('Typed by mistake')
    await page.getByRole('button', { name: 'Abbrechen' }).click()
    expect(await verdict.count()).toBe(1)
    await edit.click()
    expect(await page.getByLabel('Name auf').inputValue()).toBe('First')
    await page.getByLabel('Client-ID').fill('another')
    await page.getByRole('button', { name: 'Speichern' }).click()
    await edit.waitFor()
    await verdict.waitFor({ state: 'detached' })

    // A group that has a role gets another.
    for (const role of ['Accountant', 'Reader']) {
      await page.getByLabel('Gruppe', { exact: true }).fill('finance')
      await page.getByLabel(role).check()
      await page.getByRole('button', { name: 'Gruppe zuordnen' }).click()
      await page.getByText('finance hat').filter({ hasText: role }).waitFor()
    }
    expect(await faults()).toEqual([])
  })

  it('shows the steps of the intents alone', async () => {
    await page.goto((await linkFor(['domain'])).url)
    await page.getByRole('heading', { name: 'Prove your domain' }).waitFor()
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      'Prove your domain',
      'Finish',
    ])
    await page.goto('about:blank')
    await page.goto((await linkFor(['provider'])).url)
    await page.getByLabel('Keycloak').waitFor()
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      'Connect your identity provider',
      'Finish',
    ])
    await page.goto('about:blank')
    await page.goto((await linkFor(['groups'])).url)
    await page.getByText('No provider is connected yet').waitFor()
  })

  it('refuses an expired, revoked, replayed or made-up link with one answer', async () => {
    const [expired, revoked, replayed] = [
      await linkFor(['domain']),
      await linkFor(['domain']),
      await linkFor(['domain']),
    ]
    await orThrow(host.iam.setupLinks.revoke({ linkId: revoked.linkId }, context))
    await orThrow(host.iam.setupLinks.complete({ token: replayed.token }))
    const answers = new Set<string>()
    const open = async (url: string) => {
      await page.goto('about:blank')
      await page.goto(url)
      await page.getByText(OVER).waitFor()
      answers.add(await page.locator('body').innerText())
    }
    await open(revoked.url)
    await open(replayed.url)
    await open(`${host.origin}/set-up/#${'x'.repeat(43)}`)
    await open(`${host.origin}/set-up/`)
    host.at(new Date(Date.now() + 8 * 86_400_000))
    await open(expired.url)
    expect(answers.size).toBe(1)
  })

  it('ends a page that is open when its link is revoked', async () => {
    const { url, linkId } = await linkFor(['domain'])
    await page.goto(url)
    await page.getByLabel('Domain, such as').fill(DOMAIN)
    await orThrow(host.iam.setupLinks.revoke({ linkId }, context))
    await page.getByRole('button', { name: 'Add the domain' }).click()
    await page.getByText(OVER).waitFor()
    expect((await orThrow(host.iam.domains.list({}, context))).items).toEqual([])
  })

  it('gives the holder of a link nothing beyond its intents', async () => {
    const { token } = await linkFor(['domain'])
    const send = (path: string, init: RequestInit = {}, orgId?: string) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(orgId && { 'x-service-orgid': orgId }),
      }
      return fetch(`${host.origin}/set-up/api/${path}`, { ...init, headers })
    }
    const ask = async (...sent: Parameters<typeof send>) => (await send(...sent)).status
    expect(await ask('v1/domains')).toBe(200)
    // Where a provider sends browsers back is for those who may see providers; others learn when the link ends.
    const told = await (await send('setUp?idp_id=any')).json()
    expect(told).toEqual({ expiresAt: expect.stringMatching(/^\d{4}-/) })
    const post = (body: object) => ({ method: 'POST', body: JSON.stringify(body) })
    expect(await ask('v1/domains', {}, 'acme')).toBe(403)
    expect(await ask('v1/idps')).toBe(403)
    expect(await ask('v1/projects')).toBe(403)
    expect(await ask('v1/setupLinks')).toBe(403)
    expect(await ask('v1/history')).toBe(403)
    expect(await ask('v1/projects', post({ name: 'p' }))).toBe(403)
    expect(await ask('v1/setupLinks', post({ expiresAt: nextWeek(), intents: ['groups'] }))).toBe(
      403,
    )
    expect(await ask('users?id=vera')).toBe(403)
    // The token is no session of the console, and a session opens no link.
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${host.origin}/admin/api/v1/domains`, { headers })).status).toBe(401)
    const cookie = { cookie: 'who=vendor' }
    expect((await fetch(`${host.origin}/set-up/api/v1/domains`, { headers: cookie })).status).toBe(
      401,
    )
  })
})
