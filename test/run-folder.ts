import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VARIABLE = 'CLAVIGER_RUN_FOLDER'

/** The folder of temporary files of this run of Vitest, which is gone after it; undefined outside Vitest. */
export const runFolder = (): string | undefined => process.env[VARIABLE]

/** Called by Vitest before all tests. What it returns is called after them. */
export const setup = (): (() => void) => {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-run-'))
  process.env[VARIABLE] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
