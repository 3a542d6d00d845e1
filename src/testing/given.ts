import type { Result } from 'neverthrow'
import { type Decider, fold } from '../domain/decider.js'

/**
 * Runs a decider as an example: given past events, when a command, then the result.
 * `when` throws a `TypeError` for a command that the decider does not know.
 *
 * @param events - the stream of the command's object, oldest first, in their newest versions
 * @example
 * ```ts
 * const decision = given(projectRole, []).when(addEditor)
 * expect(decision).toEqual(ok([editorAdded]))
 * ```
 */
export const given = <Command, State, Event, Refusal>(
  decider: Decider<Command, State, Event, Refusal>,
  events: readonly Event[],
): {
  /** The events of `command`, or its refusal; `[]` when it changes nothing. */
  readonly when: (command: Command) => Result<readonly Event[], Refusal>
} => ({
  when: (command) => {
    const decision = decider.decide(command, fold(decider, events))
    // By its types, a decider handles every command.
    if (decision === undefined) throw new TypeError('The decider does not know this command')
    return decision
  },
})
