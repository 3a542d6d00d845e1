import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** The Python of the system, which has the packages of Debian. */
export const PYTHON = '/usr/bin/python3'
/** Whether it has PyNaCl; where all is tested, it must. */
export const hasPython = (): boolean => {
  try {
    if (existsSync(PYTHON)) execFileSync(PYTHON, ['-c', 'import nacl'], { stdio: 'ignore' })
    else throw new Error('no Python')
    return true
  } catch (cause) {
    if (process.env['CI']) throw cause
    process.stderr.write('\n*** NOT TESTED: verifying in Python. There is no python3-nacl. ***\n\n')
    return false
  }
}
