// Verifies a large log by a checkpoint and prints the memory that it took: node --expose-gc large-log.ts EVENTS STREAMS
import { type EventStore, orThrow, type RecordedEvent, verify } from 'claviger'
import { generateSignerKey, logCheckpoint } from 'claviger/evidence'

const [events = 0, streams = 1] = process.argv.slice(2).map(Number)

const BEGIN = 1_700_000_000_000_000n

/** One event of a log that is written nowhere: renames of so many projects in turn. */
const eventAt = (index: number): RecordedEvent => {
  const id = `p${index % streams}`
  const version = Math.floor(index / streams) + 1
  const settings = {
    projectRoleAssertion: false,
    projectRoleCheck: false,
    hasProjectCheck: false,
    privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  }
  return {
    position: BEGIN + BigInt(index),
    stream: `project-acme+${id}`,
    version,
    type: version === 1 ? 'project.added' : 'project.updated',
    schemaVersion: 1,
    data: { id, name: `Project ${index}`, ...settings },
    metadata: { actor: { userId: 'u1', orgId: 'acme' }, resourceOwner: 'acme' },
    appendId: `append-${index}`,
  } as RecordedEvent
}

const readAll: EventStore['readAll'] = async (after, limit) => {
  const from = after < BEGIN ? 0 : Number(after - BEGIN) + 1
  const length = Math.max(0, Math.min(limit, events - from))
  return Array.from({ length }, (_, index) => eventAt(from + index))
}
const store = { readAll } as EventStore

/** Bytes in use, garbage aside. */
const inUse = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const { signer, verifier } = await generateSignerKey('acme.example/iam')
const checkpoint = await orThrow(logCheckpoint(store, { signer }))
const before = inUse()
let most = 0
const onProgress = ({ done }: { readonly done: number }) => {
  if (done % 50_000 === 0) most = Math.max(most, inUse() - before)
}
const begin = performance.now()
const verified = await verify(store, { checkpoints: [checkpoint], keys: [verifier], onProgress })
const seconds = (performance.now() - begin) / 1_000
if (verified.isErr()) throw new Error(verified.error.kind)
process.stdout.write(JSON.stringify({ events: verified.value.events, grown: most, seconds }))
