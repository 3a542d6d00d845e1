import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'

/** Names that are words of the program, or look like its values. */
const NAMES = ['true', 'STATE_ACTIVE', 'pending', 'constructor', '2027-01-31T00:00:00Z']

describe.runIf(hasChromium())('Odd input to the console, in Chromium', () => {
  let opened: OpenConsole
  let page: Page

  beforeAll(async () => {
    opened = await openConsole()
    page = opened.page
  })
  afterAll(() => opened?.close())

  it.each(NAMES)('the name %s is shown as it is', async (name) => {
    const { iam } = opened.host
    const id = `odd${NAMES.indexOf(name)}`
    await orThrow(iam.projects.add({ id, name }, context()))
    await opened.open(`project?id=${id}`)
    expect(await page.locator('h1 > bdi').innerText()).toBe(name)
    expect(await page.locator('.facts dd').first().innerText()).toBe(name)
    const inHistory = page.locator('.timeline .changes div', { hasText: 'Name' }).locator('ins')
    expect(await inHistory.innerText()).toBe(name)
  })

  it.each([
    'timeline?from=garbage&to=__proto__&types=constructor',
    'review?projectId=portal&at=garbage',
    'project?id=portal&at=garbage',
    'project?id=',
    'matrix?projectId=constructor',
    'role?projectId=portal&roleKey=__proto__',
  ])('a URL that says nothing, %s, leads to a page that says so', async (path) => {
    await opened.open(path)
    await page.locator('h1').waitFor()
    await page.locator('[role=alert], .empty').first().waitFor()
  })

  it('a filter, a state and an order that are not offered are left out', async () => {
    await opened.open('projects?by=constructor&filter=Port&state=__proto__&order=garbage')
    await page.getByRole('link', { name: 'Portal', exact: true }).waitFor()
    expect(await page.locator('[role=alert]').count()).toBe(0)
  })

  it.each([
    ['spaces around it', '  spaced '],
    ['a line break', 'viewer\nadmin'],
    ['a time at its end', 'guest 2027-01-31T00:00Z'],
  ])('a role key with %s stays as it is through a form', async (name, roleKey) => {
    const { iam } = opened.host
    await orThrow(
      iam.projectRoles.add({ projectId: 'portal', roleKey, displayName: name }, context()),
    )
    const grant = { userId: `dora ${name}`, projectId: 'portal' }
    await orThrow(iam.userGrants.add({ ...grant, roles: [{ roleKey }] }, context()))
    const ids = new URLSearchParams({ ...grant, projectOrgId: 'acme' })
    await opened.open(`user-grant?${ids}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('checkbox', { name: /^Viewer/ }).check()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const { roles } = await orThrow(iam.userGrants.get(grant, context()))
    expect(roles.map((role) => role.roleKey).toSorted()).toEqual([roleKey, 'viewer'].toSorted())
  })

  it('a project of another organization with the same id is not part of the matrix', async () => {
    const { iam } = opened.host
    const globex = context('globex')
    await orThrow(iam.projects.add({ id: 'portal', name: 'Portal of Globex' }, globex))
    const viewer = { projectId: 'portal', roleKey: 'viewer', displayName: 'V' }
    await orThrow(iam.projectRoles.add(viewer, globex))
    const granted = { projectId: 'portal', grantedOrgId: 'acme', roleKeys: ['viewer'] }
    await orThrow(iam.projectGrants.add(granted, globex))
    const roles = [{ roleKey: 'viewer' }]
    const guest = { userId: 'guest', projectId: 'portal', projectOrgId: 'globex', roles }
    await orThrow(iam.userGrants.add(guest, context()))
    await opened.open('matrix?projectId=portal')
    await page.getByRole('button', { name: /anna, Viewer/ }).waitFor()
    expect(await page.getByText('guest').count()).toBe(0)
    // What another organization has granted is on no page of this one.
    await opened.open('projects')
    const received = page.getByRole('region', { name: 'Received from other organizations' })
    await received.getByText('portal').waitFor()
    expect(await received.getByRole('link').count()).toBe(0)
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
