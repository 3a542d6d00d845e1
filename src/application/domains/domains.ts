import { err, type ResultAsync } from 'neverthrow'
import { RemoveDomain, SetDomainProvider } from '../../domain/email-domain/commands.js'
import { domains } from '../../domain/email-domain/kind.js'
import { fieldOf } from '../../domain/field-of.js'
import type { RecordedEvent } from '../../ports/event-store.js'
import type { Domain, SignInRoute } from '../../ports/read-model.js'
import { type IamError, invalid } from '../errors/errors.js'
import { fromPort } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import { type Read, type Write, write } from '../method/method.js'
import { get } from '../reading/get.js'
import { list, type Page } from '../reading/list.js'
import type { Runtime } from '../runtime.js'
import { raceAbort } from '../waiting/race-abort.js'
import { specOf } from '../writing/write-command.js'
import { type ObjectWrite, writeObject } from '../writing/write-object.js'
import { decideAdded, decideProvider, decideRemoved, decideVerified } from './decide-domain.js'
import {
  type AddedDomain,
  type DomainIds,
  type DomainInput,
  ListDomainsInput,
  type RouteInput,
  type RouteOptions,
  type SetDomainProviderInput,
} from './domain-input.js'
import { publishedRecords } from './published-records.js'
import { route } from './route.js'

/**
 * Domains of e-mail addresses. An organization adds a domain, proves by DNS that it is its own, and sets the provider
 * that users with addresses of the domain sign in with. A verified domain belongs to one organization; one that is
 * pending reserves nothing, and nobody learns of it.
 */
export interface Domains {
  /** Adds a domain, which is pending. Refused: a public suffix, a domain that the organization has already. */
  readonly add: Write<DomainInput, AddedDomain>
  /**
   * Asks DNS for the challenge. Refused as `ProofNotFound` when it is not there, as `AlreadyExists` when another
   * organization has verified the domain. A verified domain stays verified, and DNS is not asked.
   */
  readonly verify: Write<DomainInput, DomainIds>
  /** Sets the provider, also of a pending domain; none when `idpId` is absent. */
  readonly setProvider: Write<SetDomainProviderInput, DomainIds>
  /** Gives the domain up: another organization may verify it. Added again, it gets a new challenge. */
  readonly remove: Write<DomainInput, DomainIds>
  /** One domain. */
  readonly get: Read<DomainInput, Domain>
  /** The domains of the organization, page by page. */
  readonly list: Read<ListDomainsInput, Page<Domain>>
  /**
   * For the host itself, before anybody is signed in, without a permission check: the organization and provider for an
   * e-mail address. Undefined for a domain that is unknown, pending, without a provider, or whose provider is inactive
   * or removed. A malformed address is refused.
   */
  readonly route: (
    input: RouteInput,
    options?: RouteOptions,
  ) => ResultAsync<SignInRoute | undefined, IamError>
}

/** @see Domains */
export const domainsOf = (runtime: Runtime): Domains => {
  const { ledger } = runtime
  const { isPublicSuffix, resolveTxt } = runtime.domains

  const change = <Input extends DomainIds>(
    call: AdmittedCall,
    input: Input,
    decide: ObjectWrite<DomainIds>['decide'],
  ) =>
    writeObject(runtime, call, {
      input,
      kind: domains,
      decide,
      ids: () => ({ domain: input.domain }),
    })

  const isPending = async ({ orgId, signal }: AdmittedCall, input: DomainIds) => {
    const { state } = await raceAbort(ledger.read(domains, orgId, input), signal)
    return state.status === 'pending'
  }

  return {
    add: write(
      runtime,
      specOf(domains, { method: 'domains.add', schema: domains.ids, isNew: true }),
      async (call, input) => {
        const { domain } = input
        if (!isPublicSuffix) return err({ kind: 'NotConfigured', option: 'domains.isPublicSuffix' })
        if ((await fromPort(() => isPublicSuffix(domain))) !== false)
          return err(invalid('domain', 'must not be a public suffix'))
        const challenge = newChallenge(runtime)
        return writeObject(runtime, call, {
          input,
          kind: domains,
          decide: (view) => decideAdded(view, { domain, challenge }),
          ids: (recorded) => ({ domain, challenge: challengeIn(recorded) ?? challenge }),
        })
      },
    ),
    verify: write(
      runtime,
      specOf(domains, { method: 'domains.verify', schema: domains.ids, isNew: false }),
      async (call, input) => {
        const { domain } = input
        if (!resolveTxt) return err({ kind: 'NotConfigured', option: 'domains.resolveTxt' })
        const records = (await isPending(call, input))
          ? await publishedRecords(resolveTxt, domain, call)
          : []
        return change(call, input, (view) => decideVerified(view, { domain, records }))
      },
    ),
    setProvider: write(
      runtime,
      specOf(domains, {
        method: 'domains.setProvider',
        schema: SetDomainProvider.shape.data,
        isNew: false,
      }),
      (call, input) => change(call, input, (view) => decideProvider(view, input)),
    ),
    remove: write(
      runtime,
      specOf(domains, {
        method: 'domains.remove',
        schema: RemoveDomain.shape.data,
        isNew: false,
      }),
      (call, input) => change(call, input, (view) => decideRemoved(view, input)),
    ),
    get: get(runtime, 'domains.get', domains),
    list: list(runtime, { method: 'domains.list', kind: domains, schema: ListDomainsInput }),
    route: route(runtime),
  }
}

/** Nobody else is given the same: what matters is that it is not on record anywhere before it is drawn. */
const newChallenge = ({ newId }: Runtime): string => `claviger-domain-verification=${newId()}`

/** The challenge of the domain that was added by `recorded`: a repeated call draws another one. */
const challengeIn = ([added]: readonly RecordedEvent[]): string | undefined => {
  const challenge = fieldOf(added?.data, 'challenge')
  return typeof challenge === 'string' ? challenge : undefined
}
