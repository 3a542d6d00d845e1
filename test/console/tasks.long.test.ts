import { readFileSync } from 'node:fs'
import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context, published } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'
import { fillRealistic, PEOPLE, REALISTIC } from './realistic.js'

const idOf = (name: string) => PEOPLE.find((person) => person.name === name)?.id ?? ''

/** What the guide says, by the task. */
const documented = new Map(
  readFileSync(new URL('../../docs/guides/console.md', import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, task, steps] = /^\| (.+?) \| (\d+) \|$/.exec(line) ?? []
      return task && steps ? [[task, Number(steps)] as const] : []
    }),
)

describe.runIf(hasChromium())('What an admin does by keyboard alone', () => {
  let opened: OpenConsole
  let page: Page
  let steps = 0

  beforeAll(async () => {
    opened = await openConsole(REALISTIC, fillRealistic)
    page = opened.page
  })
  afterAll(() => opened?.close())

  /** A step: going to a control by the tabulator, then pressing a key or typing. */
  const step = async (role: string, name: string | RegExp, key = 'Enter') => {
    steps++
    await opened.tabTo(role, name)
    await page.keyboard.press(key)
  }
  const type = async (role: string, name: string | RegExp, text: string) => {
    steps++
    await opened.tabTo(role, name)
    await page.keyboard.type(text)
  }
  /** Types a part of a name, and picks what is found. */
  const pick = async (label: string, text: string) => {
    await type('combobox', label, text)
    await page.getByRole('option', { name: text }).first().waitFor()
    await page.keyboard.press('Enter')
  }
  const begin = async (path = '') => {
    steps = 0
    await opened.open(path)
  }
  const goTo = async (name: string) => {
    await begin()
    await step('link', name)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await opened.settled()
  }
  const rolesOf = async (name: string) => {
    const { items } = await orThrow(
      opened.host.iam.access.rolesOf({ userId: idOf(name), projectId: 'invoicing' }, context()),
    )
    return items.map(({ roleKey, expiresAt }) => [roleKey, expiresAt?.toISOString().slice(0, 10)])
  }
  const isDocumented = (task: string) => expect([task, documented.get(task)]).toEqual([task, steps])

  it('gives a role to three people until a date', async () => {
    await goTo('Users and roles')
    await step('button', 'Give roles')
    for (const name of ['Jonas Weber', 'Pavel', 'Rosa']) await pick('To', name)
    await pick('Project', 'Invoicing')
    await step('checkbox', /^Dunning/, 'Space')
    await type('textbox', 'Dunning: until', '06302099')
    await step('button', 'Preview')
    await page.getByText('This will change').waitFor()
    await step('button', 'Give roles')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    for (const name of ['Jonas Weber', 'Pavel Novák', 'Rosa Jiménez'])
      expect(await rolesOf(name)).toContainEqual(['dunning', '2099-06-30'])
    isDocumented('Give a role to three people until a date')
  })

  it('sees why a user cannot approve', async () => {
    await goTo('Role matrix')
    await pickProject()
    await pick('User', 'Elif')
    await step('button', /^Elif Yılmaz, Approver: no role/)
    await page.getByText('The role was not given to the user.').waitFor()
    await page.getByText('The roles of the user are inactive.').waitFor()
    isDocumented('See why a user cannot approve')
  })

  const pickProject = async () => {
    steps++
    await page.getByRole('option', { name: 'Invoicing' }).waitFor({ state: 'attached' })
    await opened.tabTo('combobox', 'Project')
    await page.keyboard.type('Inv')
    await page.getByText('Press a cell').or(page.getByText('Who had which role')).waitFor()
  }

  it('gives and takes a role in the matrix', async () => {
    await goTo('Role matrix')
    await pickProject()
    await pick('User', 'Tara')
    await step('button', /^Tara Singh, Clerk: no role/)
    await step('button', 'Give this role')
    await page.getByText('This will change').waitFor()
    await step('button', 'Give this role')
    await page.getByRole('button', { name: 'Tara Singh, Clerk: counts' }).waitFor()
    isDocumented('Give a role in the matrix')
    expect(await rolesOf('Tara Singh')).toContainEqual(['clerk', undefined])
    await goTo('Role matrix')
    await pickProject()
    await pick('User', 'Tara')
    await step('button', /^Tara Singh, Clerk: counts/)
    await step('button', 'Revoke this role')
    await page.getByText('The user loses this role.').waitFor()
    await step('button', 'Revoke this role')
    await page.getByRole('button', { name: 'Tara Singh, Clerk: no role' }).waitFor()
    isDocumented('Take a role in the matrix')
    expect(await rolesOf('Tara Singh')).not.toContainEqual(['clerk', undefined])
  })

  it('takes everything from a leaver', async () => {
    await goTo('Users and roles')
    await step('link', /^Anna Berger/)
    await page.getByRole('heading', { level: 1, name: 'Anna Berger' }).waitFor()
    await opened.settled()
    await step('button', 'Remove all roles')
    const dialog = page.getByRole('dialog', { name: 'Remove all roles of Anna Berger?' })
    await dialog.getByText('Administrator of Invoicing').waitFor()
    await type('textbox', 'Reason', 'Left the company')
    await step('button', 'Remove all roles')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('No role of this user counts now.').waitFor()
    expect(await rolesOf('Anna Berger')).toEqual([])
    isDocumented('Take everything from a leaver')
  })

  it('extends a role that ends', async () => {
    await goTo('Role matrix')
    await pickProject()
    await pick('User', 'Carla')
    await step('button', /^Carla Mendes, Approver: counts/)
    await type('textbox', 'Approver: until', '12312099')
    await step('button', 'Change the expiry')
    await page.getByText('This will change').waitFor()
    await step('button', 'Change the expiry')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => rolesOf('Carla Mendes')).toContainEqual(['approver', '2099-12-31'])
    isDocumented('Extend a role that ends')
  })

  it('compares two moments', async () => {
    await goTo('Access review')
    await pickProject()
    await type('textbox', 'Compare with', '01312020')
    await page.getByText('What has changed in the roles of Invoicing').waitFor()
    await page.getByText('new', { exact: true }).first().waitFor()
    isDocumented('Compare two moments')
  })

  it('exports the review of last month', async () => {
    await goTo('Access review')
    await pickProject()
    const download = page.waitForEvent('download')
    await step('button', 'Export as CSV')
    const file = await download
    expect(file.suggestedFilename()).toMatch(/^Access-review-Invoicing-\d{4}-\d\d-\d\d\.csv$/)
    const [head = '', ...rows] = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n')
    const zone = await page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions().timeZone)
    expect(head).toContain(`Since (${zone})`)
    expect(rows.find((row) => row.startsWith('Ben Okafor,'))).toContain(
      `${idOf('Ben Okafor')},acme,Invoicing,`,
    )
    isDocumented('Export the access review')
  })

  it('finds out who changed the roles of a person', async () => {
    await goTo('Timeline')
    await pick('Person concerned', 'Elif')
    const entries = page.locator('.timeline li')
    await expect.poll(() => entries.count()).toBe(2)
    expect(await entries.first().innerText()).toMatch(/Elif Yılmaz .* by Olivia Chen/)
    isDocumented('Find out who changed the roles of a person')
  })

  it('sees who loses a role before it is removed', async () => {
    await goTo('Projects')
    await step('link', 'Invoicing')
    await page.getByRole('heading', { level: 1, name: 'Invoicing' }).waitFor()
    await opened.settled()
    await step('link', 'Controller')
    await page.getByRole('heading', { level: 1, name: 'Controller' }).waitFor()
    await opened.settled()
    await step('button', 'Remove')
    const dialog = page.getByRole('dialog', { name: 'Remove Controller?' })
    await dialog.getByText(/Users lose/).waitFor()
    await dialog.getByText('Every user with this role loses it.').waitFor()
    await dialog.getByText('Hiro Tanaka').or(dialog.getByText('Ines Ferreira')).first().waitFor()
    isDocumented('See who loses a role before it is removed')
    await page.keyboard.press('Escape')
  })

  it('rotates the secret of a provider', async () => {
    await goTo('Single sign-on')
    await step('link', 'Google')
    await page.getByRole('heading', { level: 1, name: 'Google' }).waitFor()
    await opened.settled()
    await step('button', 'Edit')
    await type('textbox', /^Client secret/, 'a-new-secret')
    await step('button', 'Preview')
    await page.getByText('a new one, which is not shown').first().waitFor()
    await step('button', 'Save')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    isDocumented('Rotate the secret of a provider')
  })

  it('proves a domain, and sets its provider', async () => {
    await goTo('Domains')
    await step('link', 'acme.example')
    await page.getByRole('heading', { level: 1, name: 'acme.example' }).waitFor()
    await opened.settled()
    published.push([await page.getByText('claviger-domain-verification=').first().innerText()])
    await step('button', 'Verify')
    await page.getByText('This will change').waitFor()
    await step('button', 'Verify')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await step('button', 'Edit')
    await pick('Provider', 'Google')
    await step('button', 'Preview')
    await page.getByText('This will change').waitFor()
    await step('button', 'Save')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    isDocumented('Prove a domain, and set its provider')
  })

  it('adds a role to a project', async () => {
    await goTo('Projects')
    await step('link', 'Invoicing')
    await page.getByRole('heading', { level: 1, name: 'Invoicing' }).waitFor()
    await opened.settled()
    await step('button', 'Add')
    await type('textbox', /^Role key/, 'intern')
    await type('textbox', /^Display name/, 'Intern')
    await step('button', 'Preview')
    await page.getByText('This will change').waitFor()
    await step('button', 'Save')
    await page.getByRole('link', { name: 'Intern' }).waitFor()
    isDocumented('Add a role to a project')
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
