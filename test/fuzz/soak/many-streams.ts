import {
  aesGcmCipher,
  createIam,
  type EventStore,
  memoryEventStore,
  permissionsFromCaller,
  type RecordedEvent,
} from 'claviger'
import { ok } from 'neverthrow'
import { usedMemory } from './heap.ts'

const STREAMS = 1_000_000

/** What a million states would take many times over. */
const MOST_BYTES = 32 * 1024 * 1024

const metadata = { actor: { userId: 'u1', orgId: 'acme' }, resourceOwner: 'acme' }

/** Holds a project and every role that is read, and keeps nothing of what is appended. */
const endless = (): EventStore => ({
  ...memoryEventStore(),
  readStream: async (stream, after = 0) => (after > 0 ? [] : [added(stream)]),
  readStreams: async (reads) =>
    reads.map(({ stream, afterVersion }) => (afterVersion > 0 ? [] : [added(stream)])),
  append: async ({ id: appendId, writes }) => {
    const [write] = writes
    const [event] = write?.events ?? []
    if (!write || !event) throw new Error('A role is written, and its project guarded')
    const { stream, expectedVersion } = write
    const version = expectedVersion + 1
    return ok([{ ...event, appendId, stream, version, position: 2n, metadata }])
  },
})

const added = (stream: RecordedEvent['stream']): RecordedEvent => {
  const [, id = '', roleKey] = stream.split('+')
  const recorded = { schemaVersion: 1, appendId: 'a', stream, version: 1, position: 1n, metadata }
  if (roleKey !== undefined) {
    const data = { projectId: id, roleKey, displayName: 'before', group: '' }
    return { type: 'project_role.added', data, ...recorded }
  }
  const settings = {
    projectRoleAssertion: false,
    projectRoleCheck: false,
    hasProjectCheck: false,
    privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  }
  return { type: 'project.added', data: { id, name: 'Portal', ...settings }, ...recorded }
}

/** Problems found: memory must stay flat while a million different streams are written. */
export const soakManyStreams = async (): Promise<readonly string[]> => {
  const iam = createIam({
    store: endless(),
    secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } }),
    authorize: permissionsFromCaller,
  })
  const permissions = ['project.role.write'] as const
  const context = { caller: { userId: 'u1', orgId: 'acme', permissions } }
  const update = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index++) {
      const role = {
        projectId: 'portal',
        roleKey: `role-${index}`,
        displayName: 'after',
        group: '',
      }
      const updated = await iam.projectRoles.update(role, context)
      if (updated.isErr()) throw new Error(updated.error.kind)
    }
  }
  await update(0, STREAMS / 10)
  const before = usedMemory()
  await update(STREAMS / 10, STREAMS)
  const growth = usedMemory() - before
  return growth < MOST_BYTES ? [] : [`memory grew by ${growth} bytes over ${STREAMS} streams`]
}
