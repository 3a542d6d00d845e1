// Takes pictures of the console: `node .ci/screenshots.ts`, after `npm run build`. Those of docs/guides/console.md go
// there; with a folder as the argument, each page at three widths in both schemes goes into it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { chromium, type Page } from 'playwright-core'
import { openHost } from '../test/console/host.ts'
import { fillRealistic, PEOPLE, REALISTIC } from '../test/console/realistic.ts'

const [folder] = process.argv.slice(2)
const userId = PEOPLE[2]?.id ?? ''
const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click()
const pickUsers = async (page: Page, ...names: readonly string[]) => {
  for (const name of names) {
    await page.getByRole('dialog').getByRole('combobox').first().fill(name)
    await page.getByRole('option', { name }).click()
  }
}

/** Each page by the name of its picture: its path, and what is done there before the picture is taken. */
const PAGES: Readonly<
  Record<string, readonly [path: string, act?: (page: Page) => Promise<unknown>]>
> = {
  overview: [''],
  users: ['users'],
  user: [`user?userId=${userId}`],
  give: [
    'users',
    async (page) => {
      await press(page, 'Give roles')
      await pickUsers(page, 'Anna', 'Ben', 'Greta')
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('combobox', { name: 'Project' }).fill('Invoicing')
      await dialog.getByRole('option', { name: 'Invoicing' }).click()
      await dialog
        .getByRole('checkbox', { name: /^Approver / })
        .first()
        .check()
      await dialog.getByLabel('Approver: end').selectOption('for a month')
    },
  ],
  matrix: ['matrix?projectId=invoicing'],
  cell: [
    'matrix?projectId=invoicing',
    async (page) => {
      await page.locator('.matrix .cell').nth(28).click()
      await page.locator('.beside p').first().waitFor()
    },
  ],
  review: ['review?projectId=invoicing'],
  compare: ['review?projectId=invoicing&since=2020-01-01T00:00:00.000Z'],
  projects: ['projects'],
  project: ['project?id=invoicing'],
  role: ['role?projectId=invoicing&roleKey=approver'],
  'remove-role': [
    'role?projectId=invoicing&roleKey=approver',
    async (page) => {
      await press(page, 'Remove')
      await page.getByText('Users lose').waitFor()
    },
  ],
  'user-grant': [`user-grant?userId=${userId}&projectId=invoicing&projectOrgId=acme`],
  'edit-roles': [
    `user-grant?userId=${userId}&projectId=invoicing&projectOrgId=acme`,
    (page) => press(page, 'Edit'),
  ],
  leaver: [`user?userId=${userId}`, (page) => press(page, 'Remove all roles')],
  timeline: ['timeline?projectId=invoicing'],
  providers: ['providers'],
  provider: [
    'provider?idpId=google',
    async (page) => {
      await press(page, 'Run the test')
      await page.locator('.checks li').last().scrollIntoViewIfNeeded()
    },
  ],
  domains: ['domains'],
  domain: ['domain?domain=acme.example'],
  plan: [
    'plan',
    async (page) => {
      await page
        .getByLabel('Desired state')
        .fill(
          '{ "projects": [{ "id": "portal", "name": "Shop",\n  "roles": [{ "roleKey": "auditor", "displayName": "Auditor" }] }] }',
        )
      await press(page, 'Show the plan')
      await page.getByText('Add: 1').waitFor()
    },
  ],
  missing: ['nothing'],
  phone: ['matrix?projectId=invoicing'],
}

/** The pictures of the guide. */
const GUIDE = ['give', 'cell', 'user', 'remove-role', 'timeline', 'compare', 'phone']

/** A picture of a quarter of the size, since the guides are part of the package. */
const asWebP = async (png: Buffer): Promise<Buffer> => {
  const page = await browser.newPage()
  const url = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes]))
    const canvas = document.createElement('canvas')
    canvas.width = image.width
    canvas.height = image.height
    canvas.getContext('2d')?.drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', 0.8)
  }, png.toString('base64'))
  await page.close()
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}

const WIDTHS = folder ? [360, 768, 1440] : [1280]
const host = await openHost('', REALISTIC, fillRealistic)
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox'],
})
const target = folder ?? 'docs/guides/console'
mkdirSync(target, { recursive: true })
const only = folder ? process.argv[3]?.split(',') : GUIDE
for (const [name, [path, act]] of Object.entries(PAGES))
  for (const colorScheme of folder ? (['light', 'dark'] as const) : (['light'] as const))
    for (const width of WIDTHS) {
      if (only && !only.includes(name)) continue
      const size = { width: name === 'phone' ? 360 : width, height: 760 }
      const page = await browser.newPage({ viewport: size, colorScheme })
      await page.goto(`${host.origin}/${path}`)
      await page.waitForSelector('main > *')
      await page.waitForFunction(() => !document.body.textContent?.includes('Loading…'))
      await act?.(page)
      await page.waitForTimeout(200)
      const suffix = folder ? `-${colorScheme}-${width}` : ''
      const picture = await page.screenshot()
      if (folder) writeFileSync(`${target}/${name}${suffix}.png`, picture)
      else writeFileSync(`${target}/${name}.webp`, await asWebP(picture))
      await page.close()
    }
await browser.close()
await host.close()
