import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context, published } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'
import { fillRealistic, PEOPLE, REALISTIC } from './realistic.js'

const idOf = (name: string) => PEOPLE.find((person) => person.name === name)?.id ?? ''

describe.runIf(hasChromium())('What an admin does by keyboard alone', () => {
  let opened: OpenConsole
  let page: Page

  beforeAll(async () => {
    opened = await openConsole(REALISTIC, fillRealistic)
    page = opened.page
  })
  afterAll(() => opened?.close())

  /** A step: going to a control by the tabulator, then pressing a key or typing. */
  const step = async (role: string, name: string | RegExp, key = 'Enter') => {
    await opened.tabTo(role, name)
    await page.keyboard.press(key)
  }
  const type = async (role: string, name: string | RegExp, text: string) => {
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

  it('sees why a user cannot approve', async () => {
    await goTo('Role matrix')
    await pickProject()
    await pick('User', 'Elif')
    await cell(/^Elif Yılmaz, Approver: no role/)
    await page.getByText('The role was not given to the user.').waitFor()
    await page.getByText('The roles of the user are inactive.').waitFor()
  })

  /** Goes to a cell of the matrix, whose only user was chosen, by arrows. */
  const cell = async (name: RegExp) => {
    await page.getByRole('button', { name }).waitFor()
    await opened.tabTo('link', new RegExp(name.source.split(',')[0] ?? ''))
    for (let moves = 0; moves < 20; moves++) {
      await page.keyboard.press('ArrowRight')
      const label = await page.evaluate(() => document.activeElement?.ariaLabel)
      if (label && name.test(label)) return page.keyboard.press('Enter')
    }
    throw new Error(`No cell ${name}`)
  }

  const pickProject = async () => {
    await page.getByRole('option', { name: 'Invoicing' }).waitFor({ state: 'attached' })
    await opened.tabTo('combobox', 'Project')
    await page.keyboard.type('Inv')
    await page.getByText('Press a cell').or(page.getByText('Who had which role')).waitFor()
  }

  it('gives and takes a role in the matrix', async () => {
    await goTo('Role matrix')
    await pickProject()
    await pick('User', 'Tara')
    await cell(/^Tara Singh, Clerk: no role/)
    await step('button', 'Give this role')
    await page.getByText('This will change').waitFor()
    await step('button', 'Give roles')
    await page.getByRole('button', { name: 'Tara Singh, Clerk: counts' }).waitFor()
    expect(await rolesOf('Tara Singh')).toContainEqual(['clerk', undefined])
    await goTo('Role matrix')
    await pickProject()
    await pick('User', 'Tara')
    await cell(/^Tara Singh, Clerk: counts/)
    await step('button', 'Revoke this role')
    await page.getByText('This will change').waitFor()
    await step('button', 'Take roles')
    await page.getByRole('button', { name: 'Tara Singh, Clerk: no role' }).waitFor()
    expect(await rolesOf('Tara Singh')).not.toContainEqual(['clerk', undefined])
  })

  it('extends a role that ends', async () => {
    await goTo('Role matrix')
    await pickProject()
    await pick('User', 'Carla')
    await cell(/^Carla Mendes, Approver: counts/)
    await type('combobox', 'Approver: end', 'no')
    await step('button', 'Change the expiry')
    await page.getByText('This will change').waitFor()
    await step('button', 'Give roles')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => rolesOf('Carla Mendes')).toContainEqual(['approver', undefined])
  })

  it('compares two moments', async () => {
    await goTo('Access review')
    await pickProject()
    await page.getByText('More filters').press('Enter')
    await type('textbox', 'Compare with', '01312020')
    await page.getByText('What has changed in the roles of Invoicing').waitFor()
    await page.getByText('new', { exact: true }).first().waitFor()
  })

  it('finds out who changed the roles of a person', async () => {
    await goTo('Timeline')
    await pick('Person concerned', 'Elif')
    const entries = page.locator('.timeline li')
    await expect.poll(() => entries.count()).toBe(2)
    const first = entries.first()
    await expect.poll(() => first.innerText()).toMatch(/Elif Yılmaz .* by Olivia Chen/)
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
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
