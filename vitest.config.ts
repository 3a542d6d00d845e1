import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^claviger$/, replacement: source('index.ts') },
      { find: /^claviger\/sqlite$/, replacement: source('adapters/sqlite/index.ts') },
      { find: /^claviger\/postgres$/, replacement: source('adapters/postgres/index.ts') },
      { find: /^claviger\/testing$/, replacement: source('testing/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/fuzz/**', 'test/runtimes/**'],
    testTimeout: 60_000,
  },
})
