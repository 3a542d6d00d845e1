import { copyFile } from 'node:fs/promises'
import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    sqlite: 'src/adapters/sqlite/index.ts',
    postgres: 'src/adapters/postgres/index.ts',
    transport: 'src/transport/index.ts',
    testing: 'src/testing/index.ts',
  },
  format: ['esm', 'cjs'],
  target: 'es2024',
  // `await using`: the compiler knows `Symbol.asyncDispose` by its newest library alone.
  dts: { banner: '/// <reference lib="esnext.disposable" />' },
  clean: true,
  // Not every runtime knows the modules of Node.js without their prefix.
  removeNodeProtocol: false,
  // What loads CommonJS may be unable to import: Jest is, unless it is told otherwise.
  esbuildOptions: (options, { format }) => {
    if (format === 'cjs') options.supported = { ...options.supported, 'dynamic-import': false }
  },
  // What we use of it starts five times as fast as all of it: docs/decisions/dependencies.md.
  noExternal: ['zod'],
  onSuccess: () => copyFile('node_modules/zod/LICENSE', 'dist/zod.LICENSE'),
})
