import { rmSync } from 'node:fs'
import { defineConfig } from 'tsup'

// Two builds write there, at the same time.
rmSync('dist', { recursive: true, force: true })

// An object with `entry`, because knip finds the entries of the package by this name.
const published = {
  entry: {
    index: 'src/index.ts',
    domain: 'src/domain/index.ts',
    evidence: 'src/application/evidence/index.ts',
    sqlite: 'src/adapters/sqlite/index.ts',
    postgres: 'src/adapters/postgres/index.ts',
    sql: 'src/adapters/sql/index.ts',
    transport: 'src/transport/index.ts',
    client: 'reports/client/index.js',
    laws: 'src/laws/index.ts',
    testing: 'src/testing/index.ts',
    console: 'src/console/index.ts',
    oidc: 'src/oidc/index.ts',
    import: 'src/import/index.ts',
    cloudflare: 'src/adapters/cloudflare/index.ts',
    authzen: 'src/authzen/index.ts',
    scim: 'src/scim/index.ts',
    'better-auth': 'src/better-auth/index.ts',
    webhooks: 'src/webhooks/index.ts',
    node: 'src/node/index.ts',
  },
}

/** The compiler makes them first, see .ci/build.mjs. If tsup made them, a build would take 20 s instead of 7. */
const declarations = Object.fromEntries(
  Object.entries(published.entry).map(([name, file]) => [
    name,
    file.replace('src/', 'reports/declarations/').replace(/[jt]s$/, 'd.ts'),
  ]),
)

const library = defineConfig({
  ...published,
  format: ['esm'],
  target: 'es2024',
  dts: {
    entry: declarations,
    // `await using`: the compiler knows `Symbol.asyncDispose` by its newest library alone.
    banner: '/// <reference lib="esnext.disposable" />',
  },
  // What we use of them: an import of zod loads 64 languages, one of ulid `node:crypto`. See docs/decisions/dependencies.md.
  noExternal: ['zod', 'ulid', /^@bufbuild\/protobuf\/wire$/],
  // For every runtime: `ulid` then takes the random numbers that all of them have.
  platform: 'neutral',
  external: [/^node:/],
  // Not every runtime knows the modules of Node.js without their prefix.
  removeNodeProtocol: false,
  // Smaller by a hundredth. Lines and names stay, so stack traces can be read.
  esbuildOptions: (options) => {
    options.minifySyntax = true
  },
})

/** A module alone, which asks the library by the name of the package, as a host does. */
const commandLine = defineConfig({
  entry: { cli: 'src/cli/main.ts' },
  format: ['esm'],
  target: 'es2024',
  removeNodeProtocol: false,
  external: [/^claviger/, 'neverthrow'],
})

export default [library, commandLine]
