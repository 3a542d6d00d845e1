import { orThrow } from 'claviger'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'

const ORGANIZATIONS = [
  { id: 'acme', name: 'Acme Inc.' },
  { id: 'globex', name: '<b>Globex</b>' },
]

describe.runIf(hasChromium())('Support in the console', () => {
  let opened: OpenConsole

  beforeAll(async () => {
    const describe = async (ids: readonly string[]) =>
      [...ORGANIZATIONS, { id: 'susan', name: 'Susan' }].filter(({ id }) => ids.includes(id))
    opened = await openConsole({
      users: { describe, find: async () => [] },
      organizations: {
        describe,
        choices: ({ caller }) => (caller.userId === 'susan' ? ORGANIZATIONS : []),
      },
      areas: ({ caller }) => (caller.userId === 'susan' ? ['projects', 'users'] : ['users']),
    })
    const globex = { id: 'books', name: 'Books of Globex' }
    await orThrow(opened.host.iam.projects.add(globex, context('globex')))
  })
  afterAll(() => opened?.close())

  it('looks into another organization, under a banner that leads back', async () => {
    const { page, open, settled } = opened
    await open('projects', 'support')
    await page.getByRole('link', { name: 'Portal' }).waitFor()
    expect(await page.locator('.leave').innerText()).toContain('Susan')
    await page
      .getByRole('combobox', { name: 'Organization' })
      .selectOption({ label: '<b>Globex</b>' })
    await page.locator('.acting').getByText('You work in <b>Globex</b>.').waitFor()
    await page.getByRole('link', { name: 'Projects' }).first().click()
    await page.getByRole('link', { name: 'Books of Globex' }).waitFor()
    expect(await page.getByRole('link', { name: 'Portal' }).count()).toBe(0)
    // It stays until it is left, in this window.
    await page.reload()
    await settled()
    await page.getByRole('link', { name: 'Books of Globex' }).waitFor()
    await page.getByRole('button', { name: 'Back to your organization' }).click()
    await page.locator('.acting').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Projects' }).first().click()
    await page.getByRole('link', { name: 'Portal' }).waitFor()
  })

  it('sees the parts that the host shows, and others see theirs', async () => {
    const { page, open } = opened
    const menu = () => page.locator('#menu a').allInnerTexts()
    await open('', 'support')
    expect(await menu()).toEqual([
      'Overview',
      'Users and roles',
      'Role matrix',
      'Grants',
      'Projects',
    ])
    await open('projects')
    await page.getByText('Page not found').waitFor()
    expect(await menu()).toEqual(['Overview', 'Users and roles', 'Role matrix', 'Grants'])
    expect(await page.getByRole('combobox', { name: 'Organization' }).count()).toBe(0)
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
