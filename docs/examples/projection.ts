// A projection, and subscriptions. Run it with `node docs/examples/projection.ts`.
import {
  aesGcmCipher,
  createIam,
  memoryEventStore,
  type Position,
  type Projection,
  timeOf,
} from 'claviger'

/** Counts the events of each day. In a database, change rows and checkpoint in one transaction. */
const counts = new Map<string, number>()
let reached: Position = 0n

const eventsPerDay: Projection = {
  name: 'events-per-day',
  checkpoint: async () => reached,
  apply: async (from, events) => {
    if (from !== reached) return false // another process was faster
    for (const { position } of events) {
      const day = timeOf(position).toISOString().slice(0, 10)
      counts.set(day, (counts.get(day) ?? 0) + 1)
      reached = position
    }
    return true
  },
  reset: async () => {
    counts.clear()
    reached = 0n
  },
}

const keys = { k1: crypto.getRandomValues(new Uint8Array(32)) }
const secrets = aesGcmCipher({ current: 'k1', keys })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })
const context = { caller: { userId: 'u1', orgId: 'acme' } }
await iam.projects.add({ id: 'portal', name: 'Portal' }, context)

// Once, up to the events that exist now:
await iam.catchUp(eventsPerDay)
console.log(counts)

// Or as long as the program runs:
const stop = new AbortController()
const running = iam.run(eventsPerDay, { signal: stop.signal })

await iam.projects.deactivate({ id: 'portal' }, context)
stop.abort()
await running

const options = { after: 0n, types: ['project.added'], orgId: 'acme' } as const
for await (const event of iam.subscribe(options)) {
  if (event.type === 'project.added')
    console.log(`${event.metadata.actor.userId} added ${event.data.name}`, event.position)
  // After the work is done, store the position, as text because it is a bigint.
  break
}

// Ends after the events that exist now. Here for one object.
const object = { type: 'project', id: 'portal' } as const
for await (const { type } of iam.subscribe({ until: 'head', orgId: 'acme', object }))
  console.log(type)
