import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from 'claviger/sqlite'
import { chance } from './chance.ts'
import type { Kind } from './place.ts'

/** How long a host waits for the lock, in milliseconds; the other process holds it for up to twice as long. */
const BUSY_TIMEOUT = 100

/** Another process locks the file from time to time, and is killed while it may hold the lock. */
export const sqlite: Kind = {
  name: 'sqlite',
  isOnHeap: false,
  make: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'claviger-soak-'))
    const file = join(folder, 'iam.db')
    let locker = startLocker(file)

    const kill = async (): Promise<void> => {
      if (locker.exitCode !== null) throw new Error('The other process has ended by itself')
      if (locker.signalCode !== null) return
      const exited = once(locker, 'exit')
      locker.kill('SIGKILL')
      await exited
    }

    return {
      open: async () => openSqlite(file, { busyTimeout: BUSY_TIMEOUT }),
      disturb: async () => {
        if (chance(0.8)) return
        await kill()
        locker = startLocker(file)
      },
      calm: kill,
      connections: async () => 0,
      [Symbol.asyncDispose]: async () => {
        await kill()
        rmSync(folder, { recursive: true })
      },
    }
  },
}

const startLocker = (file: string): ChildProcess => {
  const script = join(import.meta.dirname, 'lock-file.mjs')
  return spawn(process.execPath, [script, file, String(2 * BUSY_TIMEOUT)], { stdio: 'ignore' })
}
