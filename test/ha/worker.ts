// A process of a host: started with a `Task` as its argument, it writes, reads and follows the log until it is told to stop.
import { aesGcmCipher, createIam } from 'claviger'
import { openPostgres } from 'claviger/postgres'
import { pause, soon } from '../fuzz/soak/chance.ts'
import { startFollowing } from './following.ts'
import type { Order, Task, Told } from './messages.ts'
import { keepWriting } from './writing.ts'

/** Writers of a process. */
const WRITERS = 3

/** Pause of a reader, in milliseconds. */
const READ_EVERY = 50

/** How long followers may be behind once nothing is written any more, in milliseconds. */
const PATIENCE = 30_000

const tell = (told: Told): void => void process.send?.(told)
const { name, connectionString, replica }: Task = JSON.parse(process.argv[2] ?? '')
const opened = await openPostgres({
  connectionString,
  ...(replica !== undefined && {
    replica: { connectionString: replica, connectTimeout: 1_000, statementTimeout: 5_000 },
  }),
  connectTimeout: 2_000,
  statementTimeout: 10_000,
})
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })
const iam = createIam({ ...opened, secrets, authorize: () => true })
const context = { caller: { userId: name, orgId: 'acme' } }
const stop = new AbortController()
const following = startFollowing(iam)

/** Looks for a project that must be seen, until there is an answer. */
const look = async (id: string): Promise<void> => {
  for (;;) {
    const found = await iam.projects.get({ id }, context)
    if (found.isOk()) return tell({ type: 'read', consistency: 'strong' })
    if (found.error.kind !== 'Unavailable')
      return tell({ type: 'problem', text: `${name} did not see ${id}: ${found.error.kind}` })
    await pause(READ_EVERY)
  }
}

/** Reads without asking for the newest, again and again. */
const keepReading = async (): Promise<void> => {
  while (!stop.signal.aborted) {
    const eventual = { ...context, consistency: 'eventual' } as const
    const found = await iam.projects.get({ id: 'shared' }, eventual)
    if (found.isOk()) tell({ type: 'read', consistency: 'eventual' })
    else if (found.error.kind !== 'Unavailable')
      tell({ type: 'problem', text: `${name} had shared and lost it: ${found.error.kind}` })
    await pause(READ_EVERY)
  }
}

const keepFeeding = async (): Promise<void> => {
  const ended = await iam.run(opened.readModel, { signal: stop.signal })
  if (ended.isErr()) tell({ type: 'problem', text: `the feed ended: ${ended.error.kind}` })
}

const looks = new Set<Promise<void>>()
process.on('disconnect', () => process.exit())
process.on('message', async (order: Order) => {
  if (order.type === 'look') looks.add(look(order.id))
  if (order.type === 'stop') stop.abort()
  if (order.type !== 'report') return
  const head = BigInt(order.head)
  await soon(() => following.isAt(head), PATIENCE)
  const told: Told = { type: 'followed', followers: await following.end() }
  await opened.close()
  process.send?.(told, undefined, undefined, () => process.disconnect())
})

await look('shared')
tell({ type: 'ready' })
const writers = Array.from({ length: WRITERS }, (_, writer) =>
  keepWriting(iam, { name: `${name}-${writer}`, context, signal: stop.signal, tell, look }),
)
await Promise.all([...writers, keepReading(), keepFeeding()])
await Promise.all(looks)
tell({ type: 'stopped' })
