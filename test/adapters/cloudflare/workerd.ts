import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { Miniflare, type MiniflareOptions } from 'miniflare'

const root = resolve(import.meta.dirname, '../../..')

/** The subpaths, by the sources that tests run. */
const SUBPATHS = {
  claviger: 'index.ts',
  'claviger/domain': 'domain/index.ts',
  'claviger/evidence': 'application/evidence/index.ts',
  'claviger/cloudflare': 'adapters/cloudflare/index.ts',
  'claviger/console': 'console/index.ts',
  'claviger/transport': 'transport/index.ts',
}

/** A worker and all that it imports, as one module. */
export const bundle = async (entry: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(root, entry)],
    alias: Object.fromEntries(
      Object.entries(SUBPATHS).map(([name, file]) => [name, join(root, 'src', file)]),
    ),
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    // As Wrangler bundles a worker without flags.
    platform: 'browser',
    // Loaded by `testPostgres` of claviger/testing alone, and by nothing here.
    external: ['pg', 'node:net'],
    conditions: ['workerd', 'worker', 'browser'],
  })
  return outputFiles[0]?.text ?? ''
}

/** The day from which on a worker gets what workerd does then; no flag is set. */
export const COMPATIBILITY_DATE = '2026-07-01'

/** Starts workerd with a bundled worker. */
export const startWorkerd = (script: string, options: Partial<MiniflareOptions>): Miniflare =>
  new Miniflare({
    modules: true,
    script,
    compatibilityDate: COMPATIBILITY_DATE,
    ...options,
  } as MiniflareOptions)
