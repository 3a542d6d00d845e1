import { err, ok, type Result } from 'neverthrow'
import type { AnyAggregate } from '../../domain/aggregates.js'
import { exists } from '../../domain/decider.js'
import type { NewEvent, RecordedEvent } from '../../ports/event-store.js'
import type { FieldChange, Views, ViewType } from '../../ports/read-model.js'
import { fieldChanges } from '../../projections/history-entries.js'
import { aggregateOf, isOfObject, readEvents } from '../../projections/read-events.js'
import { rowAfter } from '../../projections/rows.js'
import type { WriteError } from '../errors/errors.js'
import { fromPort } from '../errors/fault.js'
import { impactOf, type ObjectChange } from '../granting/impact.js'
import { withCurrentRoles } from '../granting/shown-roles.js'
import type { AdmittedCall } from '../method/context.js'
import type { Planned } from '../method/method.js'
import { type AnyStreamState, detailsOf, type StreamChange } from '../recording/stream-state.js'
import { type Streams, streamsAt } from '../recording/streams.js'
import { asExpected, unprotected } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'

/** A command on one object. */
export interface ObjectCommand {
  /** The parsed input without secrets, which tells commands of one method with the same idempotency key apart. */
  readonly input: object
  readonly aggregate: AnyAggregate
  /** Decides what to record; the last change is the object's. */
  readonly decide: (streams: Streams) => Promise<Result<readonly StreamChange[], WriteError>>
  /** For a command that adds several objects: the path of each in the input, such as `roles[0].`. */
  readonly pathOf?: (index: number) => string
}

/** Decides on the state at the end of the log. Everything in the outcome, including the impact, is of that position. */
export const planned = async (
  runtime: Runtime,
  call: AdmittedCall,
  command: ObjectCommand,
): Promise<Result<Planned, WriteError>> => {
  const { store } = runtime
  const at = await fromPort(() => store.lastPosition())
  const streams = streamsAt(store, call.orgId, at)
  call.observer?.deciding(1)
  const decision = (await command.decide(streams)).map((changes) => ({ changes }))
  const decided = unprotected(undefined, asExpected(call, decision))
  if (decided.isErr()) return err(decided.error)
  const { changes } = decided.value
  const object = changes.at(-1)?.before
  if (object === undefined) throw new Error('A command on an object must change its stream')
  const events = changes.flatMap((each) => each.events)
  const { fields, ...shown } = await shownChange(runtime, call, {
    streams,
    object,
    events,
    command,
  })
  const { aggregate, input: ids } = command
  const isAdded = events.some((event) => aggregate.effectOf(event) === 'adds')
  const impact = await impactOf(runtime, call, { aggregate, ids, ...shown, isAdded, streams, at })
  return ok({
    changed: events.length > 0,
    events,
    changes: fields,
    ...(exists(object.state) && { details: detailsOf(object, call.orgId) }),
    ...(impact && { impact }),
  })
}

/** The object of a dry run before and after its events, and the fields that they would change. */
const shownChange = async (
  { store, metadataOf }: Runtime,
  call: AdmittedCall,
  given: {
    readonly streams: Streams
    readonly object: AnyStreamState
    readonly events: readonly NewEvent[]
    readonly command: ObjectCommand
  },
): Promise<
  Pick<ObjectChange, 'before' | 'after'> & { readonly fields: readonly FieldChange[] }
> => {
  const { streams, object, events, command } = given
  const metadata = metadataOf(call)
  const known = readEvents(
    events.filter(isOfObject).map(({ type, schemaVersion, data }): RecordedEvent => {
      const stream = aggregateOf(type).stream(call.orgId, data)
      return { type, schemaVersion, data, appendId: '', stream, version: 1, position: 0n, metadata }
    }),
  )
  let row: Views[ViewType] | undefined
  if (exists(object.state)) {
    const past = await fromPort(() => store.readStream(object.name))
    row = readEvents(past.slice(0, object.version)).reduce(rowAfter, row)
    row &&= await withCurrentRoles(streams, command.aggregate.ref(command.input), row)
  }
  const before = row
  const fields = known.flatMap((event, index) => {
    const earlier = exists(object.state) ? row : undefined
    row = rowAfter(earlier, event)
    const path = command.pathOf?.(index) ?? ''
    return fieldChanges(event, { before: earlier, after: row }).map((change) => ({
      ...change,
      field: `${path}${change.field}`,
    }))
  })
  return { before, after: row, fields }
}
