import { ok, type Result } from 'neverthrow'
import type { Decider } from '../../domain/decider.js'

/** What happens because of `commands`, each decided on what those before it lead to; all or none. */
export const decideAll = <Command, State, Event, Refusal>(
  { decide, evolve }: Pick<Decider<Command, State, Event, Refusal>, 'decide' | 'evolve'>,
  commands: readonly Command[],
  state: State,
): Result<readonly Event[], Refusal> => {
  const events: Event[] = []
  let reached = state
  for (const command of commands) {
    const decision = decide(command, reached)
    if (decision.isErr()) return decision
    reached = decision.value.reduce(evolve, reached)
    events.push(...decision.value)
  }
  return ok(events)
}
