import { readFileSync } from 'node:fs'
import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasChromium, openContext } from '../chromium.js'
import { realProvider } from '../oidc/real-provider.js'
import { context } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'
import { realKeys } from './real-keys.js'
import { fillRealistic, PEOPLE, REALISTIC } from './realistic.js'
import { openVendor, vendor } from './set-up-host.js'

const DAY = 24 * 60 * 60 * 1000
const idOf = (name: string) => PEOPLE.find((person) => person.name === name)?.id ?? ''
const projectId = 'invoicing'

const ORGANIZATIONS = [
  { id: 'acme', name: 'Acme Inc.' },
  { id: 'globex', name: 'Globex GmbH' },
  { id: 'initech', name: 'Initech Ltd.' },
]

describe.runIf(hasChromium())('By real keys, without a mouse, an id, a key or JSON', () => {
  let opened: OpenConsole
  let page: Page
  let keys: ReturnType<typeof realKeys>

  beforeAll(async () => {
    const organizations = {
      describe: async (ids: readonly string[]) =>
        ORGANIZATIONS.filter(({ id }) => ids.includes(id)),
      find: async (text: string) =>
        ORGANIZATIONS.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())),
    }
    opened = await openConsole({ ...REALISTIC, organizations }, async (iam, by) => {
      await fillRealistic(iam, by)
      const secretExpiresAt = new Date(Date.now() + 5 * DAY).toISOString()
      await orThrow(iam.identityProviders.configureSignIn({ idpId: 'google', secretExpiresAt }, by))
    })
    page = opened.page
  })
  afterAll(() => opened?.close())
  beforeEach(async () => {
    await opened.open('')
    keys = realKeys(page)
  })
  afterEach(({ task }) => {
    if (process.env['SHOW_KEYS']) process.stdout.write(`${keys.count()} keys: ${task.name}\n`)
  })

  const holders = async (roleKey: string) => {
    const { items } = await orThrow(
      opened.host.iam.access.whoHas({ projectId, roleKey }, context()),
    )
    return items.map(({ userId }) => userId)
  }
  const dialog = () => page.getByRole('dialog')
  const previewed = () => dialog().getByText('This will change').waitFor()

  it('1: a user gets a role for two weeks, by 30', async () => {
    await keys.goTo('ben', 'Ben Okafor')
    await keys.walk('Give roles')
    await keys.press('Enter')
    await dialog().waitFor()
    await keys.type('inv')
    await keys.press('Enter')
    await dialog().getByRole('checkbox').first().waitFor()
    await keys.walk('Find a role')
    await keys.type('acc')
    await keys.walk(/^Accountant/)
    await keys.press('Space')
    await keys.walk('Accountant: end')
    await keys.press('ArrowDown', 'ArrowDown', 'Shift+Tab', 'Enter')
    await previewed()
    await keys.press('Enter')
    await keys.succeeded('One user got the roles.')
    const of = { userId: idOf('Ben Okafor'), projectId }
    const { items } = await orThrow(opened.host.iam.access.rolesOf(of, context()))
    const end = items.find(({ roleKey }) => roleKey === 'accountant')?.expiresAt
    const days = ((end?.getTime() ?? 0) - Date.now()) / DAY
    expect(days).toBeGreaterThan(13)
    expect(days).toBeLessThan(15.1)
    expect(keys.count()).toBeLessThanOrEqual(30)
  })

  it('2: three users lose a role together, by 60', async () => {
    const before = await holders('payer')
    await keys.goTo('users', 'Users and roles')
    await keys.walk('Find a name, an address or a role')
    await keys.type('payment')
    await expect.poll(() => page.locator('.people tbody tr').count()).toBe(before.length)
    await keys.walk(/^Select (?!all)/)
    await keys.press('Space', 'ArrowDown', 'Space', 'ArrowDown', 'Space')
    await page.getByText('3 chosen').waitFor()
    await keys.walk('Take roles', 'Shift+Tab')
    await keys.press('Enter')
    await dialog().waitFor()
    await keys.walk('Project')
    await keys.type('inv')
    await keys.press('Enter')
    await dialog().getByRole('checkbox').first().waitFor()
    await keys.walk('Find a role')
    await keys.type('run')
    await keys.walk(/^Payment run/)
    await keys.press('Space', 'Enter')
    await previewed()
    expect(await dialog().getByText('taken').count()).toBe(3)
    await keys.press('Enter')
    await keys.succeeded('3 users lost the roles.')
    expect(await holders('payer')).toHaveLength(before.length - 3)
    expect(keys.count()).toBeLessThanOrEqual(60)
    await keys.press('Control+z')
    await expect.poll(() => holders('payer')).toEqual(before)
  })

  it('3: why a user may approve, since when, by whom and for which reason, by 40', async () => {
    await keys.goTo('quinn', 'Quinn Taylor')
    await keys.walk('Why Approver counts')
    await keys.press('Enter')
    const said = page.locator('.beside')
    await said.getByText('Quinn Taylor has the role Approver, and it counts.').waitFor()
    await said.getByText('by Ben Okafor').first().waitFor()
    await said.getByText('Ticket 4716').waitFor()
    await keys.press('Escape')
    expect(await keys.focused()).toBe('Why Approver counts')
    const row = page.locator('.held tbody tr', { hasText: 'invoice.approve' }).first()
    expect(await row.innerText()).toContain(String(new Date().getFullYear()))
    expect(keys.count()).toBeLessThanOrEqual(40)
  })

  it('4: who could approve on a day, as CSV, by 30', async () => {
    await keys.goTo('rev', 'Access review')
    await keys.walk(/^Project/)
    await page.getByRole('option', { name: /^I/ }).first().waitFor({ state: 'attached' })
    await keys.type('I')
    await page.getByText('Who had which role').waitFor()
    await keys.walk('Role or permission')
    await keys.type('approve')
    await page.getByRole('option', { name: /^invoice\.approve Permission/ }).waitFor()
    await keys.press('ArrowDown', 'ArrowDown', 'Enter')
    await keys.walk('At')
    const today = new Date()
    await keys.type(`${today.getMonth() + 1}`.padStart(2, '0'))
    await keys.type(`${today.getDate()}`.padStart(2, '0'))
    await page.getByText('Who had which role').waitFor()
    await keys.walk('Export as CSV')
    const download = page.waitForEvent('download')
    await keys.press('Enter')
    const file = await download
    const [, ...rows] = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(rows.length).toBeGreaterThan(1)
    for (const row of rows) {
      expect(row).toContain('invoice.approve')
      expect(row).toContain('@acme.example')
    }
    expect(keys.count()).toBeLessThanOrEqual(30)
  })

  it('6: a group gives two roles, by 45', async () => {
    await keys.goTo('group', 'Groups')
    await keys.walk('Add')
    await keys.press('Enter')
    await dialog().waitFor()
    await keys.walk(/^Group/)
    await keys.type('Ledger')
    await keys.walk('Project')
    await keys.type('inv')
    await keys.press('Enter')
    await dialog().getByRole('checkbox').first().waitFor()
    await keys.walk('Find a role')
    await keys.type('o')
    await keys.walk(/^Controller/)
    await keys.press('Space')
    await keys.walk(/^Accountant/, 'Shift+Tab')
    await keys.press('Space', 'Enter')
    await previewed()
    for (const part of ['Ledger', 'Google', 'Invoicing'])
      expect(await dialog().innerText()).toContain(part)
    await keys.press('Enter')
    await keys.succeeded('Saved.')
    const { items } = await orThrow(opened.host.iam.roleMappings.list({}, context()))
    const mapped = items.find(({ group }) => group === 'Ledger')
    expect([...(mapped?.roleKeys ?? [])].toSorted()).toEqual(['accountant', 'controller'])
    expect(keys.count()).toBeLessThanOrEqual(45)
  })

  it('7: a client secret that expires soon is changed, with its next end, by 60', async () => {
    await page.getByText('The client secret of Google expires').waitFor()
    await keys.walk('Skip to content')
    await keys.press('Enter')
    await keys.walk(/^The client secret of Google expires/)
    await keys.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Google' }).waitFor()
    await opened.settled()
    await keys.walk('Change the client secret')
    await keys.press('Enter')
    await dialog().waitFor()
    await keys.type('another-secret')
    await keys.press('Enter')
    await previewed()
    await keys.press('Enter')
    await keys.succeeded('Saved.')
    await opened.settled()
    await keys.walk('Sign-in settings')
    await keys.press('Enter')
    await dialog().waitFor()
    await keys.type('03312099')
    await keys.press('Enter')
    await previewed()
    await keys.press('Enter')
    await keys.succeeded('Saved.')
    const google = await orThrow(
      opened.host.iam.identityProviders.get({ idpId: 'google' }, context()),
    )
    expect(google.signIn?.secretExpiresAt).toMatch(/^2099-03-31/)
    await opened.open('')
    expect(await page.getByText('The client secret of Google').count()).toBe(0)
    expect(keys.count()).toBeLessThanOrEqual(60)
  })

  it('8: a role is removed, by 60, and given back to all by one more', async () => {
    const before = await holders('controller')
    await keys.goTo('inv', 'Invoicing')
    await keys.walk('Filter')
    await keys.type('contr')
    await expect.poll(() => page.getByRole('link', { name: 'Controller' }).count()).toBe(1)
    await keys.walk('Controller')
    await keys.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Controller' }).waitFor()
    await opened.settled()
    await keys.walk('More')
    await keys.press('Enter')
    await keys.walk('Remove')
    await keys.press('Enter')
    await dialog()
      .getByText(/Users lose/)
      .waitFor()
    await keys.walk('Remove')
    await keys.press('Enter')
    await keys.succeeded('Controller was removed.')
    expect(await holders('controller')).toEqual([])
    expect(keys.count()).toBeLessThanOrEqual(60)
    await keys.press('Control+z')
    await page.locator('.status').getByText('Undone.').waitFor()
    expect(await holders('controller')).toEqual(before)
  })

  it('9: somebody leaves, and it is seen, by 60', async () => {
    await keys.goTo('daniela', 'Daniela Popescu')
    await keys.walk('Remove all roles')
    await keys.press('Enter')
    await dialog().waitFor()
    await keys.walk(/^Reason/)
    await keys.type('Left the company')
    await keys.press('Enter')
    await keys.succeeded('Daniela Popescu has no roles any more.')
    await page.getByText('No role of this user counts now.').waitFor()
    await page.getByText('Left the company').first().waitFor()
    expect(keys.count()).toBeLessThanOrEqual(60)
  })

  it('10: what changed yesterday evening, by 30', async () => {
    await keys.goTo('timel', 'Timeline')
    await keys.walk(/^Period/)
    await keys.press('ArrowDown', 'ArrowDown', 'ArrowDown')
    await expect.poll(() => page.url()).toContain('from=')
    await page.getByText('No recorded change matches.').waitFor()
    await keys.press('ArrowUp', 'ArrowUp')
    await page.locator('.timeline li').first().waitFor()
    const from = new Date(new URL(page.url()).searchParams.get('from') ?? '')
    expect(Date.now() - from.getTime()).toBeLessThan(DAY)
    expect(keys.count()).toBeLessThanOrEqual(30)
  })

  it('11: an adviser gets one project with two roles, and sees just these, by 60', async () => {
    await keys.goTo('inv', 'Invoicing')
    await keys.walk('Grant the project')
    await keys.press('Enter')
    await dialog().waitFor()
    await keys.type('glo')
    await dialog().getByRole('option', { name: 'Globex GmbH' }).waitFor()
    await keys.press('Enter')
    await keys.walk('Find a role')
    await keys.type('a')
    await keys.walk(/^Auditor/)
    await keys.press('Space')
    await keys.walk(/^Tax/, 'Shift+Tab')
    await keys.press('Space', 'Enter')
    await previewed()
    expect(await dialog().innerText()).toContain('Globex GmbH')
    await keys.press('Enter')
    await keys.succeeded('Saved.')
    expect(keys.count()).toBeLessThanOrEqual(60)
    await opened.open('', 'globex')
    await keys.goTo('inv', 'Role matrix')
    const chosen = page.getByRole('combobox', { name: 'Project' })
    await expect
      .poll(() => chosen.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text))
      .toBe('Invoicing · Acme Inc.')
    await keys.walk('Give roles')
    await keys.press('Enter')
    await dialog().getByRole('checkbox').first().waitFor()
    expect(await dialog().getByRole('checkbox').count()).toBe(2)
  })

  it('12: two admins change one role, and none undoes the other, by 20', async () => {
    await opened.open('role?projectId=invoicing&roleKey=bank')
    await keys.walk('Edit', 'Shift+Tab')
    await keys.press('Enter')
    await dialog().waitFor()
    const of = { projectId, roleKey: 'bank' }
    await orThrow(
      opened.host.iam.projectRoles.patch({ ...of, displayName: 'Accounts at banks' }, context()),
    )
    await keys.walk(/^Group/)
    await keys.press('Control+a')
    await keys.type('Money')
    await keys.press('Enter')
    await previewed()
    await keys.press('Enter')
    await keys.succeeded('Saved.')
    const role = await orThrow(opened.host.iam.projectRoles.get(of, context()))
    expect(role).toMatchObject({ displayName: 'Accounts at banks', group: 'Money' })
    expect(keys.count()).toBeLessThanOrEqual(20)
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})

