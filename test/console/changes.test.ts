import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context, published } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'

describe.runIf(hasChromium())('Changes in the console, in Chromium', () => {
  let opened: OpenConsole
  let page: Page
  const open = (path: string, who?: string) => opened.open(path, who)

  beforeAll(async () => {
    opened = await openConsole()
    page = opened.page
  })
  afterAll(() => opened?.close())

  it('changes a name by keyboard: preview, then save', async () => {
    await open('project?id=billing')
    await page.getByRole('button', { name: 'Edit' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Name').focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Invoices')
    await page.keyboard.press('Enter')
    await page.getByText('This will change').waitFor()
    await page.getByLabel('Reason').fill('Ticket 4711')
    await page.getByRole('button', { name: 'Save' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor()
    await page.getByText('Reason: Ticket 4711').waitFor()
  })

  it('shows what the server refuses beside the field', async () => {
    await open('project?id=billing')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name').fill('')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('must not be empty').waitFor()
  })

  it('shows as a conflict what somebody else has changed too, and who that was', async () => {
    const theirs = { ...context(), caller: { ...context().caller, userId: 'rita' } }
    const change = async (button: string) => {
      await open('project?id=billing')
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Name').fill(`Mine, ${button}`)
      const name = `Theirs, ${button}`
      await orThrow(opened.host.iam.projects.patch({ id: 'billing', name }, theirs))
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.getByText('rita has changed the same meanwhile').waitFor()
      await page.getByRole('cell', { name }).waitFor()
      await page.getByRole('button', { name: button }).click()
      return name
    }
    await change('Overwrite')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Mine, Overwrite' }).waitFor()
    const name = await change('Take theirs')
    expect(await page.getByLabel('Name').inputValue()).toBe(name)
    await page.getByRole('button', { name: 'Cancel' }).click()
  })

  it('keeps what somebody else has changed of another field, without a conflict', async () => {
    await open('role?projectId=portal&roleKey=viewer')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Group').fill('reading')
    const ids = { projectId: 'portal', roleKey: 'viewer' }
    await orThrow(opened.host.iam.projectRoles.patch({ ...ids, displayName: 'Reader' }, context()))
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Reader' }).waitFor()
    const now = await orThrow(opened.host.iam.projectRoles.get(ids, context()))
    expect(now).toMatchObject({ displayName: 'Reader', group: 'reading' })
    await orThrow(
      opened.host.iam.projectRoles.patch({ ...ids, displayName: 'Viewer', group: '' }, context()),
    )
  })

  it('changes nothing that somebody else has done already', async () => {
    await open('project?id=billing')
    await page.locator('.more > summary').click()
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await page.getByText('This will change').waitFor()
    await orThrow(opened.host.iam.projects.deactivate({ id: 'billing' }, context()))
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    await page.getByText('This changes nothing.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
  })

  it('gives the focus back, says what was done, and undoes it by a key', async () => {
    await open('role?projectId=portal&roleKey=viewer')
    const opener = page.getByRole('button', { name: 'Edit' })
    await opener.focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Display name').fill('Watcher')
    await page.keyboard.press('Enter')
    await page.getByText('This will change').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Save')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Watcher' }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Edit')
    await page.getByRole('status').getByText('Saved.').waitFor()
    await page.keyboard.press('Control+z')
    await page.getByRole('heading', { level: 1, name: 'Viewer' }).waitFor()
    await page.getByRole('status').getByText('Undone.').waitFor()
  })

  it('does not undo what somebody else has changed since', async () => {
    await open('role?projectId=portal&roleKey=viewer')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Display name').fill('Watcher')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved.').waitFor()
    const ids = { projectId: 'portal', roleKey: 'viewer' }
    const { iam } = opened.host
    await orThrow(iam.projectRoles.patch({ ...ids, displayName: 'Theirs' }, context()))
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('status').getByText('Not undone where somebody else').waitFor()
    expect(await orThrow(iam.projectRoles.get(ids, context()))).toMatchObject({
      displayName: 'Theirs',
    })
    await orThrow(iam.projectRoles.patch({ ...ids, displayName: 'Viewer' }, context()))
  })

  it('gives a removed role back to all who had it, with their ends and not to the suspended', async () => {
    const sam = { userId: 'sam', projectId: 'portal' }
    const suspended = { ...sam, roles: [{ roleKey: 'editor' }] }
    await orThrow(opened.host.iam.userGrants.add(suspended, context()))
    await orThrow(opened.host.iam.userGrants.deactivate(sam, context()))
    const given = async () =>
      (await orThrow(opened.host.iam.userGrants.list({}, context()))).items.map(
        ({ userId, state, roles }) => [
          userId,
          state,
          roles.toSorted((one, other) => (one.roleKey < other.roleKey ? -1 : 1)),
        ],
      )
    const before = await given()
    await open('role?projectId=portal&roleKey=editor')
    await page.locator('.more > summary').click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page
      .getByRole('dialog')
      .getByText(/Users lose/)
      .waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Editor was removed.').waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    expect(await given()).not.toEqual(before)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(/^Undone/).waitFor()
    expect(await given()).toEqual(before)
    await orThrow(opened.host.iam.userGrants.remove(sam, context()))
  })

  it('gives a removed role back to nobody whose roles somebody else has changed since', async () => {
    const editor = { projectId: 'portal', roleKey: 'editor' }
    const { iam } = opened.host
    const granted = { projectId: 'portal', grantedOrgId: 'globex' }
    const theirs = { ...granted, roleKeys: ['billing/admin'] }
    const both = { ...granted, roleKeys: ['viewer', 'editor'] }
    await orThrow(iam.projectGrants.update(both, context()))
    for (const userId of ['leaver', 'stayer'])
      await orThrow(
        iam.userGrants.add(
          { userId, projectId: 'portal', roles: [{ roleKey: 'editor' }] },
          context(),
        ),
      )
    await open('role?projectId=portal&roleKey=editor')
    await page.locator('.more > summary').click()
    await page.getByRole('button', { name: 'Remove' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/Users lose/).waitFor()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Editor was removed.').waitFor()
    await orThrow(iam.userGrants.removeAllOfUser({ userId: 'leaver' }, context()))
    await orThrow(iam.projectGrants.update(theirs, context()))
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Not undone where somebody else has changed something since.').waitFor()
    const has = async (userId: string) =>
      (await orThrow(iam.access.check({ ...editor, userId }, context()))).allowed
    expect([await has('leaver'), await has('stayer')]).toEqual([false, true])
    const { roleKeys } = await orThrow(iam.projectGrants.get(granted, context()))
    expect(roleKeys).toEqual(theirs.roleKeys)
    await orThrow(iam.projectGrants.update({ ...granted, roleKeys: ['viewer'] }, context()))
    await orThrow(iam.userGrants.remove({ userId: 'stayer', projectId: 'portal' }, context()))
  })

  it('asks before Escape closes a form that was filled', async () => {
    await open('project?id=billing')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name').fill('Half typed')
    await page.keyboard.press('Escape')
    await page.getByText('What you have entered will be lost.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('says before a role is removed who loses it', async () => {
    await open('role?projectId=portal&roleKey=editor')
    await page.locator('.more > summary').click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByText(/Users lose [\d,]+ roles:/).waitFor()
    const { items } = (
      await opened.host.iam.access.whoHas({ projectId: 'portal', roleKey: 'editor' }, context())
    )._unsafeUnwrap()
    expect(items.length).toBeGreaterThan(1)
    await page.getByText(`Users lose ${items.length} roles:`).waitFor()
    const dialog = await page.getByRole('dialog').innerText()
    // Of users of other organizations it also names these.
    for (const { userId, orgId } of items.slice(0, 20))
      expect(dialog).toContain(orgId === 'acme' ? userId : `${userId} (${orgId})`)
    expect(dialog).not.toContain('(acme)')
    await page.getByRole('button', { name: 'Cancel' }).click()
  })

  it('sends a write with what was seen and with a key, and a preview without one', async () => {
    const sent: { isTried: boolean; etag?: string; key?: string }[] = []
    page.on('request', (request) => {
      const isTried = request.postData()?.includes('validateOnly') ?? false
      const { 'if-match': etag, 'idempotency-key': key } = request.headers()
      if (request.method() === 'PUT')
        sent.push({ isTried, ...(etag && { etag }), ...(key && { key }) })
    })
    await open('user-grant?userId=carla&projectId=portal&projectOrgId=acme')
    await page.getByRole('button', { name: 'Edit' }).click()
    for (const name of ['Editor', 'Billing administrator'])
      await page.getByRole('checkbox', { name }).uncheck()
    await page.getByRole('checkbox', { name: 'Viewer' }).check()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const etag = expect.stringMatching(/^"\d+"$/)
    expect(sent).toEqual([
      { isTried: true, etag },
      { isTried: false, etag, key: expect.stringMatching(/^\w{32}$/) },
    ])
  })

  it('verifies a domain once its challenge is published, and sets its provider', async () => {
    await open('domain?domain=acme.example')
    await page.getByText('_claviger-challenge.acme.example').waitFor()
    const challenge = await page.getByText('claviger-domain-verification=').first().innerText()
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('The record of the domain is not published').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    published.push([challenge])
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Verify' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('combobox', { name: 'Provider' }).fill('Goo')
    await page.getByRole('option', { name: 'Google' }).click()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This will change').waitFor({ state: 'detached' })
    const email = 'anna@acme.example'
    expect((await opened.host.iam.domains.route({ email }))._unsafeUnwrap()).toEqual({
      orgId: 'acme',
      idpId: 'google',
    })
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Remove Google' }).click()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This will change').waitFor({ state: 'detached' })
    expect((await opened.host.iam.domains.route({ email }))._unsafeUnwrap()).toBeUndefined()
  })

  it('plans a desired state, with nothing of it in the URL', async () => {
    await open('plan')
    await page.getByLabel('Desired state').fill('{"projects":[{"id":"new","name":"New"}]}')
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByText('Add: 1').waitFor()
    expect(page.url()).toBe(`${opened.host.origin}/any/prefix/plan`)
  })

  it('applies the plan that was shown, and no other', async () => {
    await page.getByRole('button', { name: 'Apply' }).waitFor()
    await page.getByLabel('File').setInputFiles({
      name: 'other.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"projects":[]}'),
    })
    await page.getByRole('button', { name: 'Apply' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByText('Nothing to change.').waitFor()
  })

  it('sends once what is pressed twice', async () => {
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url())
    })
    await opened.open('user?userId=ben')
    await page.getByRole('button', { name: 'Remove all roles' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Remove all roles' }).dblclick()
    await dialog.waitFor({ state: 'detached' })
    page.removeAllListeners('request')
    expect(sent).toHaveLength(1)
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
