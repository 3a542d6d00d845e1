import type { Result } from 'neverthrow'
import { type Decider, decideAll } from '../../../domain/decider.js'
import { identityProvider } from '../../../domain/identity-provider/decider.js'
import { identityProviders } from '../../../domain/identity-provider/kind.js'
import type { Message } from '../../../domain/message.js'
import { project } from '../../../domain/project/decider.js'
import { projects } from '../../../domain/project/kind.js'
import { projectRole } from '../../../domain/project-role/decider.js'
import { projectRoles } from '../../../domain/project-role/kind.js'
import type { Position } from '../../../ports/event-store.js'
import type { IamError } from '../../errors/errors.js'
import {
  type AnySnapshot,
  record,
  type Snapshot,
  type Status,
  type StreamRecord,
} from '../../recording/snapshot.js'
import type { View } from '../../recording/view.js'
import { commandOf } from '../plan/planned-event.js'
import type { Draft } from '../planning/draft.js'

/** A planned change that is not recorded yet. */
export interface PendingChange {
  readonly draft: Draft
  /** Sequence that the object must have for the change to take effect; undefined for no object. */
  expected: Position | undefined
  /** The stream of the object after it was recorded. */
  snapshot?: AnySnapshot | undefined
}

/** The stream of a change as it is now, and what is to be added to it, if it may. */
export interface Decided {
  readonly pending: PendingChange
  readonly before: AnySnapshot
  readonly decide: () => Result<StreamRecord, IamError>
}

/** Looks at the stream of a change, and decides by its rules what the plan decided before. */
export const decisionOn = (view: View, pending: PendingChange): Decided => {
  const { action, object, events } = pending.draft.change
  const look: View['read'] = (kind, ids) =>
    action === 'add' ? view.readNew(kind, ids) : view.read(kind, ids)
  const planned = events.map(commandOf)
  switch (object.type) {
    case 'project':
      return {
        pending,
        ...decided(
          project,
          look(projects, object),
          planned.flatMap((each) => (each.of === 'project' ? each.command : [])),
        ),
      }
    case 'project_role':
      return {
        pending,
        ...decided(
          projectRole,
          look(projectRoles, object),
          planned.flatMap((each) => (each.of === 'project_role' ? each.command : [])),
        ),
      }
    case 'identity_provider':
      return {
        pending,
        ...decided(
          identityProvider,
          look(identityProviders, object),
          planned.flatMap((each) => (each.of === 'identity_provider' ? each.command : [])),
        ),
      }
  }
}

const decided = <Command, State extends Status, Event extends Message, Refusal extends IamError>(
  decider: Decider<Command, State, Event, Refusal>,
  before: Snapshot<State, Event>,
  commands: readonly Command[],
): Omit<Decided, 'pending'> => ({
  before,
  decide: () => decideAll(decider, commands, before.state).map((events) => record(before, events)),
})
