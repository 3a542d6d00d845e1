import { rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { defineConfig } from 'tsup'

/** What CommonJS says of the transport without its peers; a bundler that has them finds them here as well. */
const PEERS_FIRST = `"use strict";
try {
  require("@connectrpc/connect");
  require("@bufbuild/protobuf");
} catch (cause) {
  if (cause.code !== "MODULE_NOT_FOUND") throw cause;
  throw new Error("claviger/transport needs two packages more: npm install @connectrpc/connect @bufbuild/protobuf", { cause });
}
`

// Two builds write there, at the same time.
rmSync('dist', { recursive: true, force: true })

const library = defineConfig({
  entry: {
    index: 'src/index.ts',
    sqlite: 'src/adapters/sqlite/index.ts',
    postgres: 'src/adapters/postgres/index.ts',
    transport: 'src/transport/index.ts',
    json: 'src/transport/json/index.ts',
    testing: 'src/testing/index.ts',
    console: 'src/console/index.ts',
    oidc: 'src/oidc/index.ts',
    import: 'src/import/index.ts',
    cloudflare: 'src/adapters/cloudflare/index.ts',
    webhooks: 'src/webhooks/index.ts',
  },
  format: ['esm', 'cjs'],
  target: 'es2024',
  // `await using`: the compiler knows `Symbol.asyncDispose` by its newest library alone.
  dts: { banner: '/// <reference lib="esnext.disposable" />' },
  // Not every runtime knows the modules of Node.js without their prefix.
  removeNodeProtocol: false,
  // What loads CommonJS may be unable to import: Jest is, unless it is told otherwise.
  esbuildOptions: (options, { format }) => {
    if (format === 'cjs') options.supported = { ...options.supported, 'dynamic-import': false }
  },
  onSuccess: async () => {
    const file = 'dist/transport.cjs'
    await writeFile(file, PEERS_FIRST + (await readFile(file, 'utf8')))
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
