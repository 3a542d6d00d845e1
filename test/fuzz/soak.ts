// `npm run soak`: mixed load on an SQLite file for SOAK_MINUTES (10 when absent), with faults of the store.
// Memory must stay flat, no handle may be left behind, and the log must say what was answered.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aesGcmCipher, createIam, type EventStore, type IamError, StoreFault } from 'claviger'
import { openSqlite } from 'claviger/sqlite'

const minutes = Number(process.env['SOAK_MINUTES'] ?? 10)
const end = Date.now() + minutes * 60_000
const WORKERS = 8
const PROJECTS = 200
const SAMPLE_EVERY = Math.max(250, (minutes * 60_000) / 120)

const gc = globalThis.gc
if (!gc) throw new Error('Run me with node --expose-gc')

const chance = (probability: number): boolean => Math.random() < probability
const pick = (below: number): number => Math.floor(Math.random() * below)

/** Sometimes away; sometimes it has recorded an append and says that it does not know. */
const faulty = (store: EventStore): EventStore => ({
  ...store,
  append: async (append) => {
    if (chance(0.01)) throw new StoreFault('away', 'not_recorded')
    const recorded = await store.append(append)
    if (chance(0.01)) throw new StoreFault('lost in the middle', 'unknown')
    return recorded
  },
  readStream: async (stream, after) => {
    if (chance(0.005)) throw new StoreFault('away', 'not_recorded')
    return store.readStream(stream, after)
  },
})

const folder = mkdtempSync(join(tmpdir(), 'claviger-soak-'))
const handles = process.getActiveResourcesInfo().length
const { store, readModel, close } = openSqlite(join(folder, 'iam.db'))
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
const iam = createIam({ store: faulty(store), readModel, secrets, authorize: () => true })
const context = { caller: { userId: 'u1', orgId: 'acme' } }

const EXPECTED: readonly IamError['kind'][] = [
  'AlreadyExists',
  'NotFound',
  'Unavailable',
  'Aborted',
]
let calls = 0
let changes = 0

const step = async (): Promise<void> => {
  const projectId = `p${pick(PROJECTS)}`
  const role = { projectId, roleKey: `r${pick(20)}`, displayName: `Role ${pick(5)}` }
  const oidc = { clientId: `c${pick(5)}`, issuer: 'https://i.example.com', idpId: `i${pick(50)}` }
  const answer = await [
    () => iam.projects.add({ id: projectId, name: 'Portal' }, context),
    () => iam.projects.update({ id: projectId, name: `Portal ${pick(5)}` }, context),
    () => iam.projectRoles.add(role, context),
    () => iam.projectRoles.update(role, context),
    () => iam.projectRoles.remove({ projectId, roleKey: role.roleKey }, context),
    () => iam.projectRoles.list({ projectId }, context),
    () => iam.projects.get({ id: projectId }, context),
    () => iam.history.list({ object: { type: 'project', id: projectId }, limit: 10 }, context),
    () => iam.identityProviders.addOidc({ ...oidc, name: 'Idp', clientSecret: 's' }, context),
    () => iam.identityProviders.updateOidcConfig({ ...oidc, clientSecret: 's2' }, context),
    () => iam.identityProviders.revealClientSecret({ idpId: oidc.idpId }, context),
  ][pick(11)]?.()
  calls++
  if (answer?.isErr() && !EXPECTED.includes(answer.error.kind)) throw new Error(answer.error.kind)
  if (answer?.isOk() && 'changed' in answer.value && answer.value.changed) changes++
}

const samples: number[] = []
const sample = (): void => {
  gc()
  samples.push(process.memoryUsage().heapUsed)
}

const work = async (): Promise<void> => {
  while (Date.now() < end) await step()
}

const stop = new AbortController()
const follow = async (): Promise<number> => {
  let seen = 0
  for await (const _ of iam.subscribe({ signal: stop.signal })) seen++
  return seen
}

const followed = follow()
const timer = setInterval(sample, SAMPLE_EVERY)
await Promise.all(Array.from({ length: WORKERS }, work))
clearInterval(timer)

const events = (await store.readAll(0n, Number.MAX_SAFE_INTEGER)).length
const keys = new Set<string>()
for (let project = 0; project < PROJECTS; project++) {
  const roles = await iam.projectRoles.list({ projectId: `p${project}`, pageSize: 1_000 }, context)
  for (const { projectId, roleKey } of roles.isOk() ? roles.value.items : []) {
    const key = `${projectId}/${roleKey}`
    if (keys.has(key)) throw new Error(`${key} is there twice`)
    keys.add(key)
  }
}
stop.abort()
const seen = await followed
await close()
rmSync(folder, { recursive: true })

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
const third = Math.floor(samples.length / 3)
const [middle, last] = [median(samples.slice(third, 2 * third)), median(samples.slice(2 * third))]
const left = process.getActiveResourcesInfo().length
const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1)

console.log(`${calls} calls, ${changes} changes, ${events} events, ${keys.size} roles at the end`)
console.log(`heap: ${megabytes(middle)} MB in the middle, ${megabytes(last)} MB at the end`)
console.log(`handles: ${handles} before, ${left} after; the subscription saw ${seen} events`)

const problems = [
  changes > events && 'more was answered than recorded',
  changes < events * 0.9 && 'more was recorded than answered, beyond the faults',
  seen < events * 0.9 && 'the subscription did not keep up',
  last > 1.15 * middle + 2 * 2 ** 20 && 'memory grew',
  left > handles && 'handles were left',
].filter((problem) => problem !== false)
for (const problem of problems) console.error(`FAILED: ${problem}`)
process.exitCode = problems.length === 0 ? 0 : 1
