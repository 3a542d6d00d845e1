import { err, ok, type Result } from 'neverthrow'
import { type Decider, exists } from '../../domain/decider.js'
import type { Message } from '../../domain/message.js'
import type { StreamId } from '../../domain/values.js'
import {
  type EventStore,
  type NewEvent,
  type Position,
  type RecordedEvent,
  timeOf,
  type Version,
} from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { ObjectDetails } from '../../ports/read-model.js'
import { corruptEvent } from '../../ports/unreadable-event.js'
import { readEvent } from '../../projections/events/read-event.js'
import { Fault, fromPort } from '../errors/fault.js'
import { decideAll } from './decide-all.js'
import { newEvent } from './new-event.js'
import { Recent } from './recent.js'

/** Streams of one aggregate whose states are kept; up to twice as many before a new generation begins. */
const GENERATION_SIZE = 5_000

/** A stream as it was when read, or as its events since left it. */
export interface Snapshot<State> {
  readonly version: Version
  readonly state: State
  /** Position of the event by which the object came to be; `0n` when there is none. */
  readonly created: Position
  /** Position of the last event; `0n` when there is none. */
  readonly changed: Position
}

/** The common response object of the specification, for a stream of `resourceOwner`. */
export const detailsOf = (
  { created, changed }: Snapshot<unknown>,
  resourceOwner: string,
): ObjectDetails => {
  const creationDate = timeOf(created)
  const changeDate = changed === created ? creationDate : timeOf(changed)
  return { sequence: changed, creationDate, changeDate, resourceOwner }
}

type Status = { readonly status: string }

/** Gives out the streams of one kind of aggregate, remembering the states of those lately used. */
export interface Streams<Command, State extends Status, Event extends Message, Refusal> {
  /** @param isNew - assume that the stream does not exist yet, instead of reading it first */
  track(stream: StreamId, isNew?: boolean): Tracked<Command, State, Event, Refusal>
}

/** What a {@link Tracked} stream needs to know and share with the others of its aggregate. */
interface Aggregate<Command, State extends Status, Event extends Message, Refusal> {
  readonly store: EventStore
  readonly decider: Decider<Command, State, Event, Refusal>
  readonly select: (event: KnownEvent) => Event | undefined
  readonly recent: Recent<StreamId, Snapshot<State>>
  /** Of a stream before its first event. */
  readonly beginning: Snapshot<State>
}

/** One for all: most streams that are tracked only guard. */
const NOTHING: readonly never[] = []

/** A stream in the course of one command: what is known of it, and what is to be added to it. */
export class Tracked<Command, State extends Status, Event extends Message, Refusal> {
  readonly stream: StreamId
  readonly #aggregate: Aggregate<Command, State, Event, Refusal>
  #snapshot: Snapshot<State>
  #isKnown: boolean
  #decided: readonly Event[] = NOTHING
  #newEvents: readonly NewEvent[] = NOTHING

  constructor(
    aggregate: Aggregate<Command, State, Event, Refusal>,
    stream: StreamId,
    isNew: boolean,
  ) {
    this.#aggregate = aggregate
    this.stream = stream
    // What is assumed to be new is not looked up: should it exist, its version tells.
    const recent = isNew ? undefined : aggregate.recent.get(stream)
    this.#isKnown = isNew || recent !== undefined
    this.#snapshot = recent ?? aggregate.beginning
  }

  get state(): State {
    return this.#snapshot.state
  }

  get snapshot(): Snapshot<State> {
    return this.#snapshot
  }

  get isKnown(): boolean {
    return this.#isKnown
  }

  /** What the last {@link Tracked.decide} decided to add. */
  get newEvents(): readonly NewEvent[] {
    return this.#newEvents
  }

  /** Decides `command` on the state at hand; what it decides to add replaces what it decided before. */
  decide(command: Command): Result<readonly NewEvent[], Refusal> {
    const { decider } = this.#aggregate
    return this.#take(decider.decide(command, this.state))
  }

  /** {@link Tracked.decide}, for several commands, one after the other; all or none. */
  decideAll(commands: readonly Command[]): Result<readonly NewEvent[], Refusal> {
    return this.#take(decideAll(this.#aggregate.decider, commands, this.state))
  }

  #take(decision: Result<readonly Event[], Refusal>): Result<readonly NewEvent[], Refusal> {
    const { upcasters } = this.#aggregate.decider
    this.#decided = decision.isOk() ? decision.value : NOTHING
    this.#newEvents = this.#decided.map((event) => newEvent(upcasters, event))
    return decision.isOk() ? ok(this.#newEvents) : err(decision.error)
  }

