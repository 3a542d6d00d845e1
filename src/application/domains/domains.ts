import { err, ok, type Result, ResultAsync } from 'neverthrow'
import * as z from 'zod/mini'
import { exists } from '../../domain/aggregate.js'
import { challengeName, type Domain, domains } from '../../domain/email-domain/aggregate.js'
import {
  type AddDomain,
  RemoveDomain,
  SetDomainProvider,
  type VerifyDomain,
} from '../../domain/email-domain/command-schemas.js'
import { type DomainName, toDomainName } from '../../domain/email-domain/domain-name.js'
import { verifiedDomains } from '../../domain/email-domain/verified-domain.js'
import { identityProviders } from '../../domain/identity-provider/aggregate.js'
import { choice, fieldOf } from '../../domain/values.js'
import type { RecordedEvent } from '../../ports/event-store.js'
import type { DomainOptions, Host } from '../../ports/host.js'
import type { SignInRoute } from '../../ports/read-model.js'
import { invalid, type ReadError, type WriteError } from '../errors/errors.js'
import { catchFaults } from '../errors/fault.js'
import { observed } from '../hooks.js'
import { type AdmittedCall, isSignal } from '../method/context.js'
import { readInput } from '../method/input.js'
import { type Read, type Write, write } from '../method/method.js'
import {
  get,
  type ListOptions,
  list,
  listFields,
  type Page,
  type TextFilter,
} from '../reading/list.js'
import { requireCheckpoint } from '../reading/query.js'
import { change, type StreamChange } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import type { Runtime } from '../runtime.js'
import { callPort, fromPort, raceAbort, within } from '../waiting.js'
import { changesOf, specOf, writeObject } from '../writing/write-object.js'

/**
 * E-mail domains. An organization adds a domain, proves by DNS that it owns it, and sets the identity provider that
 * users of the domain sign in with. Only one organization can verify a domain. A pending domain reserves nothing, and
 * other organizations do not see it.
 */
export interface Domains {
  /**
   * Adds a domain, which is pending until `verify`. `InvalidArgument` for a public suffix, `AlreadyExists` for a domain
   * that the organization has already.
   */
  readonly add: Write<DomainInput, AddedDomain>
  /**
   * Looks up the challenge in DNS and verifies the domain. `ProofNotFound` if the challenge is not published,
   * `AlreadyExists` if another organization has verified the domain. A verified domain stays verified without a lookup.
   */
  readonly verify: Write<DomainInput, DomainIds>
  /** Sets the provider of a domain, which may be pending; an absent `idpId` clears it. */
  readonly setProvider: Write<SetDomainProviderInput, DomainIds>
  /** Removes the domain, so that another organization may verify it. If you add it again, it gets a new challenge. */
  readonly remove: Write<DomainInput, DomainIds>
  /** Returns one domain. */
  readonly get: Read<DomainInput, Domain>
  /** Lists the organization's domains, page by page. */
  readonly list: Read<ListDomainsInput, Page<Domain>>
  /**
   * Finds the organization and identity provider for an e-mail address, before the user is signed in. For the host
   * itself, without a permission check. Undefined if the domain is unknown, pending or has no active provider;
   * `InvalidArgument` for a malformed address.
   */
  readonly route: (
    input: RouteInput,
    options?: RouteOptions,
  ) => ResultAsync<SignInRoute | undefined, ReadError>
}

/** The methods of {@link Domains}, on the ports of a host. */
export default (runtime: Runtime): Domains => {
  const { states } = runtime
  const { isPublicSuffix, resolveTxt } = runtime.domains

  const change = changesOf(runtime, domains, ({ domain }: DomainIds): DomainIds => ({ domain }))

  const isPending = async ({ orgId, signal }: AdmittedCall, input: DomainIds) => {
    const { state } = await raceAbort(states.readLatest(domains, orgId, input), signal)
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
          aggregate: domains,
          decide: (streams) => decideAdded(streams, { domain, challenge }),
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
          ? await publishedRecords({ ...runtime, resolveTxt }, domain, call)
          : []
        return writeObject(runtime, call, {
          input,
          aggregate: domains,
          decide: (streams) => decideVerified(streams, { domain, records }),
          ids: () => ({ domain }),
        })
      },
    ),
    setProvider: change('domains.setProvider', SetDomainProvider.shape.data, decideProvider),
    remove: change('domains.remove', RemoveDomain.shape.data, decideRemoved),
    get: get(runtime, 'domains.get', domains),
    list: list(runtime, 'domains.list', domains, ListDomainsInput),
    route: route(runtime),
  }
}

