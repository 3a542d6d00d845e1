import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { openContext } from '../../chromium.js'
import type { Answer } from '../call.js'
import type { OpenClient } from './client.js'

const CLIENT = fileURLToPath(new URL('../../../reports/client/index.js', import.meta.url))
const PAGE = fileURLToPath(new URL('./chromium-page.ts', import.meta.url))

/** A page in a real browser, which calls the server that it came from. */
export const chromiumClient: OpenClient = async (servers) => {
  const bundled = await build({
    entryPoints: [PAGE],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    alias: { 'claviger/client': CLIENT },
  })
  const script = bundled.outputFiles[0]?.text ?? ''
  const context = await openContext()
  const page = await context.newPage()
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
    close: () => context.close(),
  }
}
