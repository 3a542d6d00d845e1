import { defineConfig } from 'vitest/config'
import root from '../../vitest.config.ts'

export default defineConfig({
  ...root,
  test: {
    dir: 'test/fuzz',
    include: ['**/*.fuzz.ts'],
    globalSetup: 'test/run-folder.ts',
    testTimeout: 3_600_000,
  },
})
