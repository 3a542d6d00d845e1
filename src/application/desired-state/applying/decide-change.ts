import type { Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { decideAll } from '../../../domain/decider.js'
import type { WriteError } from '../../errors/errors.js'
import { decideProjectGrant } from '../../granting/decide-project-grant.js'
import { type AnySnapshot, record, type StreamRecord } from '../../recording/snapshot.js'
import type { View } from '../../recording/view.js'
import type { PlannedChange } from '../plan/planned-change.js'
import { commandOf, givesRoles } from '../plan/planned-event.js'

/** The current stream of an object, and the events to add to it. */
export interface DecidedChange {
  readonly before: AnySnapshot
  readonly record: Result<StreamRecord, WriteError>
}

/** Decides a planned change by the rules of its aggregate, on the current state. */
export const decideChange = (
  view: View,
  { action, object, events }: PlannedChange,
): DecidedChange => {
  const kind = aggregates[object.type]
  const before = action === 'add' ? view.readNew(kind, object) : view.read(kind, object)
  const [grant] = events.filter(givesRoles)
  if (grant) {
    const { type, data } = grant
    const command = type === 'project_grant.added' ? 'AddProjectGrant' : 'UpdateProjectGrant'
    const decision = decideProjectGrant(view, { type: command, ...data })
    return { before, record: decision.mapErr(asOutdated) }
  }
  const commands = events.filter((event) => !givesRoles(event)).map(commandOf)
  const decision = decideAll(kind.decider, commands, before.state)
  return { before, record: decision.map((decided) => record(before, decided)) }
}

/** A grant was planned with roles that existed, so one that does not was removed since. */
const asOutdated = (refusal: WriteError): WriteError =>
  refusal.kind === 'NotFound'
    ? { kind: 'PlanOutdated', moved: [{ object: refusal.object, change: 'removed' }] }
    : refusal
