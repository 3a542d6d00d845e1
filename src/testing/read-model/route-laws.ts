import type { AnyEvent } from '../../domain/aggregates.js'
import type { SignInRoute } from '../../ports/read-model.js'
import { demandEqual } from '../law.js'
import { fedWith, feed, type ReadModelLaw } from './law.js'
import {
  DOMAIN,
  domainAdded,
  domainClaimed,
  domainProviderSet,
  domainRemoved,
  domainVerified,
  idpAdded,
  idpDeactivated,
  idpReactivated,
  idpRemoved,
} from './object-samples.js'
import { newLog } from './sample.js'

const ACME: SignInRoute = { orgId: 'acme', idpId: 'google' }
const OTHER: SignInRoute = { orgId: 'other', idpId: 'google' }

/** An event of an organization, and where users of {@link DOMAIN} sign in from then on. */
const STORY: readonly (readonly [
  orgId: string,
  event: AnyEvent,
  route: SignInRoute | undefined,
])[] = [
  ['acme', idpAdded('google'), undefined],
  ['other', idpAdded('google'), undefined],
  ['acme', domainAdded(DOMAIN), undefined],
  ['other', domainAdded(DOMAIN), undefined],
  ['other', domainProviderSet(DOMAIN, 'google'), undefined],
  ['acme', domainProviderSet(DOMAIN, 'google'), undefined],
  ['acme', domainVerified(DOMAIN), ACME],
  ['acme', idpDeactivated('google'), undefined],
  ['acme', idpReactivated('google'), ACME],
  ['acme', domainProviderSet(DOMAIN, 'unknown'), undefined],
  ['acme', domainProviderSet(DOMAIN), undefined],
  ['acme', domainProviderSet(DOMAIN, 'google'), ACME],
  ['other', domainRemoved(DOMAIN), ACME],
  ['other', domainAdded(DOMAIN), ACME],
  ['acme', domainRemoved(DOMAIN), undefined],
  ['other', domainProviderSet(DOMAIN, 'google'), undefined],
  ['other', domainVerified(DOMAIN), OTHER],
  ['acme', domainAdded(DOMAIN), OTHER],
  ['acme', domainProviderSet(DOMAIN, 'google'), OTHER],
  ['other', idpRemoved('google'), undefined],
]

/** Laws of where users sign in, and of the events of no object that guard verified domains. */
export const routeLaws: readonly ReadModelLaw[] = [
  {
    name: 'Users sign in with the active provider that the organization has set which verified their domain.',
    check: async (home) => {
      const log = newLog()
      const model = await home.open()
      for (const [orgId, event, route] of STORY) {
        log.record(orgId, event)
        await feed(model, log)
        demandEqual(`route after ${event.type} of ${orgId}`, await model.route(DOMAIN), route)
        demandEqual('route of another domain', await model.route(`x.${DOMAIN}`), undefined)
      }
      const atOnce = await fedWith(home, log)
      demandEqual('route', await atOnce.route(DOMAIN), undefined)
    },
  },
  {
    name: 'An event of no object moves the checkpoint, and nothing else.',
    check: async (home) => {
      const log = newLog()
      log.record('acme', domainAdded(DOMAIN))
      const model = await fedWith(home, log)
      const ref = { type: 'domain', domain: DOMAIN } as const
      const everything = async () => [
        await model.get('acme', ref),
        await model.history({ orgId: 'acme', after: 0n, limit: 10 }),
      ]
      const before = await everything()
      const { position } = log.record('acme', domainClaimed(DOMAIN, 'acme'))
      await feed(model, log)
      demandEqual('what is read', await everything(), before)
      demandEqual('checkpoint', await model.checkpoint(), position)
      log.record('acme', domainVerified(DOMAIN))
      await feed(model, log)
      demandEqual('state', (await model.get('acme', ref))?.state, 'verified')
    },
  },
]
