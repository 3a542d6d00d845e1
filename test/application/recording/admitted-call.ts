import type { AdmittedCall } from '../../../src/application/method/context.js'
import { OrgId } from '../../../src/domain/values.js'

/** A call of `projects.add` as it is admitted, but for what is given. */
export const admittedCall = (given: Partial<AdmittedCall> = {}): AdmittedCall => ({
  method: 'projects.add',
  caller: { userId: 'alice', orgId: 'acme' },
  actorId: 'alice',
  actorOrgId: 'acme',
  orgId: OrgId.parse('acme'),
  expectedSequence: undefined,
  idempotencyKey: undefined,
  dryRun: false,
  consistency: 'strong',
  correlationId: undefined,
  reason: undefined,
  signal: undefined,
  inTransaction: undefined,
  ...given,
})
