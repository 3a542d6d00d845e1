import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause, soon } from '../fuzz/soak/chance.ts'
import { freePort } from '../postgres-server.ts'
import { type ClusterNode, clusterNode, type Role } from './node.ts'
import { etcdIn, haproxyIn, pgbouncerIn } from './servers.ts'

/** Three nodes, and what stands in front of them. */
export interface Cluster {
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

/** By how many seconds the clocks of the nodes are ahead; Patroni takes no servers whose clock is 3 seconds off. */
const CLOCKS = [1.5, -1.5, 0]

const ADDRESS = 'postgres://postgres:secret-of-postgres@127.0.0.1'

/** Starts a cluster on free ports; it ends with this program at the latest. */
export const startCluster = async (): Promise<Cluster> => {
  const root = mkdtempSync(join(tmpdir(), 'claviger-ha-'))
  chmodSync(root, 0o755)
  const etcd = await etcdIn(`${root}/etcd`)
  const nodes: ClusterNode[] = []
  for (const [index, clock] of CLOCKS.entries()) {
    const ports = { postgres: await freePort(), patroni: await freePort() }
    const name = `node${index + 1}`
    const folder = `${root}/${name}`
    nodes.push(await clusterNode(name, { folder, ports, etcd: etcd.port, clock }))
  }
  const haproxy = await haproxyIn(
    `${root}/haproxy`,
    nodes.map(({ ports }) => ports),
  )
  const pgbouncer = await pgbouncerIn(`${root}/pgbouncer`, haproxy.port)
  const all = [etcd, haproxy, pgbouncer, ...nodes]
  const kill = () => {
    for (const { crash } of all) crash()
  }
  const start = () => {
    for (const { start } of all) start()
  }
  const atExit = () => {
    kill()
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  process.on('exit', atExit)
  start()

  const count = async (role: Role) =>
    (await Promise.all(nodes.map(({ check }) => check(role)))).filter(Boolean).length
  const find = (role: Role) => async (): Promise<ClusterNode> => {
    const end = performance.now() + PATIENCE
    while (performance.now() < end) {
      for (const node of nodes) if (await node.check(role)) return node
      await pause(100)
    }
    throw new Error(`No node is ${role}`)
  }
  const isWhole = async () =>
    (await count('primary')) === 1 && (await count('replica')) === 2 && (await count('sync')) === 1

  return {
    leader: `${ADDRESS}:${haproxy.port}/postgres`,
    standbys: `${ADDRESS}:${haproxy.standbys}/postgres`,
    pooler: `${ADDRESS}:${pgbouncer.port}/postgres`,
    leading: find('primary'),
    synchronous: find('sync'),
    whole: async () => {
      if (!(await soon(isWhole, PATIENCE))) throw new Error('The cluster is not whole')
    },
    restartAll: async () => {
      kill()
      await Promise.all(all.map(({ ended }) => ended()))
      start()
    },
    [Symbol.asyncDispose]: async () => {
      kill()
      await Promise.all(all.map(({ ended }) => ended()))
      process.off('exit', atExit)
      atExit()
    },
  }
}
