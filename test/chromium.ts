import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'

/** Where Debian has it. */
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell'

/** In CI there must be one; elsewhere its tests are left out, and loudly so. */
export const hasChromium = (): boolean => {
  const isThere = existsSync(EXECUTABLE) || process.env['CI'] !== undefined
  if (!isThere)
    process.stderr.write(
      `\n*** NOT TESTED: what needs a browser. There is no ${EXECUTABLE}. ***\n\n`,
    )
  return isThere
}

let launched: Promise<Browser> | undefined

/** A browser profile of its own: close it after use. All are in one Chromium, which ends with this process. */
export const openContext = async (options?: BrowserContextOptions): Promise<BrowserContext> => {
  launched ??= chromium.launch({
    executablePath: EXECUTABLE,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
  return (await launched).newContext(options)
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on a page: the rule, and the first element that breaks it. */
export const axeViolations = async (page: Page): Promise<readonly string[]> => {
  // By the protocol of the browser, which no policy of the page keeps out.
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as {
      axe: {
        run: (options: object) => Promise<{
          violations: { id: string; nodes: { html: string }[] }[]
        }>
      }
    }
    const { violations } = await checker.run({ resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  })
}
