import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^claviger$/, replacement: source('index.ts') },
      { find: /^claviger\/sqlite$/, replacement: source('adapters/sqlite/index.ts') },
      { find: /^claviger\/postgres$/, replacement: source('adapters/postgres/index.ts') },
      { find: /^claviger\/transport$/, replacement: source('transport/index.ts') },
      { find: /^claviger\/testing$/, replacement: source('testing/index.ts') },
    ],
  },
  test: {
    // Patterns are relative to `dir`, of which mutation testing takes a part.
    dir: 'test',
    include: ['**/*.test.ts'],
    exclude: ['bench/**', 'fuzz/**', 'runtimes/**'],
    testTimeout: 60_000,
    globalSetup: 'test/run-folder.ts',
    // The default is one worker on two cores.
    maxWorkers: 2,
    reporters: process.env['CI']
      ? ['default', ['json', { outputFile: 'reports/tests.json' }]]
      : ['default'],
  },
})
