import { httpStatusOf, type IamError } from 'claviger'
import { fetchHandler } from 'claviger/transport'
import { errAsync } from 'neverthrow'
import { expect, it } from 'vitest'
import { caller, start } from '../../application/host.js'

const project = { type: 'project', id: 'portal' } as const
const cause = new Error('of the host')

/** One error of each google.rpc code, and the status that the transport has answered it with since 0.1. */
const errors: readonly (readonly [number, IamError])[] = [
  [499, { kind: 'Cancelled' }],
  [400, { kind: 'InvalidArgument', violations: [{ field: 'id', description: 'is odd' }] }],
  [404, { kind: 'NotFound', object: project }],
  [409, { kind: 'AlreadyExists', object: project }],
  [403, { kind: 'PermissionDenied', permission: 'project.read', orgId: 'acme' }],
  [409, { kind: 'SequenceMismatch', expected: 1n, actual: 2n }],
  [409, { kind: 'Aborted', attempts: 10 }],
  [500, { kind: 'SourceFailed', index: 0, cause }],
  [503, { kind: 'Unavailable', outcome: 'unknown', cause }],
  [401, { kind: 'Unauthenticated' }],
]

it.each(errors)('is %i as the transport answers it: %o', async (status, error) => {
  const { iam } = start()
  const failing = { ...iam, projects: { ...iam.projects, get: () => errAsync(error as never) } }
  const answer = fetchHandler(failing, { authenticate: () => caller, onError: () => {} })
  const response = await answer(new Request('http://localhost/v1/projects/portal'))
  expect(response.status).toBe(status)
  expect(httpStatusOf(error)).toBe(status)
})
