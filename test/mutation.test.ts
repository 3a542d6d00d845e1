import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('..', import.meta.url)
const read = (part: string) =>
  JSON.parse(readFileSync(new URL(`.ci/mutation/${part}.json`, root), 'utf8'))

/** Files that a pattern of Stryker finds; Node.js reads `!(a|b)` as a name. */
const foundBy = (pattern: string) => globSync(pattern.replace(/!\([^)]*\)/, '*'), { cwd: root })

test.each(['domain', 'application'])(
  'Each file that mutation testing of the %s names is there',
  (part) => {
    const { mutate, testFiles = [] } = read(part)
    for (const pattern of [...mutate, ...testFiles])
      expect(foundBy(pattern), pattern).not.toEqual([])
  },
)
