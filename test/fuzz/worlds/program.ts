import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Compares the worlds in a process of its own, with the planted bug of that name if there is one. */
export const compared = async (parameters: readonly string[], planted = ''): Promise<string> => {
  const folder = import.meta.dirname
  const program = [
    '--import',
    join(folder, '../../simulation/register.mjs'),
    join(folder, 'main.ts'),
  ]
  const options = { env: { ...process.env, PLANTED: planted }, maxBuffer: 2 ** 28 }
  try {
    return (await run(process.execPath, [...program, ...parameters], options)).stdout
  } catch (failed) {
    // It ends with a code at the first difference.
    if (failed instanceof Error && 'stdout' in failed && failed.stdout) return String(failed.stdout)
    throw failed
  }
}
