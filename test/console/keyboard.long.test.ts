import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'

const SECRET = 'canary-S3cret-of-a-form'

describe.runIf(hasChromium())('The console by keyboard alone', () => {
  let opened: OpenConsole
  let page: Page

  beforeAll(async () => {
    opened = await openConsole()
    page = opened.page
  })
  afterAll(() => opened?.close())

  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

  it('goes to a list, filters and sorts it, opens an object and changes it', async () => {
    const { open, press, tabTo, settled } = opened
    await open('')
    await press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
    await tabTo('link', 'Projects')
    await press('Enter')
    await heading('Projects')
    // The next step is into the page, not through the menu again.
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    await tabTo('searchbox', 'Filter')
    await page.keyboard.type('Bill')
    await page.getByText('1', { exact: true }).first().waitFor()
    await tabTo('button', 'Name')
    await press('Enter')
    await settled()
    expect(new URL(page.url()).search).toContain('order=name')
    await tabTo('link', 'Billing')
    await press('Enter')
    await heading('Billing')
    await tabTo('button', 'Edit')
    await press('Enter')
    await tabTo('textbox', /^Name/)
    await press('Control+a')
    await page.keyboard.type('Invoices')
    await tabTo('button', 'Preview')
    await press('Enter')
    await page.getByText('This will change').waitFor()
    await tabTo('button', 'Save')
    await press('Enter')
    await heading('Invoices')
  })

  it('leaves a form by Escape, with nothing changed', async () => {
    const { press, tabTo } = opened
    const before = await opened.host.head()
    await tabTo('button', 'Edit')
    await press('Enter')
    await page.getByRole('dialog').waitFor()
    await press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await opened.host.head()).toBe(before)
  })

  it('moves through the past of an object', async () => {
    const { open, press, tabTo } = opened
    await open('project?id=portal')
    await tabTo('slider', 'Version')
    await press('Home')
    await heading('Customer portal')
    await tabTo('button', 'Back to now')
    await press('Enter')
    await heading('Portal')
  })

  it('asks why a role counts', async () => {
    const { open, press, tabTo } = opened
    await open('matrix?projectId=portal')
    // One cell is a stop of the tabulator; arrows go to the others.
    await tabTo('link', 'anna')
    await press('ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp')
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toMatch(/^anna, Viewer/)
    await press('End')
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toMatch(/^anna, Billing/)
    await press('ArrowLeft', 'Enter')
    await page.getByText('anna has the role Viewer, and it counts.').waitFor()
  })

  it('plans a desired state, and applies it', async () => {
    const { open, press, tabTo } = opened
    await open('plan')
    await tabTo('textbox', 'Desired state')
    await page.keyboard.type('{"projects":[{"id":"fresh","name":"Fresh"}]}')
    await tabTo('button', 'Show the plan')
    await press('Enter')
    await page.getByText('Add: 1').waitFor()
    const added = async () =>
      (await opened.host.iam.projects.get({ id: 'fresh' }, context())).isOk()
    expect(await added()).toBe(false)
    await tabTo('button', 'Apply')
    await press('Enter')
    await page.getByText('Applied.').waitFor()
    expect(await added()).toBe(true)
  })

  it('adds a provider, whose secret is kept nowhere in the browser', async () => {
    const { open, press, tabTo } = opened
    const urls: string[] = []
    page.on('framenavigated', (frame) => urls.push(frame.url()))
    await open('providers')
    await tabTo('button', 'Add')
    await press('Enter')
    for (const [label, text] of [
      [/^Name/, 'Okta'],
      [/^Issuer/, 'https://okta.example'],
      [/^Client id/, 'c1'],
      [/^Client secret/, SECRET],
    ] as const) {
      await tabTo('textbox', label)
      await page.keyboard.type(text)
    }
    await tabTo('button', 'Preview')
    await press('Enter')
    await page.getByText('This will change').waitFor()
    await tabTo('button', 'Save')
    await press('Enter')
    await page.getByRole('link', { name: 'Okta' }).waitFor()
    const kept = await page.evaluate(() =>
      JSON.stringify([
        document.documentElement.outerHTML,
        [...document.querySelectorAll('input')].map(({ value }) => value),
        { ...localStorage },
        { ...sessionStorage },
        document.cookie,
        history.state,
        location.href,
      ]),
    )
    expect(kept + urls.join('\n')).not.toContain(SECRET)
    const { items } = (await opened.host.iam.identityProviders.list({}, context()))._unsafeUnwrap()
    expect(items.map(({ name }) => name)).toContain('Okta')
  })

  it('breaks no policy', () => expect(opened.complaints).toEqual([]))
})
