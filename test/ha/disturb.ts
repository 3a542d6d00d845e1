import { pause, soon } from '../fuzz/soak/chance.ts'
import type { Cluster } from './cluster.ts'
import type { Done, Host } from './host.ts'

const ROUNDS = 3

/** Load between two disturbances, and how long a replica is cut off, in milliseconds. */
const CALM = 5_000
const CUT_OFF = 15_000

/** How long all may take to go on, in milliseconds. */
const PATIENCE = 120_000

const DONE: readonly Done[] = ['write', 'strong', 'eventual']

export const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`

/** Kills the leader in each round, cuts a replica off, and ends everything at once; prints how long users waited. */
export const disturb = async (cluster: Cluster, hosts: readonly Host[]): Promise<void> => {
  for (let round = 1; round <= ROUNDS; round++) {
    await pause(CALM)
    const leader = await cluster.leading()
    await until(`Round ${round}, leader ${leader.name} killed`, hosts, async () => leader.crash())
    leader.start()
    await cluster.whole()
  }
  await pause(CALM)
  const standby = await cluster.synchronous()
  await until(`Synchronous replica ${standby.name} cut off`, hosts, async () => {
    standby.freeze()
    await pause(CUT_OFF)
  })
  standby.thaw()
  await cluster.whole()
  await pause(CALM)
  await until('Everything killed and started', hosts, cluster.restartAll)
  await cluster.whole()
  await pause(CALM)
}

/** Runs `work`, and waits until every process does everything again. */
const until = async (
  what: string,
  hosts: readonly Host[],
  work: () => Promise<void>,
): Promise<void> => {
  for (const { rest } of hosts) rest()
  await work()
  const begin = performance.now()
  const goesOn = ({ last }: Host) => DONE.every((done) => last(done) > begin)
  if (!(await soon(() => hosts.every(goesOn), PATIENCE))) throw new Error(`${what}: not all go on`)
  const withReplica = hosts.filter(({ task }) => task.replica !== undefined)
  const without = hosts.filter((host) => !withReplica.includes(host))
  console.log(
    `${what}. Longest pause: writes ${longest(hosts, 'write')}, strong reads ${longest(hosts, 'strong')}, ` +
      `eventual reads ${longest(without, 'eventual')}, with a replica ${longest(withReplica, 'eventual')}`,
  )
}

const longest = (hosts: readonly Host[], done: Done): string =>
  seconds(Math.max(...hosts.map(({ longestPause }) => longestPause(done))))
