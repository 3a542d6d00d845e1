import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const execute = promisify(execFile)
const folder = resolve(import.meta.dirname, '../../docs/examples')

/** Parts of a deployment, and servers: each has a test of its own beside this one or in test/transport or test/oidc. */
const NO_PROGRAMS = /^(access|embed|mariadb|neon|serve)/

const examples = readdirSync(folder).filter(
  (file) => file.endsWith('.ts') && !NO_PROGRAMS.test(file),
)

describe('docs/examples', () => {
  it.each(examples)('%s runs without a word of complaint', async (file) => {
    const { stdout, stderr } = await execute(process.execPath, [join(folder, file)])
    expect(stdout).not.toBe('')
    expect(stderr).toBe('')
  })
})
