import { expect, it, vi } from 'vitest'
import {
  aesGcmCipher,
  type Caller,
  createIam,
  memoryEventStore,
  memoryReadModel,
  permissionsFromCaller,
  StoreFault,
} from '../../../src/index.js'

const caller: Caller = {
  userId: 'u1',
  orgId: 'acme',
  permissions: ['project.write', 'project.read'],
}
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })

it('ends a read that waits for a catch-up when its signal aborts, and no other', async () => {
  const readModel = memoryReadModel()
  let goOn: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const slow = {
    ...readModel,
    apply: async (...call: Parameters<typeof readModel.apply>) => {
      await held
      return readModel.apply(...call)
    },
  }
  const store = memoryEventStore()
  const iam = createIam({ store, readModel: slow, secrets, authorize: permissionsFromCaller })
  await iam.projects.add({ id: 'portal', name: 'Portal' }, { caller })

  const end = new AbortController()
  const cancelled = iam.projects.get({ id: 'portal' }, { caller, signal: end.signal })
  const patient = iam.projects.get({ id: 'portal' }, { caller })
  end.abort()
  expect((await cancelled)._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
  goOn()
  expect((await patient).isOk()).toBe(true)
})

it('does not begin a read whose signal has aborted', async () => {
  const store = memoryEventStore()
  const iam = createIam({ store, secrets, authorize: permissionsFromCaller })
  const signal = AbortSignal.abort()
  const read = await iam.projects.list({}, { caller, signal })
  expect(read._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
})

it('leaves nothing behind when the signal of a read aborts and its catch-up fails', async () => {
  const end = new AbortController()
  const readModel = memoryReadModel()
  const failing = {
    ...readModel,
    checkpoint: () => {
      end.abort()
      return readModel.checkpoint()
    },
    apply: () => Promise.reject(new StoreFault('away', 'not_recorded')),
  }
  const store = memoryEventStore()
  const iam = createIam({ store, readModel: failing, secrets, authorize: permissionsFromCaller })
  await iam.projects.add({ id: 'portal', name: 'Portal' }, { caller })

  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const cancelled = await iam.projects.get({ id: 'portal' }, { caller, signal: end.signal })
  await new Promise(setImmediate)
  process.off('unhandledRejection', unhandled)
  expect(cancelled._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
  expect(unhandled).not.toHaveBeenCalled()
})
