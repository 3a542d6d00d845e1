// `node test/ha/main.ts`, after `npm run build`: a cluster of three PostgreSQL nodes on loopback loses its leader three
// times under load, then a replica, then everything at once. What was acknowledged must be in the log, and followers must have seen each event once.
import { type Cluster, startCluster } from './cluster.ts'
import { disturb, seconds } from './disturb.ts'
import { type Host, startHost } from './host.ts'
import { missingPackages } from './packages.ts'
import { makeShared, report } from './report.ts'

/** Four processes: two reach the leader directly, two through PgBouncer; one of each reads standbys. */
const startHosts = ({ leader, standbys, pooler }: Cluster): readonly Host[] => {
  const hosts: Host[] = []
  const tasks = [
    { name: 'direct', connectionString: leader },
    { name: 'direct-replica', connectionString: leader, replica: standbys },
    { name: 'pooled', connectionString: pooler },
    { name: 'pooled-replica', connectionString: pooler, replica: standbys },
  ]
  for (const [index, task] of tasks.entries()) {
    const next = (index + 1) % tasks.length
    hosts.push(startHost(task, (id) => hosts[next]?.send({ type: 'look', id })))
  }
  return hosts
}

const stop = (host: Host): Promise<unknown> => {
  const stopped = host.told('stopped')
  host.send({ type: 'stop' })
  return stopped
}

const run = async (): Promise<boolean> => {
  const begin = performance.now()
  await using cluster = await startCluster()
  await cluster.whole()
  console.log(`The cluster is there after ${seconds(performance.now() - begin)}`)
  await makeShared(cluster.leader)
  const hosts = startHosts(cluster)
  try {
    await Promise.all(hosts.map(({ told }) => told('ready')))
    await disturb(cluster, hosts)
    await Promise.all(hosts.map(stop))
    return await report(cluster.leader, hosts)
  } finally {
    for (const { kill } of hosts) kill()
    console.log(`Done after ${seconds(performance.now() - begin)}`)
  }
}

const missing = missingPackages()
if (missing.length > 0) {
  console.error(
    `NOT RUN: ${missing.join(', ')} are missing; bash .ci/programs cluster installs them`,
  )
  process.exitCode = 1
} else {
  // Whatever was started ends with this program.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
  const isFine = await run().catch((error: unknown) => {
    // Before what then went wrong with cleaning up.
    console.error(Reflect.get(Object(error), 'suppressed') ?? error)
    return false
  })
  console.log(isFine ? 'All is well' : 'FAILED')
  process.exitCode = isFine ? 0 : 1
}
