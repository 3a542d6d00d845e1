// `npm run test:ha`: a cluster of three PostgreSQL nodes on loopback loses its leader three times under load, then a
// replica, then everything at once. What was acknowledged must be in the log, and followers must have seen each event once.
import {
  aesGcmCipher,
  createIam,
  memoryReadModel,
  orThrow,
  type RecordedEvent,
  verify,
} from 'claviger'
import { openPostgres } from 'claviger/postgres'
import { pause, soon } from '../fuzz/soak/chance.ts'
import { checkAnswers, checkFollower } from './check.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Done, followedTo, type Host, startHost } from './host.ts'
import { missingPackages } from './packages.ts'

const ROUNDS = 3

/** Load between two disturbances, and how long a replica is cut off, in milliseconds. */
const CALM = 5_000
const CUT_OFF = 15_000

/** How long all may take to go on, in milliseconds. */
const PATIENCE = 120_000

const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
const context = { caller: { userId: 'admin', orgId: 'acme' } }

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`

/** Four processes: two go to the leader, one of them with a replica; two through PgBouncer, likewise. */
const startHosts = ({ leader, standbys, pooler }: Cluster): readonly Host[] => {
  const hosts: Host[] = []
  const tasks = [
    { name: 'direct', connectionString: leader },
    { name: 'replica', connectionString: leader, replica: standbys },
    { name: 'pooled', connectionString: pooler },
    { name: 'pooled-replica', connectionString: pooler, replica: standbys },
  ]
  for (const [index, task] of tasks.entries()) {
    hosts.push(
      startHost(task, (id) => hosts[(index + 1) % tasks.length]?.send({ type: 'look', id })),
    )
  }
  return hosts
}

/** Breaks something, and waits until every process does everything again. */
const disturb = async (what: string, hosts: readonly Host[], work: () => Promise<void>) => {
  for (const { rest } of hosts) rest()
  await work()
  const begin = performance.now()
  const goesOn = ({ last }: Host) => KINDS.every((done) => last(done) > begin)
  if (!(await soon(() => hosts.every(goesOn), PATIENCE))) throw new Error(`${what}: not all go on`)
  console.log(`${what}: longest pause ${KINDS.map((done) => pauseOf(hosts, done)).join(', ')}`)
}

const KINDS: readonly Done[] = ['write', 'strong', 'eventual']

const NAMES = {
  write: 'of writes',
  strong: 'of strong reads',
  eventual: 'of eventual reads',
} as const

const pauseOf = (hosts: readonly Host[], done: Done): string => {
  const each = hosts.map(({ name, longestPause }) => `${name} ${seconds(longestPause(done))}`)
  return `${NAMES[done]} (${each.join(', ')})`
}

const breakAll = async (cluster: Cluster, hosts: readonly Host[]): Promise<void> => {
  for (let round = 1; round <= ROUNDS; round++) {
    await pause(CALM)
    const leader = await cluster.leading()
    await disturb(`Round ${round}, ${leader.name} killed`, hosts, async () => leader.crash())
    leader.start()
    await cluster.whole()
  }
  await pause(CALM)
  const standby = await cluster.synchronous()
  await disturb(`The synchronous replica ${standby.name} cut off`, hosts, async () => {
    standby.freeze()
    await pause(CUT_OFF)
  })
  standby.thaw()
  await cluster.whole()
  await pause(CALM)
  await disturb('Everything restarted', hosts, cluster.restartAll)
  await cluster.whole()
  await pause(CALM)
}

const stopAll = (hosts: readonly Host[]) =>
  Promise.all(
    hosts.map((host) => {
      const stopped = host.told('stopped')
      host.send({ type: 'stop' })
      return stopped
    }),
  )

/** What is wrong at the end. */
const check = async (cluster: Cluster, hosts: readonly Host[]): Promise<boolean> => {
  await using opened = await openPostgres({ connectionString: cluster.leader })
  const { store, readModel } = opened
  const verified = await verify(store, { secrets })
  console.log(
    verified.isOk()
      ? `verify: ${verified.value.events} events in order`
      : `verify: ${verified.error.kind}`,
  )
  const log: RecordedEvent[] = []
  for (let page = await store.readAll(0n, 5_000); page.length > 0; ) {
    log.push(...page)
    page = await store.readAll(log.at(-1)?.position ?? 0n, 5_000)
  }
  const verdict = checkAnswers(
    log,
    hosts.flatMap(({ answers }) => answers),
  )
  console.log(
    `Commands: ${verdict.acknowledged} acknowledged, ${verdict.unknown} unknown; acknowledged and lost ${verdict.lost}, ` +
      `recorded twice ${verdict.recordedTwice}, recorded although told otherwise ${verdict.recordedUntold}`,
  )
  let [skipped, doubled, followers] = [0, 0, 0]
  for (const host of hosts) {
    const followed = await followedTo(host, log.at(-1)?.position ?? 0n)
    for (const seen of Object.values(followed.followers)) {
      const found = checkFollower(log, seen)
      skipped += found.skipped
      doubled += found.doubled
      followers++
    }
  }
  console.log(`Followers: ${followers}; events skipped ${skipped}, doubled ${doubled}`)
  const shown = await Promise.all(
    [readModel, memoryReadModel()].map(async (model) => {
      const iam = createIam({ store, readModel: model, secrets, authorize: () => true })
      const projects = await orThrow(iam.projects.list({}, context))
      const roles = await orThrow(iam.projectRoles.list({ projectId: 'shared' }, context))
      return `${projects.totalSize} projects, ${roles.totalSize} roles`
    }),
  )
  console.log(`Read model: ${shown[0]}; built anew: ${shown[1]}`)
  const problems = hosts.flatMap(({ problems }) => problems)
  for (const problem of problems.slice(0, 20)) console.error(problem)
  console.log(`Other problems: ${problems.length}`)
  const { lost, recordedTwice, recordedUntold } = verdict
  const wrong = lost + recordedTwice + recordedUntold + skipped + doubled + problems.length
  return verified.isOk() && wrong === 0 && verdict.acknowledged > 0 && shown[0] === shown[1]
}

const run = async (): Promise<boolean> => {
  const begin = performance.now()
  await using cluster = await startCluster()
  await cluster.whole()
  console.log(`The cluster is there after ${seconds(performance.now() - begin)}`)
  {
    await using opened = await openPostgres({ connectionString: cluster.leader })
    const iam = createIam({ ...opened, secrets, authorize: () => true })
    await orThrow(iam.projects.add({ id: 'shared', name: 'Shared' }, context))
  }
  const hosts = startHosts(cluster)
  try {
    await Promise.all(hosts.map(({ told }) => told('ready')))
    await breakAll(cluster, hosts)
    await stopAll(hosts)
    return await check(cluster, hosts)
  } finally {
    for (const { kill } of hosts) kill()
    console.log(`Done after ${seconds(performance.now() - begin)}`)
  }
}

const missing = missingPackages()
if (missing.length > 0) {
  console.log(`NOT RUN: apt-get install -y ${missing.join(' ')}`)
} else {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
  const isFine = await run()
  console.log(isFine ? 'All is well' : 'FAILED')
  process.exitCode = isFine ? 0 : 1
}
