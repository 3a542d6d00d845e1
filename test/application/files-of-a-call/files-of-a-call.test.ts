import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const folder = import.meta.dirname

/** The files of `src` of which a function runs in one call on SQLite. */
const filesOf = async (...call: readonly string[]): Promise<readonly string[]> => {
  const flags = ['--import', join(folder, '../../simulation/register.mjs')]
  const args = [...flags, join(folder, 'main.ts'), ...call]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout)
}

it.each([
  ['the first projectRoles.add', 'application/recording/transact.ts', 26, ['projectRoles.add']],
  ['access.check', 'application/access/check-access.ts', 22, ['access.check', '--again']],
  ['apply with nothing to do', 'adapters/sql/read-model/lists.ts', 42, ['apply', '--again']],
])('%s runs no more files of the library than before', async (_, one, most, call) => {
  const files = await filesOf(...call)
  expect(files).toContain(one)
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most)
})
