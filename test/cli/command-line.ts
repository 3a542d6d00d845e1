// Runs the built command line as a process, as a shell does.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { runFolder } from '../run-folder.js'

/** The program. */
export const PROGRAM = resolve(import.meta.dirname, '../../dist/cli.js')

/** What a command left behind. */
export interface Ran {
  /** -1 when a signal ended it. */
  readonly code: number
  readonly out: string
  readonly notes: string
}

/** A command at work. */
export interface Running {
  readonly child: ChildProcess
  /** Resolves once the text was printed; rejects when the command ends without it. */
  readonly printed: (part: string) => Promise<void>
  /** The same of what it says beside its result. */
  readonly noted: (part: string) => Promise<void>
  /** What it prints first, up to a line break. */
  readonly first: () => Promise<string>
  readonly ended: Promise<Ran>
}

/** The variables of a user who has set nothing, and the cache of compiled code that the tests share. */
const environment = (): NodeJS.ProcessEnv => {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, NODE_COMPILE_CACHE }
}

/** What a test gives a process beside its arguments. */
export interface Setting {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

/** Starts a program. */
export const start = (
  program: string,
  parameters: readonly string[],
  { env, cwd }: Setting = {},
): Running => {
  const child = spawn(program, [...parameters], {
    ...(cwd !== undefined && { cwd }),
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 50_000,
  })
  const seen = { stdout: '', stderr: '' }
  child.stdout.on('data', (data) => (seen.stdout += data))
  child.stderr.on('data', (data) => (seen.stderr += data))
  const streams = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const ended = streams.then(([out, notes]) => ({ code: child.exitCode ?? -1, out, notes }))
  const has = (stream: 'stdout' | 'stderr') => async (part: string) => {
    while (!seen[stream].includes(part)) {
      const gone = await Promise.race([once(child[stream], 'data'), ended])
      if ('notes' in gone && !seen[stream].includes(part)) throw new Error(gone.notes)
    }
  }
  const printed = has('stdout')
  const first = async (): Promise<string> => {
    await printed('\n')
    return seen.stdout.slice(0, seen.stdout.indexOf('\n'))
  }
  return { child, printed, noted: has('stderr'), first, ended }
}

/** Starts a command. */
export const starting = (...parameters: readonly string[]): Running =>
  start(process.execPath, [PROGRAM, ...parameters])

/** Runs a command to its end. */
export const claviger = (...parameters: readonly string[]): Promise<Ran> =>
  starting(...parameters).ended

/** Runs a script in which `claviger` is the command line; `pipefail` is set. */
export const shell = (script: string, setting: Setting = {}): Promise<Ran> => {
  const setUp = `set -o pipefail; PROGRAM='${PROGRAM}'; claviger() { "${process.execPath}" "${PROGRAM}" "$@"; }; npx() { "$@"; }`
  return start('bash', ['-c', `${setUp}\n${script}`], setting).ended
}

/** A folder of a test's own, which is gone after the run. */
export const ownFolder = (): string => mkdtempSync(join(runFolder() ?? tmpdir(), 'cli-'))
