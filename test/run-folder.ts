import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VARIABLE = 'CLAVIGER_RUN_FOLDER'

/**
 * A file system in memory, for temporary files unless `TMPDIR` names another. A schema of PostgreSQL has many files,
 * which are made there in half the time.
 */
const IN_MEMORY = '/dev/shm'

/** Least room for it to be used, in bytes: containers may have little. */
const MIN_ROOM = 4 * 1024 ** 3

/** The folder of temporary files of this run of Vitest, which is gone after it; undefined outside Vitest. */
export const runFolder = (): string | undefined => process.env[VARIABLE]

/** Called by Vitest before all tests. What it returns is called after them. */
export const setup = (): (() => void) => {
  if (!process.env['TMPDIR'] && isUsable()) process.env['TMPDIR'] = IN_MEMORY
  const folder = mkdtempSync(join(tmpdir(), 'claviger-run-'))
  process.env[VARIABLE] = folder
  // Tests start some thousand programs, which would each compile the library anew.
  process.env['NODE_COMPILE_CACHE'] ??= join(folder, 'compiled')
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Whether files in memory have room, and may be programs. */
const isUsable = (): boolean => {
  if (!existsSync(IN_MEMORY) || !existsSync('/proc/mounts')) return false
  const options = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8'))?.[1]
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  return options !== undefined && !options.includes('noexec') && bavail * bsize >= MIN_ROOM
}
