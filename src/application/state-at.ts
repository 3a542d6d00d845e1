import { err, ok } from 'neverthrow'
import * as z from 'zod/mini'
import { projectStream } from '../domain/project/events.js'
import type { ObjectRef, StreamId } from '../domain/values.js'
import type { Position } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import type { Views, ViewType } from '../ports/read-model.js'
import { matchEvent } from '../projections/event-cases.js'
import { identityProviderView } from '../projections/identity-provider-view.js'
import { projectRoleView } from '../projections/project-role-view.js'
import { projectView } from '../projections/project-view.js'
import { readEvent } from '../projections/read-event.js'
import { streamOf } from '../projections/stream-name.js'
import { date, firstPositionIn, position } from './bounds.js'
import { Fault, fromPort } from './fault.js'
import { type Read, read } from './method.js'
import { ObjectInput } from './object-input.js'
import type { Runtime } from './runtime.js'
import { targetOfObject } from './target.js'

/** Which object, and when: right after the event at `sequence`, or at the end of the millisecond `time`. */
export const StateAtInput = z
  .strictObject({
    object: ObjectInput,
    sequence: z.optional(position),
    time: z.optional(date),
  })
  .check(
    z.refine(({ sequence, time }) => (sequence === undefined) !== (time === undefined), {
      error: 'must be given, or else time, but not both',
      path: ['sequence'],
    }),
  )
export interface StateAtInput {
  /** By its type and ids; it may have been removed since. */
  readonly object: ObjectRef
  /**
   * Right after the event at this position, or the last before it: `0n` to `2n ** 64n - 1n`. Either
   * this or `time`. Spec: Common response object `details`.
   */
  readonly sequence?: Position | undefined
  /** At the end of this millisecond. Either this or `sequence`. */
  readonly time?: Date | undefined
}

/** An object as `get` would have shown it at some point of the past. */
export const stateAt = (runtime: Runtime): Read<StateAtInput, Views[ViewType]> =>
  read(
    runtime,
    {
      method: 'history.stateAt',
      permissions: ['event.read'],
      schema: StateAtInput,
      target: targetOfObject,
    },
    async ({ orgId }, { object, sequence, time }) => {
      const until = sequence ?? endOfMillisecond(time)
      const found = await objectAt(runtime, streamOf(orgId, object), until)
      const isShown = found && (await isContainerThere(runtime, orgId, { object, until }))
      return isShown ? ok(found) : err({ kind: 'NotFound', object })
    },
  )

const endOfMillisecond = (time = new Date(0)): Position => firstPositionIn(time) + 999n

/** A role was not found once its project was removed. */
const isContainerThere = async (
  runtime: Runtime,
  orgId: string,
  { object, until }: { readonly object: ObjectRef; readonly until: Position },
): Promise<boolean> => {
  if (object.type !== 'project_role') return true
  return (await objectAt(runtime, projectStream(orgId, object.projectId), until)) !== undefined
}

type Shown = { [Type in ViewType]?: Views[Type] | undefined }

const objectAt = async (
  { store }: Runtime,
  stream: StreamId,
  until: Position,
): Promise<Views[ViewType] | undefined> => {
  const events = await fromPort(() => store.readStream(stream))
  const shown: Shown = {}
  for (const recorded of events) {
    if (recorded.position > until) break
    const event = readEvent(recorded)
    if (event.isErr()) throw new Fault(event.error)
    show(shown, event.value)
  }
  return shown.identity_provider ?? shown.project ?? shown.project_role
}

const show = (shown: Shown, event: KnownEvent): void =>
  matchEvent(event, {
    identity_provider: (event) => {
      shown.identity_provider = identityProviderView(shown.identity_provider, event)
    },
    project: (event) => {
      shown.project = projectView(shown.project, event)
    },
    project_role: (event) => {
      shown.project_role = projectRoleView(shown.project_role, event)
    },
  })
