import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { unprivileged } from '../postgres-server.ts'

/** A program of the cluster, which ends with this one at the latest. */
export interface Program {
  /** 0 while it does not run. */
  readonly pid: () => number
  readonly start: () => void
  /** Ends it at once, as a power cut would. */
  readonly crash: () => void
  /** Resolves once it has ended. */
  readonly ended: () => Promise<void>
}

/** How a program is started. */
export interface Command {
  readonly path: string
  readonly args: readonly string[]
  readonly folder: string
  /** Where it writes to, in its folder. */
  readonly log: string
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** @see Program */
export const program = ({ path, args, folder, log, env }: Command): Program => {
  let child: ChildProcess | undefined
  const isRunning = () =>
    child !== undefined && child.exitCode === null && child.signalCode === null
  return {
    pid: () => (isRunning() ? (child?.pid ?? 0) : 0),
    start: () => {
      const output = openSync(`${folder}/${log}`, 'a')
      child = spawn(path, args, {
        ...unprivileged,
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8', ...env },
        stdio: ['ignore', output, output],
      })
      closeSync(output)
    },
    crash: () => {
      if (isRunning()) child?.kill('SIGKILL')
    },
    ended: async () => {
      if (child !== undefined && isRunning()) await once(child, 'exit')
    },
  }
}
