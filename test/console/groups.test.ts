import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'
import { fillRealistic, PEOPLE, REALISTIC } from './realistic.js'

const JONAS = PEOPLE[9]

describe.runIf(hasChromium())('Groups in the console, in Chromium', () => {
  let opened: OpenConsole
  let page: Page

  beforeAll(async () => {
    opened = await openConsole(REALISTIC, fillRealistic)
    page = opened.page
  })
  afterAll(() => opened?.close())

  it('give roles in the matrix, to users who have none by hand too', async () => {
    await opened.open('matrix?projectId=invoicing')
    await page
      .getByRole('button', { name: 'newcomer, Accountant: counts, group Finance' })
      .waitFor()
    await page
      .getByRole('button', { name: 'Jonas Weber, Accountant: counts, group Finance' })
      .click()
    const box = page.locator('.beside')
    await box.getByText('it counts.').waitFor()
    await box.getByText('The role comes from the group Finance.').waitFor()
    expect(await box.getByRole('button', { name: 'Revoke this role' }).count()).toBe(0)
    await box.getByRole('link', { name: 'Group with roles' }).click()
    await page.getByRole('heading', { level: 1, name: 'Finance' }).waitFor()
  })

  it('stand in a review, beside what was given by hand', async () => {
    await opened.open('review?projectId=invoicing')
    const row = page.getByRole('row', { name: /newcomer/ })
    expect(await row.innerText()).toMatch(/Accountant\s+group Finance/)
    await page.getByRole('cell', { name: 'given', exact: true }).first().waitFor()
  })

  it('are not left out without a word when they cannot be read', async () => {
    const holders = /role-?holders/i
    await page.route(holders, (route) =>
      route.fulfill({ status: 500, json: { message: 'Out of order' } }),
    )
    await opened.open('matrix?projectId=invoicing')
    await page
      .getByRole('button', { name: /^Jonas Weber, / })
      .first()
      .waitFor()
    await page.getByRole('alert').getByText('Out of order').waitFor()
    await page.unroute(holders)
  })

  it('stand on the page of a user', async () => {
    await opened.open(`user?userId=${JONAS?.id}`)
    const held = page.getByRole('region', { name: 'Roles that count' })
    await held.getByRole('row', { name: /Accountant .* group Finance/ }).waitFor()
    const groups = page.getByRole('region', { name: 'Groups', exact: true })
    expect(await groups.innerText()).toContain('Finance')
    // A group that gives nothing is not kept.
    expect(await groups.innerText()).not.toContain('Everybody')
  })

  it('are added by picking provider, project and roles', async () => {
    await opened.open('mappings')
    await page.getByRole('button', { name: 'Add' }).click()
    const pick = async (label: string, name: string) => {
      await page.getByRole('combobox', { name: label }).fill(name)
      await page.getByRole('option', { name }).click()
    }
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('checkbox').count()).toBe(0)
    // The only provider needs no choice.
    await dialog.locator('.chips').getByText('Google').waitFor()
    await dialog.getByLabel('Group').fill('Auditors')
    await pick('Project', 'Invoicing')
    await dialog.getByRole('checkbox', { name: /^Auditor/ }).check()
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('This will change').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Auditors' }).click()
    await page.getByRole('heading', { level: 1, name: 'Auditors' }).waitFor()
    const { items } = await orThrow(opened.host.iam.roleMappings.list({}, context()))
    expect(items).toContainEqual(
      expect.objectContaining({
        ...{ idpId: 'google', group: 'Auditors', projectId: 'invoicing', projectOrgId: 'acme' },
        roleKeys: ['auditor'],
      }),
    )
  })

  it('gain and lose roles, with a preview of who that is', async () => {
    await opened.open('mapping?idpId=google&group=Finance&projectId=invoicing&projectOrgId=acme')
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: /^Controller/ }).check()
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('Users gain 2 roles:').waitFor()
    await dialog.getByText('Jonas Weber').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.locator('.more > summary').click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByText('Users lose 4 roles:').waitFor()
    await dialog.getByText('All members of the group lose the roles that it gives.').waitFor()
    await page.keyboard.press('Escape')
  })

  it('have their roles from the next sign-in on if a removal is undone, which is said', async () => {
    const ids = { idpId: 'google', group: 'Auditors', projectId: 'invoicing' }
    const { roleMappings } = opened.host.iam
    const before = await orThrow(roleMappings.get(ids, context()))
    await opened.open('mapping?idpId=google&group=Auditors&projectId=invoicing&projectOrgId=acme')
    await page.locator('.more > summary').click()
    await page.getByRole('button', { name: 'Remove' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This will change').waitFor()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone. Roles from groups count again from the next sign-in').waitFor()
    const { roleKeys } = await orThrow(roleMappings.get(ids, context()))
    expect(roleKeys).toEqual(before.roleKeys)
  })

  it('on one resource are led to from the reason of a role', async () => {
    const { roleMappings, memberships } = opened.host.iam
    const resource = 'workspace:43'
    const ids = { idpId: 'google', group: 'Readers', projectId: 'invoicing', resource }
    await orThrow(roleMappings.add({ ...ids, roleKeys: ['auditor'] }, context()))
    const report = { idpId: 'google', userId: 'newcomer', groups: ['Finance', 'Readers'] }
    await orThrow(memberships.report(report, context()))
    await opened.open('user?userId=newcomer')
    const held = page.getByRole('row', { name: /workspace:43/ })
    await held.getByRole('button', { name: /Auditor/ }).click()
    await page.locator('.beside').getByRole('link', { name: 'Group with roles' }).click()
    await page.getByRole('heading', { level: 1, name: 'Readers' }).waitFor()
    await page.getByText('Invoicing · workspace:43').first().waitFor()
  })

  it('on one resource are removed in the guided set-up, and those of the whole project stay', async () => {
    const { roleMappings } = opened.host.iam
    const ids = { idpId: 'google', group: 'Editors', projectId: 'invoicing' }
    const onOne = { ...ids, resource: 'workspace:42' }
    for (const each of [ids, onOne])
      await orThrow(roleMappings.add({ ...each, roleKeys: ['auditor'] }, context()))
    await opened.open('set-up')
    await page.getByRole('button', { name: 'Google', exact: true }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'Invoicing · workspace:42' }).last()
    await row.getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await roleMappings.get(onOne, context())).isErr()).toBe(true)
    expect((await roleMappings.get(ids, context())).isOk()).toBe(true)
  })

  it('are taken from a user who has roles by them alone', async () => {
    await opened.open('user?userId=newcomer')
    await page.getByRole('button', { name: 'Remove all roles' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Accountant · Invoicing').waitFor()
    await dialog.getByRole('button', { name: 'Remove all roles' }).click()
    await page.getByText('newcomer has no roles any more.').waitFor()
    const held = await orThrow(opened.host.iam.access.rolesOf({ userId: 'newcomer' }, context()))
    expect(held.items).toEqual([])
  })

  it('are taken from a user with all roles, which is said before', async () => {
    const onOne = { projectId: 'invoicing', resource: 'workspace:44' }
    const roles = [{ roleKey: 'auditor' }]
    const given = { userId: JONAS?.id ?? '', ...onOne, roles }
    await orThrow(opened.host.iam.userGrants.give(given, context()))
    await opened.open(`user?userId=${JONAS?.id}`)
    const groups = page.getByRole('region', { name: 'Groups', exact: true })
    await groups.getByText('Finance').waitFor()
    await page.getByRole('button', { name: 'Remove all roles' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.innerText()).toContain('groups')
    expect(await dialog.innerText()).toContain('Auditor · Invoicing · workspace:44')
    await dialog.getByRole('button', { name: 'Remove all roles' }).click()
    await groups.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone. Roles from groups count again from the next sign-in').waitFor()
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