  /** Takes over what other commands of this process have learnt of the stream meanwhile. */
  recall(): void {
    const recent = this.#aggregate.recent.get(this.stream)
    if (recent === undefined || recent.version <= this.#snapshot.version) return
    this.#snapshot = recent
    this.#isKnown = true
  }

  /**
   * Reads what was added to the stream since it was last looked at; all of it when the event last
   * seen is another one by now, as after a failover that lost what was answered.
   */
  async refresh(): Promise<void> {
    const { recent, beginning } = this.#aggregate
    const { version, changed } = this.#snapshot
    const [seen, ...added] = version === 0 ? [] : await this.#read(version - 1)
    this.#snapshot =
      seen?.position === changed
        ? this.#foldOnto(this.#snapshot, added)
        : this.#foldOnto(beginning, await this.#read(0))
    this.#isKnown = true
    if (version > 0 || this.#snapshot.version > 0) recent.set(this.stream, this.#snapshot)
  }

  #read(afterVersion: Version): Promise<readonly RecordedEvent[]> {
    return fromPort(() => this.#aggregate.store.readStream(this.stream, afterVersion))
  }

  /** Takes in the decided events, now that they are `recorded`. */
  advance(recorded: readonly RecordedEvent[]): void {
    const { decider, recent } = this.#aggregate
    const wasNew = this.#snapshot.version === 0
    let index = 0
    for (const { version, position } of recorded) {
      const event = this.#decided[index++]
      if (event) this.#snapshot = next(decider, this.#snapshot, { event, version, position })
    }
    // Streams just created are not kept: most are not looked at again, and would push out others.
    if (!wasNew) recent.set(this.stream, this.#snapshot)
  }

  /** A stream of the same aggregate as it was right after its event `version`. */
  async past(stream: StreamId, version: Version): Promise<Snapshot<State>> {
    const { store, beginning } = this.#aggregate
    const events = await fromPort(() => store.readStream(stream))
    const past = events.filter((event) => event.version <= version)
    return this.#foldOnto(beginning, past)
  }

  #foldOnto(snapshot: Snapshot<State>, events: readonly RecordedEvent[]): Snapshot<State> {
    const { decider, select } = this.#aggregate
    return events.reduce((before, recorded) => {
      const event = selected(recorded, select)
      const { version, position } = recorded
      return next(decider, before, { event, version, position })
    }, snapshot)
  }
}

/** What {@link transact} needs of a tracked stream, whatever its aggregate. */
export type AnyTracked = Pick<
  Tracked<never, Status, Message, unknown>,
  'stream' | 'snapshot' | 'isKnown' | 'newEvents' | 'recall' | 'refresh' | 'advance' | 'past'
>

/**
 * @see Streams
 * @param rules.select - the event, when it is one of this aggregate
 * @param rules.generationSize - see {@link GENERATION_SIZE}, which it is when absent
 */
export const streams = <Command, State extends Status, Event extends Message, Refusal>(
  store: EventStore,
  {
    generationSize = GENERATION_SIZE,
    ...rules
  }: Pick<Aggregate<Command, State, Event, Refusal>, 'decider' | 'select'> & {
    readonly generationSize?: number
  },
): Streams<Command, State, Event, Refusal> => {
  const recent = new Recent<StreamId, Snapshot<State>>(generationSize)
  const beginning = { version: 0, state: rules.decider.initialState, created: 0n, changed: 0n }
  const aggregate = { store, recent, beginning, ...rules }
  return { track: (stream, isNew = false) => new Tracked(aggregate, stream, isNew) }
}

/** @throws Fault when the event cannot be read, or is none of the aggregate that the stream is one of */
const selected = <Event>(
  recorded: RecordedEvent,
  select: (event: KnownEvent) => Event | undefined,
): Event => {
  const known = readEvent(recorded)
  if (known.isErr()) throw new Fault(known.error)
  const event = select(known.value)
  if (event !== undefined) return event
  throw new Fault(corruptEvent(recorded, 'type'))
}

const next = <State extends Status, Event>(
  { evolve }: Pick<Decider<never, State, Event, unknown>, 'evolve'>,
  { state, created }: Snapshot<State>,
  { event, version, position }: { event: Event; version: Version; position: Position },
): Snapshot<State> => {
  const evolved = evolve(state, event)
  const cameToBe = !exists(state) && exists(evolved)
  return { version, state: evolved, created: cameToBe ? position : created, changed: position }
}
