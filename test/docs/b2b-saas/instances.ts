import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { copyExample } from '../copied-example.js'

/** A process of the example. */
export interface Running {
  readonly url: string
  /** What it complained of. */
  readonly complaints: readonly string[]
  /** Ends at once, as a power cut would. */
  readonly kill: () => Promise<void>
  /** Ends cleanly; answers with the exit code. */
  readonly stop: () => Promise<number | null>
}

export type DatabaseKind = 'SQLite' | 'PostgreSQL'

/** A folder with the example, and one with its last release: that has a role which is gone now, and lacks another. */
export const copyReleases = (
  kind: DatabaseKind,
): { readonly current: string; readonly older: string } => {
  const [current, older] = [copyExample('b2b-saas'), copyExample('b2b-saas')]
  if (kind === 'PostgreSQL')
    for (const folder of [current, older])
      renameSync(join(folder, 'postgres.ts'), join(folder, 'database.ts'))
  const file = join(older, 'access.ts')
  const text = readFileSync(file, 'utf8')
  const changed = text
    .replace('version: 2,', 'version: 1,')
    .replace(
      "roleKey: 'approver', displayName: 'Approver'",
      "roleKey: 'clerk', displayName: 'Clerk'",
    )
  if (!changed.includes('version: 1,') || !changed.includes('clerk'))
    throw new Error('The release is not older')
  writeFileSync(file, changed)
  return { current, older }
}

interface Start {
  /** Of the release. */
  readonly folder: string
  /** Where SQLite files are. */
  readonly cwd: string
  readonly environment: NodeJS.ProcessEnv
}

/** Migrates the database to a release. */
export const migrate = async ({ folder, cwd, environment }: Start): Promise<void> => {
  const env = { ...process.env, NODE_ENV: 'development', ...environment }
  await promisify(execFile)(process.execPath, [join(folder, 'migrate.ts')], { cwd, env })
}

/** Starts an instance on a free port, and resolves once it serves. */
export const startProcess = async ({ folder, cwd, environment }: Start): Promise<Running> => {
  const dns = resolve(import.meta.dirname, 'dns.ts')
  const child = spawn(process.execPath, ['--import', dns, join(folder, 'main.ts')], {
    cwd,
    // Not `test`, in which better-auth checks less.
    env: { ...process.env, NODE_ENV: 'development', ...environment, PORT: '0' },
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
  if (port === undefined) throw new Error(`It did not start:\n${complaints.join('\n')}`)
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
      const [, port] = /^Ready .* port: (\d+)/.exec(line) ?? []
      if (port) resolve(port)
    })
    child.once('close', () => resolve(undefined))
  })
