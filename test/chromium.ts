import { existsSync } from 'node:fs'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
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
