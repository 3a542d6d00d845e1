import { beforeEach, describe, expect, it } from 'vitest'
import { type EventStore, type PermissionQuestion, StoreFault } from '../../../src/index.js'
import {
  addAllSamples,
  badFields,
  caller,
  context,
  everything,
  good,
  iamOn,
  inGlobex,
  logOf,
  refusal,
  start,
} from '../host.js'
import type { Method } from './methods.js'

let store: EventStore

const addStore = async () => {
  const started = start()
  store = started.store
  await addAllSamples(started.iam)
}

/** Fails when it asks for a permission: what is checked before is answered without it. */
export const withoutAuthorize = (store: EventStore) =>
  iamOn(store, {
    authorize: () => {
      throw new Error('was asked')
    },
  })

/** What each method decides by itself: its permissions, their object, and the fields of the context that it supports. */
export const checkMethods = (methods: readonly Method[]) =>
  describe.each(methods)('$name', ({ of, input, permissions, object, roleKeys, refuses = [] }) => {
    beforeEach(addStore)

    it('succeeds with the permission', async () => {
      await good(of(iamOn(store))(input, context))
    })

    it('asks for no permission without a caller, or with a malformed context', async () => {
      const call = (given: unknown) => of(withoutAuthorize(store))({ nonsense: true }, given)
      expect(await refusal(call({}))).toEqual({ kind: 'Unauthenticated' })
      expect(await badFields(call({ ...context, correlationId: null }))).toEqual(['correlationId'])
    })

    it('refuses the fields of the context that it does not support, and accepts the others', async () => {
      const onProgress = () => undefined
      const given = {
        expectedSequence: 1n,
        idempotencyKey: 'k',
        dryRun: true,
        reason: 'why',
        onProgress,
      }
      for (const [field, value] of Object.entries(given)) {
        const answer = await of(withoutAuthorize(store))(input, {
          ...context,
          [field]: value,
        }).mapErr(({ kind }) => kind)
        const expected = refuses.includes(field) ? 'InvalidArgument' : 'Unavailable'
        expect(answer._unsafeUnwrapErr()).toBe(expected)
      }
    })

    it('asks for each permission with its object before it reports malformed input', async () => {
      const asked: PermissionQuestion[] = []
      const iam = iamOn(store, { authorize: (question) => asked.push(question) > 0 })
      const error = await refusal(of(iam)({ ...input, nonsense: true }, inGlobex))
      expect(error).toMatchObject({ kind: 'InvalidArgument' })
      expect(asked).toEqual(
        permissions.map((permission) => ({
          caller,
          permission,
          orgId: 'globex',
          ...(object && { object }),
          ...(roleKeys && permission.endsWith('.write') && { roleKeys }),
        })),
      )
    })

    it.each(permissions.map((permission) => [permission]))('denies without %s', async (missing) => {
      const permissions = everything.filter((permission) => permission !== missing)
      const poor = { caller: { ...caller, permissions } }
      const denied = { kind: 'PermissionDenied', permission: missing, orgId: 'acme' }
      expect(await refusal(of(iamOn(store))(input, poor))).toEqual(denied)
      expect(await refusal(of(iamOn(store))({ nonsense: true }, poor))).toEqual(denied)
      expect(await refusal(of(iamOn(store))({ idpId: 'absent', id: 'absent' }, poor))).toEqual(
        denied,
      )
    })

    it('is cancelled when the signal has aborted, after permission and input', async () => {
      const aborted = { ...context, signal: AbortSignal.abort() }
      const before = (await logOf(store)).length
      const iam = iamOn(store)
      expect(await refusal(of(iam)(input, aborted))).toEqual({ kind: 'Cancelled' })
      expect(await refusal(of(iam)({ nonsense: true }, aborted))).toMatchObject({
        kind: 'InvalidArgument',
      })
      const denied = { ...aborted, caller: { ...caller, permissions: [] } }
      expect(await refusal(of(iam)(input, denied))).toMatchObject({ kind: 'PermissionDenied' })
      expect(await logOf(store)).toHaveLength(before)
    })
  })

