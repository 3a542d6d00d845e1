import { orThrow } from 'claviger'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openContext } from '../chromium.js'
import { context, openHost } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'

describe.runIf(hasChromium())('The console at the root of a host', () => {
  let host: Awaited<ReturnType<typeof openHost>>
  beforeAll(async () => {
    host = await openHost('', { signOutUrl: '/sign-out', backUrl: '/', loginUrl: '/sign-in' })
  })
  afterAll(() => host?.close())

  it('leaves the links of the host to the browser', async () => {
    const browser = await openContext()
    await browser.addCookies([{ name: 'who', value: 'admin', url: host.origin }])
    const page = await browser.newPage()
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.isNavigationRequest()) asked.push(new URL(request.url()).pathname)
    })
    await page.goto(`${host.origin}/projects`)
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.getByRole('heading', { name: 'Timeline', level: 1 }).waitFor()
    for (const [name, path] of [
      ['Sign out', '/sign-out'],
      ['Back to the application', '/'],
    ] as const) {
      await page.goto(`${host.origin}/timeline`)
      await Promise.all([
        page.waitForEvent('load'),
        page.getByRole('link', { name, exact: true }).click(),
      ])
      expect(asked.at(-1)).toBe(path)
    }
    await page.goto(`${host.origin}/projects`)
    // A stranger who comes before the page is loaded is asked to sign in there, without a link to the timeline.
    await page.getByRole('link', { name: 'Billing' }).waitFor()
    await browser.addCookies([{ name: 'who', value: 'stranger', url: host.origin }])
    await page.getByRole('link', { name: 'Timeline' }).click()
    await Promise.all([
      page.waitForEvent('load'),
      page.getByRole('link', { name: 'Sign in', exact: true }).click(),
    ])
    expect(asked.at(-1)).toBe('/sign-in')
    await browser.close()
  })
})

describe.runIf(hasChromium())('A project and its namesake', () => {
  let opened: OpenConsole
  beforeAll(async () => {
    opened = await openConsole()
    const { iam } = opened.host
    const own = { id: 'twin', name: 'Our twin' }
    const role = { projectId: 'twin', roleKey: 'reader', displayName: 'Reader' }
    for (const orgId of ['acme', 'globex']) {
      await orThrow(iam.projects.add(own, context(orgId)))
      await orThrow(iam.projectRoles.add(role, context(orgId)))
    }
    const granted = { projectId: 'twin', grantedOrgId: 'acme', roleKeys: ['reader'] }
    await orThrow(iam.projectGrants.add(granted, context('globex')))
    const grant = { userId: 'nora', projectId: 'twin', projectOrgId: 'globex' }
    await orThrow(iam.userGrants.add({ ...grant, roles: [{ roleKey: 'reader' }] }, context()))
  })
  afterAll(() => opened?.close())

  it('gives roles of the own project to a user who has roles of the other', async () => {
    const { page, open, host } = opened
    await open('users')
    await page.getByRole('button', { name: 'Give roles' }).click()
    const dialog = page.getByRole('dialog')
    const pick = async (label: string, text: string) => {
      await dialog.getByRole('combobox', { name: label }).fill(text)
      await dialog.getByRole('option').first().click()
    }
    // Without a directory, users are named by their ids.
    await dialog.getByRole('combobox', { name: 'To' }).fill('nora')
    await page.keyboard.press('Enter')
    await pick('Project', 'Our twin')
    await dialog.getByRole('checkbox', { name: /^Reader/ }).check()
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByRole('button', { name: 'Give roles' }).click()
    await dialog.waitFor({ state: 'detached' })
    const given = await orThrow(
      host.iam.userGrants.get({ userId: 'nora', projectId: 'twin' }, context()),
    )
    expect(given.roles.map(({ roleKey }) => roleKey)).toEqual(['reader'])
  })

  it('finds the changes of a project behind thousands of others', async () => {
    const { page, open, host } = opened
    for (let n = 0; n < 5_100; n++)
      await orThrow(host.iam.projects.patch({ id: 'billing', name: `Name ${n}` }, context()))
    await open('timeline?projectId=twin')
    await page.locator('.timeline li').first().waitFor()
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
  }, 120_000)
})
