import { describe, expect, it } from 'vitest'
import { memoryEventStore, type PermissionQuestion } from '../../../src/index.js'
import { badFields, caller, context, good, iamOn, inGlobex, refusal } from '../host.js'

const ALL = [
  'domain.read',
  'domain.write',
  'event.read',
  'identity_provider.read',
  'identity_provider.secret.read',
  'identity_provider.write',
  'project.grant.read',
  'project.grant.write',
  'project.read',
  'project.role.read',
  'project.role.write',
  'project.write',
  'user.grant.read',
  'user.grant.write',
]

describe('access.permissions', () => {
  it('asks authorize once for each permission, without an object', async () => {
    const asked: PermissionQuestion[] = []
    const iam = iamOn(memoryEventStore(), {
      authorize: (question) => {
        asked.push(question)
        return true
      },
    })
    expect(await good(iam.access.permissions({}, inGlobex))).toEqual({ permissions: ALL })
    expect(asked).toEqual(ALL.map((permission) => ({ caller, permission, orgId: 'globex' })))
  })

  it('lists only what is allowed, by an authorize that takes its time too', async () => {
    const isRead = ({ permission }: PermissionQuestion) => permission.endsWith('.read')
    const reads = ALL.filter((permission) => permission.endsWith('.read'))
    for (const authorize of [isRead, async (question: PermissionQuestion) => isRead(question)]) {
      const iam = iamOn(memoryEventStore(), { authorize })
      expect(await good(iam.access.permissions({}, context))).toEqual({ permissions: reads })
    }
  })

  it('takes nothing but true for a yes', async () => {
    const iam = iamOn(memoryEventStore(), { authorize: () => 'yes' as never })
    expect(await good(iam.access.permissions({}, context))).toEqual({ permissions: [] })
  })

  it.each([
    () => {
      throw new Error('down')
    },
    () => Promise.reject(new Error('down')),
  ])('is Unavailable when authorize fails', async (authorize) => {
    const iam = iamOn(memoryEventStore(), { authorize })
    expect(await refusal(iam.access.permissions({}, context))).toMatchObject({
      kind: 'Unavailable',
      outcome: 'not_recorded',
    })
  })

  it.each([undefined, null, {}, { caller: undefined }])(
    'refuses a call without a caller, before it asks: %j',
    async (absent) => {
      const iam = iamOn(memoryEventStore(), {
        authorize: () => {
          throw new Error('was asked')
        },
      })
      expect(await refusal(iam.access.permissions({}, absent as never))).toEqual({
        kind: 'Unauthenticated',
      })
    },
  )

  it('takes no input, and no unknown field of a context', async () => {
    const { access } = iamOn(memoryEventStore())
    expect(await badFields(access.permissions({ of: 'bob' } as never, context))).toEqual(['of'])
    expect(await badFields(access.permissions({}, { ...context, org: 'a' } as never))).toEqual([
      'org',
    ])
    expect(await badFields(access.permissions({}, { caller, orgId: 'a+b' }))).toEqual(['orgId'])
  })

  it('ends with the signal', async () => {
    const ended = new AbortController()
    const iam = iamOn(memoryEventStore(), { authorize: () => new Promise(() => {}) })
    const asked = iam.access.permissions({}, { ...context, signal: ended.signal })
    ended.abort()
    expect(await refusal(asked)).toEqual({ kind: 'Cancelled' })
  })
})
