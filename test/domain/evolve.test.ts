import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Decider, fold } from '../../src/domain/decider.js'
import { identityProvider } from '../../src/domain/identity-provider/aggregate.js'
import { project } from '../../src/domain/project/aggregate.js'
import { projectGrant } from '../../src/domain/project-grant/aggregate.js'
import { projectRole } from '../../src/domain/project-role/aggregate.js'
import { userGrant } from '../../src/domain/user-grant/aggregate.js'
import * as providerExamples from './identity-provider/examples.js'
import * as projectExamples from './project/examples.js'
import * as projectGrantExamples from './project-grant/examples.js'
import * as roleExamples from './project-role/examples.js'
import * as userGrantExamples from './user-grant/examples.js'

const freeze = <Value>(value: Value): Value => {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value)
    Object.values(value).forEach(freeze)
  }
  return value
}

const describeEvolve = <State extends { readonly status: string }, Event>(
  name: string,
  decider: Decider<never, State, Event, unknown>,
  events: readonly Event[],
): void => {
  // In any order, as no decider would ever write them.
  const anyPast = fc.array(fc.constantFrom(...freeze(events)), { maxLength: 20 })

  describe(name, () => {
    it('takes any events in any order, and leads to a state that is known', () => {
      fc.assert(
        fc.property(anyPast, (past) => {
          const { status } = fold(decider, past)
          expect(['absent', 'active', 'inactive', 'removed']).toContain(status)
        }),
      )
    })

    it('leads to the same state each time, without touching state or event', () => {
      fc.assert(
        fc.property(anyPast, (past) => {
          const evolveFrozen = (state: State, event: Event, index: number) =>
            freeze(decider.evolve(state, event, index + 1))
          const frozen = past.reduce<State>(evolveFrozen, freeze(decider.initialState))
          expect(frozen).toEqual(fold(decider, past))
        }),
      )
    })
  })
}

describeEvolve('identityProvider', identityProvider, [
  providerExamples.googleAdded,
  providerExamples.oidcUpdated,
  providerExamples.oidcUpdatedKeepingSecret,
  providerExamples.appearanceUpdated,
  providerExamples.deactivated,
  providerExamples.reactivated,
  providerExamples.removed,
  providerExamples.resealed,
])

describeEvolve('project', project, [
  projectExamples.portalAdded,
  projectExamples.gatewayAdded,
  projectExamples.updatedToGateway,
  projectExamples.deactivated,
  projectExamples.reactivated,
  projectExamples.removed,
])

describeEvolve('projectRole', projectRole, [
  roleExamples.editorAdded,
  roleExamples.authorAdded,
  roleExamples.updatedToAuthor,
  roleExamples.editorRemoved,
])

describeEvolve('projectGrant', projectGrant, [
  projectGrantExamples.added,
  projectGrantExamples.widened,
  projectGrantExamples.narrowed,
  projectGrantExamples.deactivated,
  projectGrantExamples.reactivated,
  projectGrantExamples.removed,
])

describeEvolve('userGrant', userGrant, [
  userGrantExamples.added,
  userGrantExamples.updatedToBoth,
  userGrantExamples.updatedToViewer,
  userGrantExamples.deactivated,
  userGrantExamples.reactivated,
  userGrantExamples.removed,
])
