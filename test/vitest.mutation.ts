// How mutation testing runs tests: each file loads its modules anew, since a mutant is chosen while they load, and a
// test that waits for ever fails after seconds.
import { defineConfig } from 'vitest/config'
import root from '../vitest.config.ts'

const { projects: _, ...test } = root.test ?? {}

export default defineConfig({ ...root, test: { ...test, isolate: true, testTimeout: 10_000 } })