describe.runIf(hasChromium())('With a set-up link, by real keys', () => {
  it('5: the IT of a customer connects single sign-on, by 200', async () => {
    const host = await openVendor()
    const customer = await openContext()
    const page = await customer.newPage()
    const keys = realKeys(page)
    const expiresAt = new Date(Date.now() + 7 * DAY)
    const intents = ['domain', 'provider', 'groups'] as const
    const { token } = await orThrow(
      host.iam.setupLinks.issue({ expiresAt, intents }, { caller: vendor }),
    )
    const enter = async (name: string | RegExp, text: string) => {
      await keys.walk(name)
      await keys.type(text)
    }
    const pressOn = async (name: string | RegExp) => {
      await keys.walk(name)
      await keys.press('Enter')
    }
    await page.goto(`${host.origin}/set-up/#${token}`)
    await page.getByRole('radio').first().waitFor()
    await keys.walk('Microsoft Entra ID')
    await keys.press('ArrowDown', 'ArrowDown', 'ArrowDown')
    const redirectUri = await page.locator('.guide code').innerText()
    const secret = 'SecretOfTheCustomer'
    const provider = await realProvider(
      [{ client_id: 'invoicing', client_secret: secret, redirect_uris: [redirectUri] }],
      {
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
        findAccount: (_, id) => ({
          accountId: id,
          claims: () => ({ sub: id, groups: ['everybody', 'finance'] }),
        }),
      },
    )
    // Pasted, like all that is copied from the page of the provider.
    const paste = async (name: string | RegExp, text: string) => {
      await keys.walk(name)
      await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
      await keys.press('Control+v')
    }
    await customer.grantPermissions(['clipboard-read', 'clipboard-write'])
    // A mistake first, which is mended.
    await paste(/^Issuer/, provider.issuer)
    await paste('Client ID', 'invoicing')
    await paste('Client secret', 'not-the-secret')
    await keys.press('Enter')
    await page.getByText('Keycloak is connected.').waitFor()
    await pressOn('Run the test')
    await page.locator('.checks .failed').waitFor()
    await keys.walk('Edit', 'Shift+Tab')
    await keys.press('Enter')
    await page.getByLabel('Client secret').waitFor()
    expect(await page.locator('.guide code').innerText()).toBe(redirectUri)
    await paste('Client secret', secret)
    await keys.press('Enter')
    await page.getByRole('button', { name: 'Edit' }).waitFor()
    await pressOn('Run the test')
    await page.locator('.checks').waitFor()
    expect(await page.locator('.checks .failed').count()).toBe(0)
    await keys.walk('Sign in with it')
    const opening = customer.waitForEvent('page')
    await keys.press('Enter')
    const other = await opening
    await other.locator('input[name="login"]').fill('ann')
    await other.locator('input[name="password"]').fill('any')
    await other.locator('button[type="submit"]').click()
    await other.locator('button[type="submit"]').click()
    await other.waitForURL(/\/callback\//)
    await other.close()
    await page.bringToFront()
    await enter(/^Domain, such/, 'globex.example')
    await keys.press('Enter')
    await page.locator('.record').waitFor()
    const [name = '', , value = ''] = await page.locator('.record code').allInnerTexts()
    host.dns.set(name, value)
    await keys.walk('Check the record', 'Shift+Tab')
    await keys.press('Enter')
    await page.getByText('globex.example is proven.').waitFor()
    await enter('Group', 'finance')
    await keys.walk('Accountant')
    await keys.press('Space', 'Enter')
    await page.getByText('finance has Accountant of Invoicing').waitFor()
    await pressOn('Switch Keycloak on')
    await page.getByRole('button', { name: 'Switch on for globex.example' }).waitFor()
    await pressOn('Switch on for globex.example')
    await page.getByText('On: people with addresses of globex.example').waitFor()
    await pressOn('Finish')
    await page.getByRole('dialog').waitFor()
    expect(await page.getByRole('dialog').getByText('not done yet').count()).toBe(0)
    await pressOn('Finish')
    await page.getByText('All done').waitFor()
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true)
    if (process.env['SHOW_KEYS']) process.stdout.write(`${keys.count()} keys: 5\n`)
    expect(keys.count()).toBeLessThanOrEqual(200)
    const route = await orThrow(host.iam.domains.route({ email: 'somebody@globex.example' }))
    expect(route?.idpId).toBe(redirectUri.split('/').at(-1))
    await provider.close()
    await customer.close()
    await host.close()
  })
})
