// Takes the pictures of docs/guides/console.md: `node .ci/screenshots.ts`, after `npm run build`.
import { chromium } from 'playwright-core'
import { openHost } from '../test/console/host.ts'

const PAGES = {
  overview: '',
  project: 'project?id=portal',
  timeline: 'timeline',
  matrix: 'matrix?projectId=portal',
  review: 'review?projectId=portal',
  plan: 'plan',
  provider: 'provider?idpId=google',
  domain: 'domain?domain=acme.example',
}

const host = await openHost('')
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
for (const [name, path] of Object.entries(PAGES)) {
  const colorScheme = name === 'timeline' ? 'dark' : 'light'
  const page = await browser.newPage({ viewport: { width: 1000, height: 640 }, colorScheme })
  await page.goto(`${host.origin}/${path}`)
  await page.waitForSelector('main > *')
  await page.waitForFunction(() => !document.body.textContent?.includes('Loading…'))
  if (name === 'plan') {
    await page
      .getByLabel('Desired state')
      .fill(
        '{ "projects": [{ "id": "portal", "name": "Shop",\n  "roles": [{ "roleKey": "auditor", "displayName": "Auditor" }] }] }',
      )
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByText('Add: 1').waitFor()
  }
  if (name === 'provider') {
    await page.getByRole('button', { name: 'Run the test' }).click()
    await page.locator('.checks li').last().scrollIntoViewIfNeeded()
  }
  if (name === 'matrix') {
    await page.getByRole('button', { name: 'inactive' }).click()
    await page.getByText('inactive.').waitFor()
  }
  await page.screenshot({ path: `docs/guides/console/${name}.png` })
  await page.close()
}
const phone = await browser.newPage({ viewport: { width: 360, height: 640 } })
await phone.goto(`${host.origin}/project?id=portal`)
await phone.waitForTimeout(500)
await phone.screenshot({ path: 'docs/guides/console/phone.png' })
await browser.close()
await host.close()
