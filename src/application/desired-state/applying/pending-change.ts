import type { Result } from 'neverthrow'
import { exists } from '../../../domain/decider.js'
import { identityProviderStream } from '../../../domain/identity-provider/events.js'
import { projectStream } from '../../../domain/project/events.js'
import { projectRoleStream } from '../../../domain/project-role/events.js'
import type { Position } from '../../../ports/event-store.js'
import type { IamError } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import type { AnyTracked } from '../../recording/tracked.js'
import type { Runtime } from '../../runtime.js'
import type { PlannedChange } from '../plan/planned-change.js'
import { commandOf } from '../plan/planned-event.js'
import type { Draft } from '../planning/draft.js'

/** A planned change on its way into the log. */
export interface Part {
  readonly draft: Draft
  readonly tracked: AnyTracked
  /** Decides what the events of the change came of, on the state of the stream. */
  readonly decide: () => Result<unknown, IamError>
  /** Sequence that the object must have for the change to take effect; undefined for no object. */
  expected: Position | undefined
}

/** @see Part */
export const partOf = (runtime: Runtime, call: AdmittedCall, draft: Draft): Part => {
  const { change, details } = draft
  return { draft, expected: details?.sequence, ...decisionOn(runtime, call, change) }
}

/** Sequence of the object of a stream; undefined when there is none. */
export const sequenceOf = ({ snapshot }: AnyTracked): Position | undefined =>
  exists(snapshot.state) ? snapshot.changed : undefined

const decisionOn = (
  runtime: Runtime,
  { orgId }: AdmittedCall,
  { action, object, events }: PlannedChange,
): Pick<Part, 'tracked' | 'decide'> => {
  const isNew = action === 'add'
  const planned = events.map(commandOf)
  switch (object.type) {
    case 'project': {
      const commands = planned.filter((each) => each.of === 'project').map(({ command }) => command)
      const tracked = runtime.projects.track(projectStream(orgId, object.id), isNew)
      return { tracked, decide: () => tracked.decideAll(commands) }
    }
    case 'project_role': {
      const commands = planned
        .filter((each) => each.of === 'project_role')
        .map(({ command }) => command)
      const stream = projectRoleStream(orgId, object.projectId, object.roleKey)
      const tracked = runtime.projectRoles.track(stream, isNew)
      return { tracked, decide: () => tracked.decideAll(commands) }
    }
    case 'identity_provider': {
      const commands = planned
        .filter((each) => each.of === 'identity_provider')
        .map(({ command }) => command)
      const stream = identityProviderStream(orgId, object.idpId)
      const tracked = runtime.identityProviders.track(stream, isNew)
      return { tracked, decide: () => tracked.decideAll(commands) }
    }
  }
}
