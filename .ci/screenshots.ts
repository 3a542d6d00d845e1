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
      await page.locator('.more > summary').click()
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
  components: ['nothing', (page) => drawSheet(page)],
  missing: ['nothing'],
  phone: ['matrix?projectId=invoicing'],
}

/** Each component in its states, by the style sheet alone: looked at when the style changes. */
const SHEET = `
<main><article><h1>Components</h1>
<h2>Buttons</h2><div class="actions start">
<button>Plain</button><button class="primary">Primary</button><button class="danger">Danger</button>
<button class="primary danger">Takes away</button><button disabled>Off</button>
<button class="primary" aria-disabled="true">Busy</button><button class="copy">Copy</button>
<button aria-pressed="true">Live</button><button class="sort">Sorted ↑</button></div>
<h2>Fields</h2><div class="field"><label for="a">Name</label><input id="a" value="Anna"><p class="none">A hint</p></div>
<div class="field"><label for="b">Name</label><input id="b" aria-invalid="true"><p class="error">must not be empty</p></div>
<div class="bar"><input type="search" placeholder="Filter"><select><option>Any state</option></select><span class="none">12</span></div>
<label class="flag"><input type="checkbox" checked>Chosen</label>
<div class="field picker"><label for="c">To</label><ul class="chips"><li><span>Anna</span><button>×</button></li></ul>
<div class="combo"><input id="c"><div class="options"><div role="option" aria-selected="true">Ben</div><div role="option">Carla</div></div></div></div>
<h2>States</h2><p class="badges"><span class="state on">active</span><span class="state off">inactive</span>
<span class="badge">plain</span><span class="badge ok">fine</span><span class="badge warning">warning</span><span class="badge failed">failed</span>
<span class="badge add">new</span><span class="badge remove">gone</span></p>
<h2>Notices</h2><p class="notice">A notice</p><p class="notice bad">A fault</p><p class="empty">Nothing here yet.</p><p class="none">A note, and <a href="#">a link</a></p>
<div class="attention"><ul><li><a href="#">The client secret of Google expires tomorrow</a></li></ul></div>
<h2>Tables</h2><section class="wide few"><table><thead><tr><th>Role</th><th>State</th></tr></thead><tbody>
<tr><td data-label="Role"><div>Approver</div></td><td data-label="State"><div><span class="state on">active</span></div></td></tr></tbody></table></section>
<h2>Changes</h2><dl class="changes"><div><dt>Name</dt><dd><del>Shop</del> <span class="arrow">→</span> <ins>Portal</ins></dd></div></dl>
<ol class="timeline"><li><p><strong>The role <a href="#">Approver</a> was changed</strong> <span class="none">by Anna</span></p></li></ol>
<h2>Being read</h2><p class="skeleton line"></p><p class="skeleton facts"></p>
<div class="cards"><section class="card"><h2><a href="#">Projects</a></h2><p class="figure">3</p></section></div>
</article></main>`

/** Draws the components into a page of the console, whose policy allows no style of theirs. */
const drawSheet = (page: Page) =>
  page.evaluate((markup) => {
    const parsed = new DOMParser().parseFromString(markup, 'text/html')
    document.body.replaceChildren(...parsed.body.childNodes)
  }, SHEET)

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
      const page = await browser.newPage({ viewport: size, colorScheme, bypassCSP: true })
      await page.goto(`${host.origin}/${path}`)
      await page.waitForSelector('main > *')
      await page.waitForFunction(() => !document.body.textContent?.includes('Loading…'))
      await act?.(page)
      await page.waitForTimeout(200)
      const suffix = folder ? `-${colorScheme}-${width}` : ''
      const picture = await page.screenshot({ fullPage: name === 'components' })
      if (folder) writeFileSync(`${target}/${name}${suffix}.png`, picture)
      else writeFileSync(`${target}/${name}.webp`, await asWebP(picture))
      await page.close()
    }
await browser.close()
await host.close()