/** Makes a challenge that nobody can have published before. */
const newChallenge = ({ newId }: Runtime): string => `claviger-domain-verification=${newId()}`

/** The challenge in `recorded`, because a repeated call makes another one. */
const challengeIn = ([added]: readonly RecordedEvent[]): string | undefined => {
  const challenge = fieldOf(added?.data, 'challenge')
  return typeof challenge === 'string' ? challenge : undefined
}

/** Names a domain. */
export interface DomainInput {
  /**
   * At least two labels, at most 253 characters in ASCII, without a trailing dot: `example.com`. Any case, Unicode or
   * ASCII; it is stored, compared and returned in ASCII and lower case.
   */
  readonly domain: string
}

/** A domain, and the provider that its users sign in with. */
export interface SetDomainProviderInput extends DomainInput {
  /** A provider of the organization. Absent: clears the provider. */
  readonly idpId?: string | undefined
}

/** The name of a domain in the outcome of a write. */
export interface DomainIds {
  /** In ASCII and lower case. */
  readonly domain: string
}

/** An added domain, with its challenge. */
export interface AddedDomain extends DomainIds {
  /** The text to publish as a TXT record at `_claviger-challenge.<domain>`, where `verify` looks for it. */
  readonly challenge: string
}

/** Which domains to list, and in which order. */
export const ListDomainsInput = z.strictObject(listFields(domains))
export interface ListDomainsInput extends ListOptions<Omit<Domain, 'challenge'>> {
  /** Conditions, which must all hold. Default: every domain. */
  readonly filter?:
    | {
        /** Condition on the domain in ASCII. */
        readonly domain?: TextFilter | undefined
        /** Condition on the provider; a domain without one has the empty text. */
        readonly idpId?: TextFilter | undefined
        /** Only domains in this state; both when absent. */
        readonly state?: 'pending' | 'verified' | undefined
      }
    | undefined
}

/** The e-mail address to find the provider for. */
export interface RouteInput {
  /**
   * An e-mail address of at most 320 characters, as a browser accepts it in an input of the type `email`; its domain
   * may be in Unicode.
   */
  readonly email: string
}

/** Options of `route`. */
export interface RouteOptions {
  /** As in a `Context`. Default: `strong`. */
  readonly consistency?: 'strong' | 'eventual' | undefined
  /** Ends the call early. */
  readonly signal?: AbortSignal | undefined
}

/** The part before the last `@`, as browsers accept it. */
const LOCAL_PART = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+$/

/** The part after the last `@` in ASCII, as browsers accept it. */
const HOST =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

const MAX_EMAIL_LENGTH = 320

const isEmail = (email: string): boolean => {
  if (email.length > MAX_EMAIL_LENGTH) return false
  const { local, host } = partsOf(email)
  return LOCAL_PART.test(local) && (HOST.test(host) || toDomainName(host) !== undefined)
}

const partsOf = (email: string): { readonly local: string; readonly host: string } => {
  const at = email.lastIndexOf('@')
  return { local: email.slice(0, Math.max(0, at)), host: email.slice(at + 1) }
}

/** The domain of an e-mail address; undefined if it cannot be verified, such as `localhost`. */
const domainOfEmail = (email: string): string | undefined => toDomainName(partsOf(email).host)

const AN_EMAIL = 'must be an e-mail address of at most 320 characters'

/** Schema of a {@link RouteInput} with {@link RouteOptions}. */
const Route = z.strictObject({
  email: z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : AN_EMAIL) })
    .check(z.refine(isEmail, { error: AN_EMAIL })),
  consistency: z._default(choice(['strong', 'eventual']), 'strong'),
})

/** Finds the provider that the user of an e-mail address signs in with. */
const route =
  (runtime: Runtime) =>
  (input: RouteInput, options?: RouteOptions): ResultAsync<SignInRoute | undefined, ReadError> => {
    const find = () => catchFaults(() => findRoute(runtime, input, options))
    return new ResultAsync(observed(runtime, 'domains.route', find))
  }