/** What every method checks by the same functions, and in which order. */
export const checkOrder = (methods: readonly Method[]) =>
  describe.each(methods)('$name', ({ of, input, permissions, roleKeys }) => {
    const [first = ''] = permissions
    const aboutNone = roleKeys && first.endsWith('.write') && { roleKeys: [] }

    beforeEach(addStore)

    it.each([undefined, null, {}, { caller: undefined }, { caller: null }, 'caller'])(
      'refuses a call that names no caller as unauthenticated: %j',
      async (absent) => {
        const error = await refusal(of(withoutAuthorize(store))({ nonsense: true }, absent))
        expect(error).toEqual({ kind: 'Unauthenticated' })
      },
    )

    it.each([
      ['orgId', ''],
      ['orgId', '__proto__'],
      ['orgId', 'a+b'],
      ['orgId', null],
      ['orgId', 5],
      ['idempotencyKey', ''],
      ['idempotencyKey', 'é'],
      ['idempotencyKey', 'x'.repeat(256)],
      ['idempotencyKey', 'a\n'],
      ['idempotencyKey', null],
      ['correlationId', 'x'.repeat(256)],
      ['correlationId', '\uD800'],
      ['correlationId', 'a\0'],
      ['correlationId', null],
      ['reason', ''],
      ['reason', 'x'.repeat(501)],
      ['reason', '\uD800'],
      ['reason', 'a\0'],
      ['reason', 5],
      ['reason', null],
      ['expectedSequence', -1n],
      ['expectedSequence', 2n ** 64n],
      ['expectedSequence', 1],
      ['expectedSequence', '1'],
      ['expectedSequence', null],
      ['dryRun', 'yes'],
      ['dryRun', null],
      ['consistency', 'weak'],
      ['consistency', null],
      ['signal', {}],
      ['signal', null],
      ['onProgress', {}],
      ['onProgress', null],
    ])('names a malformed %s (%s) before it asks for permission', async (field, value) => {
      const call = of(withoutAuthorize(store))({ nonsense: true }, { ...context, [field]: value })
      expect(new Set(await badFields(call))).toEqual(new Set([field]))
    })

    it('names every malformed field of the context', async () => {
      const bad = { caller: { userId: '', orgId: 'a b' }, orgId: '', correlationId: 5 }
      expect(await badFields(of(withoutAuthorize(store))(input, bad))).toEqual([
        'caller.userId',
        'caller.orgId',
        'orgId',
        'correlationId',
      ])
    })

    it.each(['a b', '__proto__', 5, null, undefined, {}])(
      'asks about the whole organization when the id is %s',
      async (id) => {
        const asked: PermissionQuestion[] = []
        const iam = iamOn(store, { authorize: (question) => asked.push(question) < 0 })
        const named = { idpId: id, id, projectId: id }
        await refusal(of(iam)({ ...named, object: { type: 'project', ...named } }, context))
        expect(asked).toEqual([{ caller, permission: first, orgId: 'acme', ...aboutNone }])
      },
    )

    it.each([undefined, null, 'text', 5, [], () => 1])(
      'asks about the whole organization when the input is %s, then refuses it',
      async (nothing) => {
        const asked: PermissionQuestion[] = []
        const iam = iamOn(store, { authorize: (question) => asked.push(question) > 0 })
        await badFields(of(iam)(nothing, context))
        expect(asked[0]).toEqual({ caller, permission: first, orgId: 'acme', ...aboutNone })
      },
    )

    it.each([1, 'true', {}, [], Promise.resolve(1), undefined, null, false])(
      'accepts no answer but true: %s',
      async (answer) => {
        const iam = iamOn(store, { authorize: () => answer as boolean })
        expect(await refusal(of(iam)(input, context))).toMatchObject({ kind: 'PermissionDenied' })
      },
    )

    it('is unavailable, and records nothing, while authorize has a fault', async () => {
      const before = (await logOf(store)).length
      const causes = [new TypeError('of the host'), new StoreFault('elsewhere', 'unknown'), 'text']
      for (const cause of causes) {
        const authorizes = [
          () => Promise.reject(cause),
          () => {
            throw cause
          },
        ]
        for (const authorize of authorizes) {
          const error = await refusal(of(iamOn(store, { authorize }))(input, context))
          expect(error).toEqual({ kind: 'Unavailable', outcome: 'not_recorded', cause })
        }
      }
      expect(await logOf(store)).toHaveLength(before)
    })
  })
