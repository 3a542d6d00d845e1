import type { Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { decideAll } from '../../../domain/decider.js'
import type { IamError } from '../../errors/errors.js'
import { decideProjectGrant } from '../../granting/decide-project-grant.js'
import { type AnyStreamState, change, type StreamChange } from '../../recording/stream-state.js'
import type { Streams } from '../../recording/streams.js'
import type { PlannedChange } from '../plan/planned-change.js'
import { commandOf, givesRoles } from '../plan/planned-event.js'

/** The current stream of an object, and the events to add to it. */
export interface DecidedChange {
  readonly before: AnyStreamState
  readonly change: Result<StreamChange, IamError>
}

/** Decides a planned change by the rules of its aggregate, on the current state. */
export const decideChange = async (
  streams: Streams,
  { action, object, events }: PlannedChange,
): Promise<DecidedChange> => {
  const kind = aggregates[object.type]
  const before = await streams.read(kind, object, {
    load: action === 'add' ? 'assume-empty' : 'cached',
  })
  const [grant] = events.filter(givesRoles)
  if (grant) {
    const { type, data } = grant
    const command = type === 'project_grant.added' ? 'AddProjectGrant' : 'UpdateProjectGrant'
    const decision = await decideProjectGrant(streams, { type: command, ...data })
    return { before, change: decision.mapErr(asOutdated) }
  }
  const commands = events.filter((event) => !givesRoles(event)).map(commandOf)
  const decision = decideAll(kind.decider, commands, before)
  return { before, change: decision.map((decided) => change(before, decided)) }
}

/** A grant was planned with roles that existed, so one that does not was removed since. */
const asOutdated = (refusal: IamError): IamError =>
  refusal.kind === 'NotFound'
    ? { kind: 'PlanOutdated', moved: [{ object: refusal.object, change: 'removed' }] }
    : refusal
