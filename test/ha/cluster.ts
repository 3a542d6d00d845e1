import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause, soon } from '../fuzz/soak/chance.ts'
import { startPgbouncer } from '../pgbouncer.ts'
import { freePort } from '../postgres-server.ts'
import { haproxyConfiguration } from './configuration.ts'
import { type ClusterNode, clusterNode, makeFolder } from './node.ts'
import { PROGRAMS } from './packages.ts'
import { program } from './program.ts'

/** Three nodes, and what stands in front of them. */
export interface Cluster {
  readonly nodes: readonly ClusterNode[]
  /** Addresses: of the leader, of the standbys, and of the leader through PgBouncer. */
  readonly leader: string
  readonly standbys: string
  readonly pooler: string
  /** The node that leads; waits until there is one. */
  readonly leading: () => Promise<ClusterNode>
  /** The synchronous standby; waits until there is one. */
  readonly synchronous: () => Promise<ClusterNode>
  /** Waits until one node leads, one follows it synchronously, and all follow. */
  readonly whole: () => Promise<void>
  /** Everything ends at once, as by a power cut of the whole room, and starts again. */
  readonly restartAll: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** How long the cluster may take to be whole again, in milliseconds. */
const PATIENCE = 120_000

const ADDRESS = 'postgres://postgres:secret-of-postgres@127.0.0.1'

/** Starts a cluster on free ports; it ends with this program at the latest. */
export const startCluster = async (): Promise<Cluster> => {
  const root = mkdtempSync(join(tmpdir(), 'claviger-ha-'))
  chmodSync(root, 0o755)
  const [etcdPort, peerPort, leader, standbys] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const etcd = await startEtcd(`${root}/etcd`, etcdPort, peerPort)
  const nodes = await Promise.all(
    ['node1', 'node2', 'node3'].map(async (name) => {
      const ports = { postgres: await freePort(), patroni: await freePort() }
      return clusterNode(name, { folder: `${root}/${name}`, etcd: etcdPort, ports })
    }),
  )
  await makeFolder(`${root}/haproxy`)
  const configuration = `${root}/haproxy/haproxy.cfg`
  writeFileSync(
    configuration,
    haproxyConfiguration(
      nodes.map(({ ports }) => ports),
      { leader, standbys },
    ),
  )
  const haproxy = program({
    path: PROGRAMS.haproxy,
    // Without a process of its own for its work.
    args: ['-db', '-f', configuration],
    folder: `${root}/haproxy`,
    log: 'haproxy.log',
  })
  const atExit = () => {
    for (const { crash } of nodes) crash()
    for (const { pid } of [haproxy, etcd]) if (pid() > 0) process.kill(pid(), 'SIGKILL')
    if (!process.env['KEEP'])
      rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  process.on('exit', atExit)
  for (const { start } of nodes) start()
  haproxy.start()
  const pooler = await startPgbouncer(leader, 20)

  const find = (path: 'primary' | 'sync') => async (): Promise<ClusterNode> => {
    const end = performance.now() + PATIENCE
    while (performance.now() < end) {
      for (const node of nodes) if (await node.check(path)) return node
      await pause(100)
    }
    throw new Error(`No node is ${path}`)
  }
  const count = async (path: 'primary' | 'replica' | 'sync') =>
    (await Promise.all(nodes.map(({ check }) => check(path)))).filter(Boolean).length

  return {
    nodes,
    leader: `${ADDRESS}:${leader}/postgres`,
    standbys: `${ADDRESS}:${standbys}/postgres`,
    pooler: pooler.connectionString,
    leading: find('primary'),
    synchronous: find('sync'),
    whole: async () => {
      const isWhole = async () =>
        (await count('primary')) === 1 &&
        (await count('replica')) === 2 &&
        (await count('sync')) === 1
      if (!(await soon(isWhole, PATIENCE))) throw new Error('The cluster is not whole')
    },
    restartAll: async () => {
      for (const { crash } of nodes) crash()
      await Promise.all([etcd.end('SIGKILL'), haproxy.end('SIGKILL')])
      for (const { start } of [etcd, haproxy, ...nodes]) start()
    },
    [Symbol.asyncDispose]: async () => {
      await pooler[Symbol.asyncDispose]()
      for (const { crash } of nodes) crash()
      await Promise.all([etcd.end('SIGKILL'), haproxy.end('SIGKILL')])
      process.off('exit', atExit)
      atExit()
    },
  }
}

const startEtcd = async (folder: string, port: number, peerPort: number) => {
  await makeFolder(folder)
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const etcd = program({
    path: PROGRAMS.etcd,
    args: [
      ...['--data-dir', `${folder}/data`],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
      ...['--initial-cluster', `default=${peer}`],
    ],
    folder,
    log: 'etcd.log',
  })
  etcd.start()
  return etcd
}
