import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { childrenOf, unprivileged } from '../postgres-server.ts'
import { type NodePorts, patroniConfiguration } from './configuration.ts'
import { PROGRAMS } from './packages.ts'
import { type Program, program } from './program.ts'

/** What a node can be. */
export type Role = 'primary' | 'replica' | 'sync'

/** A machine of the cluster: Patroni, and the PostgreSQL that it runs. */
export interface ClusterNode extends Omit<Program, 'pid'> {
  readonly name: string
  readonly ports: NodePorts
  /** Stops all its processes in the middle of what they do; others see a machine that is cut off. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Whether Patroni says so. */
  readonly check: (role: Role) => Promise<boolean>
}

/** Where a node is. */
interface Place {
  readonly folder: string
  readonly ports: NodePorts
  /** Port of etcd. */
  readonly etcd: number
  /** By how many seconds its clock is ahead. */
  readonly clock: number
}

/** Makes `folder` one that the servers may write to. */
export const makeFolder = async (folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, gid } = unprivileged
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
}

/** @see ClusterNode */
export const clusterNode = async (
  name: string,
  { folder, ports, etcd, clock }: Place,
): Promise<ClusterNode> => {
  await makeFolder(folder)
  const configuration = `${folder}/patroni.yml`
  writeFileSync(configuration, patroniConfiguration(name, folder, { ...ports, etcd }))
  const patroni = program({
    path: PROGRAMS.patroni,
    args: [configuration],
    folder,
    log: 'patroni.log',
    env: withClock(clock),
  })
  const processes = () => withChildren([patroni.pid(), postmasterIn(`${folder}/data`)])
  return {
    name,
    ports,
    start: patroni.start,
    crash: () => {
      // Stopped first, so that none starts another one meanwhile.
      for (const signal of ['SIGSTOP', 'SIGKILL'] as const) send(signal, processes())
    },
    freeze: () => send('SIGSTOP', processes()),
    thaw: () => send('SIGCONT', processes()),
    ended: patroni.ended,
    check: async (role) => {
      try {
        const url = `http://127.0.0.1:${ports.patroni}/${role}`
        const { status, body } = await fetch(url, { signal: AbortSignal.timeout(1_000) })
        await body?.cancel()
        return status === 200
      } catch {
        return false
      }
    },
  }
}

/** Sets the clocks of programs apart, when it is installed. */
const FAKETIME = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`

/** The environment of a program whose clock differs by so many seconds. */
const withClock = (clock: number): Readonly<Record<string, string>> =>
  existsSync(FAKETIME) && clock !== 0
    ? {
        LD_PRELOAD: FAKETIME,
        FAKETIME: `${clock > 0 ? '+' : ''}${clock}s`,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }
    : {}

/** The process of the server in `data`; 0 when none runs. */
const postmasterIn = (data: string): number => {
  const file = `${data}/postmaster.pid`
  if (!existsSync(file)) return 0
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  const command = `/proc/${pid}/cmdline`
  // The file outlives a crash, and its number may be that of another process by then.
  return existsSync(command) && readFileSync(command, 'utf8').includes(data) ? pid : 0
}

const withChildren = (pids: readonly number[]): readonly number[] =>
  pids.filter((pid) => pid > 0).flatMap((pid) => [pid, ...withChildren(childrenOf(pid))])

const send = (signal: NodeJS.Signals, pids: readonly number[]): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has just ended.
    }
  }
}
