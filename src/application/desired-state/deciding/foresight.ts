import type { Message } from '../../../domain/message.js'
import { fieldOf, type ObjectRef, type StreamId } from '../../../domain/values.js'
import {
  type AnyStreamState,
  asOneOf,
  type Status,
  StreamState,
  type StreamsOf,
} from '../../recording/stream-state.js'
import type { ReadOptions, Streams } from '../../recording/streams.js'
import type { Planning } from '../sealed-secrets.js'

/** An object that a decision depends on, as its stream was before the desired state. */
export interface Guard {
  readonly object: ObjectRef
  readonly seen: AnyStreamState
}

/** A desired state while it is decided on. */
export interface Scene {
  readonly planning: Planning
  /** The streams before the desired state. */
  readonly streams: Streams
  /** The streams that change, as the decisions so far leave them. */
  readonly foreseen: Map<StreamId, AnyStreamState>
}

interface Foresight extends Pick<Scene, 'foreseen'> {
  /** A project that is added: nothing in it has ever existed, and nothing of it is read. */
  readonly newProject?: string | undefined
}

/** `streams` as the changes that were decided on leave them. All objects that are read are added to `guards`. */
export const foresee = (
  streams: Streams,
  { foreseen, newProject }: Foresight,
  guards?: Map<StreamId, Guard>,
): Streams => {
  if (foreseen.size === 0 && newProject === undefined && !guards) return streams
  const { orgId: own } = streams
  const read = async <Ids, State extends Status, Event extends Message>(
    aggregate: StreamsOf<Ids, State, Event>,
    ids: Ids,
    options?: ReadOptions,
  ): Promise<StreamState<State, Event>> => {
    const name = aggregate.stream(options?.orgId ?? own, ids)
    const object = aggregate.ref?.(ids)
    const isEmpty = newProject !== undefined && fieldOf(object, 'projectId') === newProject
    const seen = isEmpty
      ? new StreamState(aggregate, name)
      : await streams.read(aggregate, ids, options)
    if (object) guards?.set(name, { object, seen })
    const after = foreseen.get(name)
    return after ? asOneOf(after, aggregate) : seen
  }
  return { orgId: own, read }
}
