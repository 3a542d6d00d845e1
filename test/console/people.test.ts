import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'
import { fillRealistic, PEOPLE, REALISTIC } from './realistic.js'

const ORGANIZATIONS = new Map([
  ['acme', 'Acme Inc.'],
  ['globex', 'Globex GmbH'],
])

describe.runIf(hasChromium())('People in the console, in Chromium', () => {
  let opened: OpenConsole
  let page: Page
  const idOf = (name: string) => PEOPLE.find((person) => person.name === name)?.id ?? ''
  const rows = () => page.locator('.people tbody tr')
  const namesOf = () => page.locator('.people tbody th bdi:not(.id)').allInnerTexts()
  const search = (text: string) =>
    page.getByRole('searchbox', { name: 'Find a name, an address or a role' }).fill(text)

  beforeAll(async () => {
    const organizations = {
      describe: async (ids: readonly string[]) =>
        ids.map((id) => ({ id, name: ORGANIZATIONS.get(id) ?? id })),
    }
    opened = await openConsole({ ...REALISTIC, organizations }, async (iam, by) => {
      await fillRealistic(iam, by)
      const received = {
        projectId: 'invoicing',
        grantedOrgId: 'globex',
        roleKeys: ['viewer', 'tax'],
      }
      await orThrow(iam.projectGrants.add(received, context()))
      // A project of the adviser's own, with the same id.
      await orThrow(iam.projects.add({ id: 'invoicing', name: 'Own books' }, context('globex')))
      const roles = [{ roleKey: 'tax' }]
      const given = { userId: idOf('Dmitri Volkov'), projectId: 'invoicing', roles }
      await orThrow(iam.userGrants.add({ ...given, projectOrgId: 'acme' }, context('globex')))
    })
    page = opened.page
  })
  afterAll(() => opened?.close())

  it('have one line each, whether roles come from a grant, from a group, or from both', async () => {
    await opened.open('users')
    const names = await namesOf()
    expect(new Set(names).size).toBe(names.length)
    const { items } = await orThrow(opened.host.iam.access.users({ pageSize: 1000 }, context()))
    expect(names).toHaveLength(items.length)
    const jonas = await rows().filter({ hasText: 'Jonas Weber' }).innerText()
    expect(jonas).toContain('Accountant')
    expect(jonas).toContain('group Finance')
    expect(jonas).toContain('Payment run')
  })

  it.each([
    ['marta kow', ['Marta Kowalska']],
    ['liam@acme', ['Liam O’Brien']],
    [idOf('Tara Singh'), ['Tara Singh']],
  ])('are found by %s', async (text, found) => {
    await opened.open('users')
    await search(text)
    await expect.poll(namesOf).toEqual(found)
  })

  it('are found by a role, and by the project', async () => {
    await opened.open('users')
    await search('payment run')
    const { items } = await orThrow(
      opened.host.iam.access.whoHas({ projectId: 'invoicing', roleKey: 'payer' }, context()),
    )
    await expect.poll(() => rows().count()).toBe(items.length)
    await search('')
    await page.getByLabel('Project').selectOption({ label: 'Portal' })
    await expect.poll(namesOf).toEqual(['anna', 'carla'])
  })

  it('with a role come first on its page', async () => {
    await opened.open('role?projectId=invoicing&roleKey=tax')
    const text = await page.locator('main').innerText()
    const places = ['Who has it', 'Greta Lindqvist', 'Globex GmbH', 'Display name', 'History']
    const found = places.map((each) => text.indexOf(each))
    expect(found.every((at) => at >= 0)).toBe(true)
    expect(found.toSorted((one, other) => one - other)).toEqual(found)
  })

  it('of a granted project are reviewed by its adviser, and no others', async () => {
    await opened.open('review', 'globex')
    await page.getByLabel('Project').selectOption({ label: 'Invoicing · Acme Inc.' })
    await page.getByText('Who had which role of Invoicing · Acme Inc.').waitFor()
    const holders = page.locator('.wide tbody tr')
    await expect.poll(() => holders.count()).toBe(1)
    const shown = await holders.first().innerText()
    for (const part of ['Dmitri Volkov', 'Globex GmbH', 'Tax consultant'])
      expect(shown).toContain(part)
    await page.getByRole('combobox', { name: 'Role or permission' }).fill('invoice.read')
    await page.keyboard.press('Enter')
    await page.getByText('Nobody had a role of this project at this time.').waitFor()
    await page.getByLabel('Project').selectOption({ label: 'Own books' })
    await page.getByText('Who had which role of Own books').waitFor()
  })

  it('get a role of a granted project from its adviser, beside a project of the same id', async () => {
    await opened.open('users', 'globex')
    await rows().getByText('Invoicing · Acme Inc.').waitFor()
    await page.getByRole('button', { name: 'Give roles' }).click()
    await page.getByRole('combobox', { name: 'To' }).fill('Greta')
    await page.getByRole('option', { name: 'Greta Lindqvist' }).click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'Project' }).fill('Invoicing')
    await page.getByRole('dialog').getByRole('option', { name: 'Invoicing · Acme Inc.' }).click()
    await page.getByRole('checkbox', { name: /^Tax consultant/ }).check()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('This will change').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Give roles' }).click()
    await page.getByRole('link', { name: 'Greta Lindqvist' }).waitFor()
    const held = { userId: idOf('Greta Lindqvist'), projectId: 'invoicing', roleKey: 'tax' }
    const { allowed } = await orThrow(
      opened.host.iam.access.check({ ...held, projectOrgId: 'acme' }, context('globex')),
    )
    expect(allowed).toBe(true)
  })

  it('get a role on one resource, which counts nowhere else', async () => {
    const userId = idOf('Farid Rahimi')
    const cell = page.getByRole('button', { name: /^Farid Rahimi, Payment run: / })
    await opened.open(`user?userId=${userId}`)
    await page.getByRole('button', { name: 'Give roles' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Project' }).fill('Invoicing')
    await dialog.getByRole('option', { name: 'Invoicing' }).click()
    await dialog.getByRole('checkbox', { name: /^Payment run/ }).check()
    await dialog.getByText('On one resource only').click()
    await dialog.getByLabel('Resource').fill('branch/42')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('Invoicing · branch/42').waitFor()
    await dialog.getByRole('button', { name: 'Give roles' }).click()
    await page.getByRole('link', { name: 'Role matrix: Invoicing · branch/42' }).click()
    expect(await cell.getAttribute('aria-label')).toContain('counts')
    await cell.click()
    await page.getByText('Farid Rahimi has the role Payment run, and it counts.').waitFor()
    await opened.open(`matrix?projectId=invoicing&userId=${userId}`)
    expect(await cell.getAttribute('aria-label')).toContain('no role')
    await opened.open('users')
    await search('farid')
    await rows().getByText('Payment run on branch/42').waitFor()
    await opened.open('review?projectId=invoicing&permission=payment.run')
    const holder = page.locator('.wide tbody tr').filter({ hasText: 'Farid Rahimi' })
    expect(await holder.innerText()).toContain('branch/42')
    await opened.open('grants')
    await page.getByRole('link', { name: 'Invoicing · branch/42' }).click()
    await page.getByRole('heading', { level: 1, name: 'Farid Rahimi' }).waitFor()
    const asked = { userId, projectId: 'invoicing', roleKey: 'payer', resource: 'branch/42' }
    const counts = async () => {
      const checked = await orThrow(opened.host.iam.access.check(asked, context()))
      return checked.allowed
    }
    await page.locator('.more > summary').click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByText('This will change').waitFor()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await counts()).toBe(false)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(counts).toBe(true)
  })

  it('are reached on a phone by the button of the menu', async () => {
    await page.setViewportSize({ width: 360, height: 640 })
    await opened.open('')
    const link = page.getByRole('link', { name: 'Users and roles' })
    expect(await link.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Menu' }).click()
    await link.click()
    await rows().first().waitFor()
    expect(await link.isVisible()).toBe(false)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBe(360)
    await page.setViewportSize({ width: 1280, height: 720 })
  })

  it('break no policy', () => expect(opened.complaints).toEqual([]))
})
