import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import type { Answer } from '../call.js'
import type { OpenClient } from './client.js'

/** Where Debian has it. */
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

const PAGE = fileURLToPath(new URL('./chromium-page.ts', import.meta.url))

/** In CI there must be one; elsewhere its tests are left out, and loudly so. */
export const hasChromium = (): boolean => {
  const isThere = existsSync(EXECUTABLE) || process.env['CI'] !== undefined
  if (!isThere)
    process.stderr.write(
      `\n*** NOT TESTED: gRPC-web in a browser. There is no ${EXECUTABLE}. ***\n\n`,
    )
  return isThere
}

/** A page in a real browser, which calls the server that it came from. */
export const chromiumClient: OpenClient = async (servers) => {
  const bundled = await build({
    entryPoints: [PAGE],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
  })
  const script = bundled.outputFiles[0]?.text ?? ''
  const browser = await chromium.launch({
    executablePath: EXECUTABLE,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
  const page = await browser.newPage()
  await page.route(`${servers.http}/page`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>claviger</title>' }),
  )
  await page.goto(`${servers.http}/page`)
  await page.addScriptTag({ content: script })

  return {
    call: async ({ rpc, request, headers }): Promise<Answer> =>
      JSON.parse(
        await page.evaluate(
          (call) => (globalThis as never as { call: (call: string) => Promise<string> }).call(call),
          JSON.stringify({ rpc, request, headers }),
        ),
      ),
    close: () => browser.close(),
  }
}
