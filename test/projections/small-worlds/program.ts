import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Compares small worlds in a process of its own, with the planted bug of that name if there is one. */
export const smallWorlds = async (parameters: readonly string[], planted = ''): Promise<string> => {
  const folder = import.meta.dirname
  const hooks = join(folder, '../../simulation/register.mjs')
  const program = ['--import', hooks, join(folder, 'main.ts'), ...parameters]
  return (await run(process.execPath, program, { env: { ...process.env, PLANTED: planted } }))
    .stdout
}
