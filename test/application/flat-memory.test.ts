import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ok } from 'neverthrow'
import { expect, it } from 'vitest'
import {
  aesGcmCipher,
  createIam,
  type EventStore,
  memoryEventStore,
  permissionsFromCaller,
  type RecordedEvent,
} from '../../src/index.js'

const STREAMS = 1_000_000

/** What a million states would take many times over. */
const MOST_BYTES = 32 * 1024 * 1024

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const metadata = { actor: { userId: 'u1', orgId: 'acme' }, resourceOwner: 'acme' }

/** Holds a project and every role that it is asked for, and keeps nothing of what it records. */
const endless = (): EventStore => ({
  ...memoryEventStore(),
  readStream: async (stream, after = 0) => (after > 0 ? [] : [added(stream)]),
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

it('memory stays flat over a million different streams', { timeout: 120_000 }, async () => {
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
  const heap = (): number => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  await update(0, STREAMS / 10)
  const before = heap()
  await update(STREAMS / 10, STREAMS)
  expect(heap() - before).toBeLessThan(MOST_BYTES)
})
