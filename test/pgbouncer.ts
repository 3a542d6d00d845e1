import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort, unprivileged } from './postgres-server.ts'

/** Where the package of Debian puts it. */
const PROGRAM = '/usr/sbin/pgbouncer'

/** Why tests that need PgBouncer do not run; undefined when it is there. */
export const withoutPgbouncer = existsSync(PROGRAM)
  ? undefined
  : `There is no ${PROGRAM}: apt-get install -y pgbouncer`

/** Why tests that need its prepared statements do not run: it has them since 1.21. */
export const withoutPreparedStatements = (): string | undefined => {
  if (withoutPgbouncer !== undefined) return withoutPgbouncer
  const [, version = ''] =
    /PgBouncer (1\.\d+)/.exec(String(execFileSync(PROGRAM, ['--version']))) ?? []
  return Number(version.slice(2)) >= 21 ? undefined : `PgBouncer ${version} prepares no statements`
}

/** A PgBouncer of a test's own, which lends connections for one transaction. */
export interface Pgbouncer {
  readonly connectionString: string
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Starts PgBouncer on a free port; it ends with the program at the latest.
 *
 * @param target - port of the server
 * @param size - most connections to a database there
 * @param settings - lines of its file
 */
export const startPgbouncer = async (
  target: number,
  size: number,
  settings: readonly string[] = [],
): Promise<Pgbouncer> => {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  writeFileSync(join(folder, 'users'), '"postgres" ""\n')
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=127.0.0.1 port=${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = ${size}
max_client_conn = 500
ignore_startup_parameters = statement_timeout
server_login_retry = 1
${settings.join('\n')}
`,
  )
  const child = spawn(PROGRAM, [join(folder, 'pgbouncer.ini')], {
    ...unprivileged,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const atExit = () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.on('exit', atExit)
  await untilItListens(child)
  return {
    connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      process.off('exit', atExit)
      atExit()
    },
  }
}

const untilItListens = ({ stderr }: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    const said: string[] = []
    if (!stderr) return reject(new Error('PgBouncer has no log'))
    const lines = createInterface(stderr)
    lines.on('line', (line) => {
      said.push(line)
      if (line.includes('process up')) resolve()
    })
    lines.once('close', () => reject(new Error(`PgBouncer did not start:\n${said.join('\n')}`)))
  })
