import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs the simulation in a process of its own, with the planted bug of that name if there is one. */
export const simulated = async (parameters: readonly string[], planted = ''): Promise<string> => {
  const folder = import.meta.dirname
  // With more room for what is short-lived, less is collected.
  const flags = ['--max-semi-space-size=64', '--import', join(folder, 'register.mjs')]
  const program = [...flags, join(folder, 'main.ts')]
  const options = { env: { ...process.env, PLANTED: planted }, maxBuffer: 2 ** 28 }
  try {
    return (await run(process.execPath, [...program, ...parameters], options)).stdout
  } catch (failed) {
    // It ends with a code when it has found a violation.
    if (failed instanceof Error && 'stdout' in failed) return String(failed.stdout)
    throw failed
  }
}
