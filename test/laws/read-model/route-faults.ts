import type { ReadModel } from '../../../src/ports/read-model.js'
import type { Fault } from './fault.js'
import { blindTo } from './grant-faults.js'

const LAW = 'Users sign in with the active provider'

/** The model that finds a route which `change` makes of the sound one. */
const routing =
  (change: (route: ReadModel['route']) => ReadModel['route']): Fault['plant'] =>
  (sound) => ({ route: change(sound.route) })

/** Faults of routes, and of events of no object. */
export const ROUTE_FAULTS: readonly Fault[] = [
  ...(
    [
      'identity_provider.deactivated',
      'identity_provider.reactivated',
      'identity_provider.removed',
      'domain.verified',
      'domain.provider_set',
      'domain.removed',
    ] as const
  ).map((type) => ({
    fault: `finds routes without regard to ${type}`,
    law: LAW,
    plant: blindTo([type], ['route']),
  })),
  {
    fault: 'finds the route of a domain for what ends with it',
    law: LAW,
    plant: routing((route) => async (domain) => route(domain.replace(/^x\./, ''))),
  },
  {
    fault: 'finds routes in another organization',
    law: LAW,
    plant: routing((route) => async (domain) => {
      const found = await route(domain)
      return found && { ...found, orgId: 'acme' }
    }),
  },
  {
    fault: 'stays where it is at an event of no object',
    law: 'An event without',
    plant: (sound) => ({
      apply: async (from, events) =>
        events.some(({ type }) => type.startsWith('verified_domain.')) || sound.apply(from, events),
    }),
  },
]
