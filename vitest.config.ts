import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

/** Tests that take long: `npm test` leaves them out, `npm run test:all` runs all. */
const LONG = '**/*.long.test.ts'

export default defineConfig({
  resolve: {
    alias: [
      { find: /^claviger$/, replacement: source('index.ts') },
      { find: /^claviger\/domain$/, replacement: source('domain/index.ts') },
      { find: /^claviger\/evidence$/, replacement: source('application/evidence/index.ts') },
      { find: /^claviger\/sqlite$/, replacement: source('adapters/sqlite/index.ts') },
      { find: /^claviger\/postgres$/, replacement: source('adapters/postgres/index.ts') },
      { find: /^claviger\/transport$/, replacement: source('transport/index.ts') },
      // Made by .ci/generated.mjs.
      { find: /^claviger\/client$/, replacement: source('../reports/client/index.js') },
      { find: /^claviger\/console$/, replacement: source('console/index.ts') },
      { find: /^claviger\/oidc$/, replacement: source('oidc/index.ts') },
      { find: /^claviger\/import$/, replacement: source('import/index.ts') },
      { find: /^claviger\/cloudflare$/, replacement: source('adapters/cloudflare/index.ts') },
      { find: /^claviger\/sql$/, replacement: source('adapters/sql/index.ts') },
      { find: /^claviger\/authzen$/, replacement: source('authzen/index.ts') },
      { find: /^claviger\/scim$/, replacement: source('scim/index.ts') },
      { find: /^claviger\/better-auth$/, replacement: source('better-auth/index.ts') },
      { find: /^claviger\/webhooks$/, replacement: source('webhooks/index.ts') },
      { find: /^claviger\/node$/, replacement: source('node/index.ts') },
      { find: /^claviger\/laws$/, replacement: source('laws/index.ts') },
      { find: /^claviger\/testing$/, replacement: source('testing/index.ts') },
    ],
  },
  test: {
    // Patterns are relative to `dir`, of which mutation testing takes a part.
    dir: 'test',
    exclude: ['bench/**', 'clients/**', 'fuzz/**', 'runtimes/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The default is a second, which a busy machine takes for anything.
    expect: { poll: { timeout: 50_000 } },
    globalSetup: 'test/run-folder.ts',
    // The default is one worker on two cores.
    maxWorkers: 2,
    maxConcurrency: 2,
    // Files share a process, which loads the library once: a file leaves nothing behind that another would meet.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'quick', include: ['**/*.test.ts'], exclude: [LONG] } },
      // On a loaded machine a test of ten seconds takes minutes.
      { extends: true, test: { name: 'long', include: [LONG], testTimeout: 300_000 } },
      {
        extends: true,
        // The newest version that our range takes; the others have the oldest. Not part of `npm test`: the same tests again.
        resolve: { alias: [{ find: /^better-auth(?=\/|$)/, replacement: 'better-auth-newest' }] },
        test: {
          name: 'newest',
          include: ['better-auth/**/*.test.ts'],
          exclude: [LONG],
          env: { BETTER_AUTH: 'better-auth-newest' },
        },
      },
    ],
    // A line for each file, whatever its tests take.
    slowTestThreshold: 600_000,
    reporters: process.env['CI'] ? ['default', 'json'] : ['default'],
    outputFile: { json: 'reports/tests.json' },
  },
})