const findRoute = async (
  runtime: Runtime,
  input: RouteInput,
  { signal, ...options }: RouteOptions = {},
): Promise<Result<SignInRoute | undefined, ReadError>> => {
  const parsed = readInput(Route, { ...input, ...options })
  if (parsed.isErr()) return err(parsed.error())
  if (!isSignal(signal)) return err(invalid('signal', 'must be an AbortSignal'))
  const { email, consistency } = parsed.value
  const call = { consistency, signal }
  const domain = domainOfEmail(email)
  if (domain === undefined) return ok(undefined)
  const query = { method: 'route', args: [domain] } as const
  const found = await raceAbort(runtime.query(call, query), signal)
  if (!found) await requireCheckpoint(runtime, call)
  return ok(found)
}

type Decided = Promise<Result<readonly StreamChange[], WriteError>>

/** Adds a domain that the organization does not have. */
const decideAdded = async (streams: Streams, data: AddDomain['data']): Decided => {
  const before = await streams.read(domains, data, { load: 'assume-empty' })
  return domains.decider
    .decide({ type: 'AddDomain', data }, before.state)
    .map((events) => [change(before, events)])
}

/** Verifies a domain. Whether another organization has verified it is read only once the proof is found. */
const decideVerified = async (streams: Streams, data: VerifyDomain['data']): Decided => {
  const before = await streams.read(domains, data)
  const decision = domains.decider.decide({ type: 'VerifyDomain', data }, before.state)
  if (decision.isErr()) return err(decision.error)
  const own = change(before, decision.value)
  if (own.events.length === 0) return ok([own])
  return (await decideClaim(streams, 'ClaimDomain', data.domain)).map((claim) => [claim, own])
}

/** Sets the provider of a domain, which the organization must have. */
const decideProvider = async (streams: Streams, data: SetDomainProvider['data']): Decided => {
  const { idpId } = data
  const [before, provider] = await Promise.all([
    streams.read(domains, data),
    idpId === undefined ? undefined : streams.read(identityProviders, { idpId }),
  ])
  const decision = domains.decider.decide({ type: 'SetDomainProvider', data }, before.state)
  if (decision.isOk() && idpId !== undefined && provider && !exists(provider.state))
    return err({ kind: 'NotFound', object: { type: 'identity_provider', idpId } })
  return decision.map((events) => [change(before, events)])
}

/** Removes a domain; if it was verified, another organization may verify it after that. */
const decideRemoved = async (streams: Streams, data: { readonly domain: DomainName }): Decided => {
  const before = await streams.read(domains, data)
  const decision = domains.decider.decide({ type: 'RemoveDomain', data }, before.state)
  if (decision.isErr()) return err(decision.error)
  const own = change(before, decision.value)
  if (before.state.status === 'pending') return ok([own])
  return (await decideClaim(streams, 'ReleaseDomain', data.domain)).map((claim) => [claim, own])
}

/** Claims a domain for the organization among all organizations, or releases it. */
const decideClaim = async (
  streams: Streams,
  type: 'ClaimDomain' | 'ReleaseDomain',
  domain: DomainName,
): Promise<Result<StreamChange, WriteError>> => {
  const before = await streams.read(verifiedDomains, { domain })
  const data = { domain, orgId: streams.orgId }
  return verifiedDomains.decider
    .decide({ type, data }, before.state)
    .map((events) => change(before, events))
}

/** Longest wait for an answer, in milliseconds. */
const TIMEOUT_MS = 5_000

/** Longest name that DNS can look up. */
const MAX_NAME_LENGTH = 253

/** Codes of `node:dns` for a name without records. */
const NO_RECORDS = new Set<unknown>(['ENODATA', 'ENOTFOUND'])

/** Finds TXT records within a time limit. */
interface Resolver extends Pick<Host, 'environment'> {
  readonly resolveTxt: NonNullable<DomainOptions['resolveTxt']>
}

/** The TXT records at the challenge's name, each as one text. @throws Fault without a DNS answer */
const publishedRecords = (
  { resolveTxt, environment }: Resolver,
  domain: string,
  { signal }: Pick<AdmittedCall, 'signal'>,
): Promise<readonly string[]> => {
  const name = challengeName(domain)
  if (name.length > MAX_NAME_LENGTH) return Promise.resolve([])
  const resolve = async () => (await resolveTxt(name)).map((texts) => texts.join(''))
  const late = () => new Error(`resolveTxt did not answer within ${TIMEOUT_MS} ms`)
  const resolved = () => within(environment, TIMEOUT_MS, resolve(), late).catch(noneIfMissing)
  return callPort(resolved, signal)
}

const noneIfMissing = (cause: unknown): readonly string[] => {
  if (NO_RECORDS.has(fieldOf(cause, 'code'))) return []
  throw cause
}
