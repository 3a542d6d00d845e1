import { expect, it, onTestFinished, vi } from 'vitest'
import { writeAll } from '../../src/console/browser/write.js'
import { userGrantService } from '../../src/transport/wire.js'

/** The users to whom roles are given, after the first was refused. */
const givenAfter = async (status: number, reason: string) => {
  const users: string[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, { body } = {}) => {
    const text = String(body)
    const userId = ['ann', 'bob'].find((each) => text.includes(each)) ?? text
    users.push(userId)
    if (userId === 'bob') return Response.json({ details: {} })
    const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, metadata: {} }
    return Response.json({ code: 5, message: reason, details: [info] }, { status })
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const failure = await writeAll(
    ['ann', 'bob'].map((userId) => ({
      operation: userGrantService.giveUserGrant,
      values: { userId, projectId: 'portal', roles: [{ roleKey: userId }] },
    })),
  )
  return { users, reason: failure?.reason }
}

it.each([
  [404, 'NOT_FOUND'],
  [409, 'SEQUENCE_MISMATCH'],
])(
  'An undo goes on after status %i, %s: somebody else has changed that object',
  async (status, reason) => {
    expect(await givenAfter(status, reason)).toEqual({ users: ['ann', 'bob'], reason })
  },
)

it('An undo ends at any other failure', async () => {
  const reason = 'PERMISSION_DENIED'
  expect(await givenAfter(403, reason)).toEqual({ users: ['ann'], reason })
})
