import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'

const root = resolve(import.meta.dirname, '../../..')

export const CURRENT = 'docs/examples/b2b-saas/main.ts'
export const OLDER = 'test/docs/b2b-saas/older-release.ts'

/** A process of the example. */
export interface Running {
  readonly url: string
  /** What it complained of. */
  readonly complaints: readonly string[]
  /** Ends at once, as a power cut would. */
  readonly kill: () => Promise<void>
  /** Ends in good order; answers with the exit code. */
  readonly stop: () => Promise<number | null>
}

/** Starts an instance on a free port, and resolves once it serves. */
export const startProcess = async (
  program: string,
  environment: NodeJS.ProcessEnv,
): Promise<Running> => {
  const child = spawn(process.execPath, [program], {
    cwd: root,
    env: { ...process.env, ...environment, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const atExit = () => void child.kill('SIGKILL')
  process.on('exit', atExit)
  child.once('exit', () => process.off('exit', atExit))
  const complaints: string[] = []
  createInterface(child.stderr).on('line', (line) => complaints.push(line))
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      await once(child, 'exit')
    }
    return child.exitCode
  }
  const port = await portOf(child)
  if (port === undefined) throw new Error(`${program} did not start:\n${complaints.join('\n')}`)
  return {
    url: `http://127.0.0.1:${port}`,
    complaints,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

/** What the process listens on; undefined when it ends before. */
const portOf = (child: ChildProcess): Promise<string | undefined> =>
  new Promise((resolve) => {
    if (!child.stdout) return resolve(undefined)
    createInterface(child.stdout).on('line', (line) => {
      const [, port] = /^Ready on (\d+)$/.exec(line) ?? []
      if (port) resolve(port)
    })
    child.once('close', () => resolve(undefined))
  })
