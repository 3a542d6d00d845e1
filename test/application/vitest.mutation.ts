// How mutation testing runs these tests: a mutant that waits for ever fails after seconds.
import { defineConfig } from 'vitest/config'
import root from '../../vitest.config.ts'

export default defineConfig({
  ...root,
  test: { ...root.test, testTimeout: 3_000 },
})
