import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort, unprivileged } from './postgres-server.ts'

/** Where the package of Debian puts it. */
const PROGRAM = '/usr/sbin/mariadbd'

/** Why tests that need MariaDB do not run; undefined when it is there. */
export const withoutMariadb = existsSync(PROGRAM)
  ? undefined
  : `There is no ${PROGRAM}: apt-get install -y mariadb-server`

/** A MariaDB of a test's own, without a password, with a database `test`. */
export interface MariadbServer {
  readonly port: number
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts MariaDB on a free port; it ends with the program at the latest. */
export const startMariadb = async (): Promise<MariadbServer> => {
  const root = mkdtempSync(join(tmpdir(), 'claviger-mariadb-'))
  chmodSync(root, 0o700)
  if (unprivileged.uid && unprivileged.gid) chownSync(root, unprivileged.uid, unprivileged.gid)
  const folder = join(root, 'data')
  execFileSync(
    'mariadb-install-db',
    [`--datadir=${folder}`, '--no-defaults', '--auth-root-authentication-method=normal'],
    { ...unprivileged, cwd: root, stdio: 'ignore' },
  )
  const port = await freePort()
  const child = spawn(
    PROGRAM,
    [
      '--no-defaults',
      `--datadir=${folder}`,
      `--socket=${join(root, 'socket')}`,
      '--bind-address=127.0.0.1',
      `--port=${port}`,
    ],
    { ...unprivileged, cwd: root, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const atExit = () => {
    child.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true })
  }
  process.on('exit', atExit)
  await new Promise<void>((resolve, reject) => {
    const said: string[] = []
    const log = createInterface(child.stderr)
    log.on('line', (line) => {
      said.push(line)
      if (line.includes('ready for connections')) resolve()
    })
    log.once('close', () => reject(new Error(`MariaDB did not start:\n${said.join('\n')}`)))
  })
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      process.off('exit', atExit)
      atExit()
    },
  }
}
