import {
  aesGcmCipher,
  createIam,
  type EventStore,
  memoryReadModel,
  orThrow,
  type ReadModel,
  type RecordedEvent,
  verify,
} from 'claviger'
import { openPostgres } from 'claviger/postgres'
import { checkAnswers, checkFollower } from './check.ts'
import { followedTo, type Host } from './host.ts'

/** Problems that are printed. */
const MOST_PRINTED = 20

export const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })

const iamOn = (store: EventStore, readModel: ReadModel) =>
  createIam({ store, readModel, secrets, authorize: () => true })

/** Makes the project that all write to. */
export const makeShared = async (connectionString: string): Promise<void> => {
  await using opened = await openPostgres({ connectionString })
  const { store, readModel } = opened
  const context = { caller: { userId: 'admin', orgId: 'acme' } }
  await orThrow(iamOn(store, readModel).projects.add({ id: 'shared', name: 'Shared' }, context))
}

/** Holds the log to what processes were answered and what followers saw; prints it, and answers whether all is well. */
export const report = async (
  connectionString: string,
  hosts: readonly Host[],
): Promise<boolean> => {
  await using opened = await openPostgres({ connectionString })
  const { store, readModel } = opened
  const verified = await verify(store, { secrets })
  console.log(
    verified.isOk() ? `verify: ${verified.value.events} events` : `verify: ${verified.error.kind}`,
  )
  const log = await wholeLog(store)
  const verdict = checkAnswers(
    log,
    hosts.flatMap(({ answers }) => answers),
  )
  const { acknowledged, unknown, lost, recordedTwice, recordedUntold } = verdict
  console.log(`Commands: ${acknowledged} acknowledged, ${unknown} unknown`)
  console.log(`Events acknowledged and lost: ${lost}`)
  console.log(`Commands recorded twice: ${recordedTwice}; though told otherwise: ${recordedUntold}`)
  const followed = await followersOf(hosts, log)
  console.log(`Followers: ${followed.length}`)
  const [skipped, doubled] = [sum(followed, 'skipped'), sum(followed, 'doubled')]
  console.log(`Events skipped: ${skipped}; doubled: ${doubled}`)
  const shown = [await shownBy(store, readModel), await shownBy(store, memoryReadModel())]
  console.log(`Read model: ${shown[0]}; built anew: ${shown[1]}`)
  const problems = hosts.flatMap(({ problems }) => problems)
  for (const problem of problems.slice(0, MOST_PRINTED)) console.log(problem)
  console.log(`Writes that a strong read did not see, and other problems: ${problems.length}`)
  const wrong = lost + recordedTwice + recordedUntold + skipped + doubled + problems.length
  return verified.isOk() && wrong === 0 && acknowledged > 0 && shown[0] === shown[1]
}

const wholeLog = async (store: EventStore): Promise<readonly RecordedEvent[]> => {
  const log: RecordedEvent[] = []
  for (;;) {
    const page = await store.readAll(log.at(-1)?.position ?? 0n, 5_000)
    if (page.length === 0) return log
    log.push(...page)
  }
}

type Followed = ReturnType<typeof checkFollower>

const followersOf = async (
  hosts: readonly Host[],
  log: readonly RecordedEvent[],
): Promise<readonly Followed[]> => {
  const head = log.at(-1)?.position ?? 0n
  const all = await Promise.all(hosts.map((host) => followedTo(host, head)))
  return all.flatMap(({ followers }) =>
    Object.values(followers).map((seen) => checkFollower(log, seen)),
  )
}

const sum = (followed: readonly Followed[], field: keyof Followed): number =>
  followed.reduce((total, each) => total + each[field], 0)

const shownBy = async (store: EventStore, readModel: ReadModel): Promise<string> => {
  const iam = iamOn(store, readModel)
  const context = { caller: { userId: 'admin', orgId: 'acme' } }
  const projects = await orThrow(iam.projects.list({}, context))
  const roles = await orThrow(iam.projectRoles.list({ projectId: 'shared' }, context))
  return `${projects.totalSize} projects, ${roles.totalSize} roles`
}
