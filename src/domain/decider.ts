import { ok, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import type { Upcasters } from './message.js'
import type { DomainRef, ObjectRef } from './values.js'

/**
 * The rules of one type of event stream, as plain functions and values.
 *
 * A decider reads no clock, makes no id, and neither awaits nor throws, so given/when/then tests can describe it
 * completely.
 */
export interface Decider<Command, State, Event, Refusal> {
  /** Schema of an event in its newest version. */
  readonly eventSchema: z.ZodMiniType<Event>

  /** How events of older versions become the newest, by event type. */
  readonly upcasters: Upcasters

  /** The state before the first event. */
  readonly initialState: State

  /** Returns the events of `command`, or an error; `[]` when it changes nothing. */
  readonly decide: (command: Command, state: State) => Result<readonly Event[], Refusal>

  /**
   * Returns the state after `event`, which has that version in its stream (the first has 1). It accepts every event in
   * every state.
   */
  readonly evolve: (state: State, event: Event, version: number) => State
}

/** Returns the state after a whole stream: `events`, oldest first, have the versions 1, 2, 3 and so on. */
export const fold = <State, Event>(
  decider: Pick<Decider<never, State, Event, unknown>, 'initialState' | 'evolve'>,
  events: readonly Event[],
): State =>
  events.reduce<State>(
    (state, event, index) => decider.evolve(state, event, index + 1),
    decider.initialState,
  )

/** The events of `commands`, each decided on the state after those before it; all or none. */
export const decideAll = <Command, State, Event, Refusal>(
  { decide, evolve }: Pick<Decider<Command, State, Event, Refusal>, 'decide' | 'evolve'>,
  commands: readonly Command[],
  before: { readonly state: State; readonly version: number },
): Result<readonly Event[], Refusal> => {
  const events: Event[] = []
  let { state, version } = before
  for (const command of commands) {
    const decision = decide(command, state)
    if (decision.isErr()) return decision
    for (const event of decision.value) {
      version += 1
      state = evolve(state, event, version)
      events.push(event)
    }
  }
  return ok(events)
}

/** The organization has no such object, or it was removed. HTTP status 404. */
export interface NotFound<Ref extends ObjectRef = ObjectRef> {
  readonly kind: 'NotFound'
  /** By its type and ids. */
  readonly object: Ref
  /**
   * Present if the organization has no such project, but was granted one with this id: the organization that owns it, to
   * name in `projectOrgId`.
   */
  readonly grantedBy?: string
}

/**
 * Another object has this id or key. HTTP status 409. The id of a removed object stays taken; the key of a removed role
 * is free again.
 */
export interface AlreadyExists<Ref extends ObjectRef = ObjectRef> {
  readonly kind: 'AlreadyExists'
  /** By its type and ids. */
  readonly object: Ref
}

/** The DNS does not publish the challenge, so nothing proves that the organization owns the domain. HTTP status 409. */
export interface ProofNotFound {
  readonly kind: 'ProofNotFound'
  /** The domain. */
  readonly object: DomainRef
  /** Name of the TXT record that must hold the challenge. */
  readonly recordName: string
}
