// How mutation testing runs these tests: modules are loaded once for all files, and a mutant that waits for ever
// fails after seconds.
import { defineConfig } from 'vitest/config'
import root from '../../vitest.config.ts'

export default defineConfig({
  ...root,
  test: { ...root.test, isolate: false, testTimeout: 3_000 },
})
