import type { Result } from 'neverthrow'
import { type Decider, decideAll } from '../../../domain/decider.js'
import { identityProvider } from '../../../domain/identity-provider/decider.js'
import { identityProviders } from '../../../domain/identity-provider/kind.js'
import type { Message } from '../../../domain/message.js'
import { project } from '../../../domain/project/decider.js'
import { projects } from '../../../domain/project/kind.js'
import { projectRole } from '../../../domain/project-role/decider.js'
import { projectRoles } from '../../../domain/project-role/kind.js'
import type { IamError } from '../../errors/errors.js'
import {
  type AnySnapshot,
  record,
  type Snapshot,
  type Status,
  type StreamRecord,
} from '../../recording/snapshot.js'
import type { View } from '../../recording/view.js'
import type { PlannedChange } from '../plan/planned-change.js'
import { commandOf } from '../plan/planned-event.js'

/** The current stream of an object, and the events to add to it. */
export interface DecidedChange {
  readonly before: AnySnapshot
  readonly record: Result<StreamRecord, IamError>
}

/** Decides a planned change by the rules of its aggregate, on the current state. */
export const decideChange = (
  view: View,
  { action, object, events }: PlannedChange,
): DecidedChange => {
  const read: View['read'] = (kind, ids) =>
    action === 'add' ? view.readNew(kind, ids) : view.read(kind, ids)
  const commands = events.map(commandOf)
  switch (object.type) {
    case 'project':
      return decided(
        project,
        read(projects, object),
        commands.flatMap((each) => (each.type === 'project' ? each.command : [])),
      )
    case 'project_role':
      return decided(
        projectRole,
        read(projectRoles, object),
        commands.flatMap((each) => (each.type === 'project_role' ? each.command : [])),
      )
    case 'identity_provider':
      return decided(
        identityProvider,
        read(identityProviders, object),
        commands.flatMap((each) => (each.type === 'identity_provider' ? each.command : [])),
      )
  }
}

const decided = <Command, State extends Status, Event extends Message, Refusal extends IamError>(
  decider: Decider<Command, State, Event, Refusal>,
  before: Snapshot<State, Event>,
  commands: readonly Command[],
): DecidedChange => ({
  before,
  record: decideAll(decider, commands, before.state).map((events) => record(before, events)),
})
