import type { ResultAsync } from 'neverthrow'
import { aesGcmCipher } from '../../../src/adapters/webcrypto/aes-gcm-cipher.js'
import type { IamError } from '../../../src/application/errors/errors.js'
import type { Iam } from '../../../src/application/iam.js'
import { permissionsFromCaller } from '../../../src/application/method/input.js'
import { createIam } from '../../../src/create-iam.js'
import type { Permission } from '../../../src/domain/values.js'
import type { EventStore, RecordedEvent } from '../../../src/ports/event-store.js'
import type { OpenStore } from '../stores.js'

export const ALL: readonly Permission[] = [
  'identity_provider.read',
  'identity_provider.write',
  'identity_provider.secret.read',
  'project.read',
  'project.write',
  'project.role.read',
  'desired_state.write',
  'project.role.write',
  'project.grant.read',
  'project.grant.write',
  'event.read',
]

export const cipher = (keyId = 'k1') =>
  aesGcmCipher({ current: keyId, keys: { [keyId]: new Uint8Array(32).fill(keyId.length) } })

/** Someone who may do what is listed. */
export const contextOf = (permissions: readonly Permission[] = ALL) => ({
  caller: { userId: 'u1', orgId: 'acme', permissions },
})

export const context = contextOf()

export const without = (...permissions: readonly Permission[]) =>
  contextOf(ALL.filter((permission) => !permissions.includes(permission)))

export const instanceOn = (store: EventStore, secrets = cipher()): Iam =>
  createIam({ store, secrets, authorize: permissionsFromCaller })

/** A store that counts its appends and calls `meanwhile` before each. */
export const watched = (store: EventStore) => {
  const watch = {
    appends: 0,
    meanwhile: undefined as (() => Promise<unknown>) | undefined,
    store: {
      ...bound(store),
      append: async (append: Parameters<EventStore['append']>[0]) => {
        watch.appends++
        await watch.meanwhile?.()
        return store.append(append)
      },
    },
  }
  return watch
}

const bound = (store: EventStore): EventStore => ({
  append: (append) => store.append(append),
  readStream: (stream, afterVersion) => store.readStream(stream, afterVersion),
  readAll: (after, limit) => store.readAll(after, limit),
  lastPosition: () => store.lastPosition(),
  findAppend: (by) => store.findAppend(by),
})

/** Runs `body` on an empty store. */
export const onEmpty = async (
  open: OpenStore,
  body: (world: ReturnType<typeof watched> & { iam: Iam; plain: EventStore }) => Promise<void>,
): Promise<void> => {
  const { store, close } = await open()
  try {
    const watch = watched(store)
    await body(Object.assign(watch, { iam: instanceOn(watch.store), plain: store }))
  } finally {
    await close()
  }
}

/** The value of a call that must succeed. */
export const done = async <Value>(call: ResultAsync<Value, IamError>): Promise<Value> =>
  (await call)._unsafeUnwrap()

/** The error of a call that must be refused. */
export const refused = async (call: ResultAsync<unknown, IamError>): Promise<IamError> =>
  (await call)._unsafeUnwrapErr()

export const allEvents = async (store: EventStore, after = 0n): Promise<RecordedEvent[]> => {
  const events = await store.readAll(after, 100_000)
  return [...events]
}
