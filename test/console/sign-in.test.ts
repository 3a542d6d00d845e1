import { orThrow } from 'claviger'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'

describe.runIf(hasChromium())('The sign-in settings of a provider in the console', () => {
  let opened: OpenConsole
  let page: Page
  const signIn = async () => {
    const provider = await opened.host.iam.identityProviders.get({ idpId: 'google' }, context())
    return orThrow(provider).signIn
  }
  const open = async () => {
    await opened.open('provider?idpId=google')
    await page.getByRole('button', { name: 'Sign-in settings' }).click()
    return page.getByRole('dialog', { name: 'Sign-in with Google' })
  }
  const save = async () => {
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('This will change').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  beforeAll(async () => {
    opened = await openConsole()
    page = opened.page
  })
  afterAll(() => opened?.close())

  it('are written by a form, without an id or JSON', async () => {
    const dialog = await open()
    await dialog.getByLabel('Claim of groups').fill('groups')
    await dialog.getByLabel('Separator of groups').fill(' ')
    await dialog
      .getByLabel('Admitted are')
      .fill('hd = example.com | example.org\nemail_verified = true')
    await dialog.getByLabel('Client authentication').selectOption({ label: 'client_secret_post' })
    await save()
    expect(await signIn()).toEqual({
      groups: { claim: 'groups', separator: ' ' },
      admit: [
        { claim: 'hd', values: ['example.com', 'example.org'] },
        { claim: 'email_verified', values: ['true'] },
      ],
      clientAuthentication: 'client_secret_post',
    })
  })

  it('warn before the claim that identifies users is another, and the rest stays', async () => {
    const before = await signIn()
    const dialog = await open()
    expect(await page.locator('.facts').innerText()).not.toContain('{"')
    await dialog.getByLabel('Claim that identifies users').fill('oid')
    await dialog.getByText('users who have signed in before are others').waitFor()
    await save()
    expect(await signIn()).toEqual({ ...before, subjectClaim: 'oid' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(signIn).toEqual(before)
  })

  it('keep what another admin has changed meanwhile', async () => {
    const before = await signIn()
    const dialog = await open()
    await dialog.getByLabel('Admitted are').fill('hd = example.com')
    const settings = { ...before, idpId: 'google', addresses: 'verified' as const }
    await orThrow(opened.host.iam.identityProviders.configureSignIn(settings, context()))
    await save()
    expect(await signIn()).toMatchObject({
      groups: { claim: 'groups', separator: ' ' },
      admit: [{ claim: 'hd', values: ['example.com'] }],
      addresses: 'verified',
    })
  })

  it('are left alone where the form cannot say them', async () => {
    const groups = { claim: 'realm_access', path: ['roles'] }
    const settings = { idpId: 'google', groups }
    await orThrow(opened.host.iam.identityProviders.configureSignIn(settings, context()))
    await opened.open('provider?idpId=google')
    await page.getByText('more than this form can show').waitFor()
    expect(await page.getByRole('button', { name: 'Sign-in settings' }).count()).toBe(0)
  })

  it('break no policy', () => expect(opened.complaints).toEqual([]))
})
