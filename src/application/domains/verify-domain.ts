import { err, ok, type Result } from 'neverthrow'
import { exists } from '../../domain/decider.js'
import { challengeName, domains } from '../../domain/email-domain/aggregate.js'
import type {
  AddDomain,
  SetDomainProvider,
  VerifyDomain,
} from '../../domain/email-domain/commands.js'
import type { DomainName } from '../../domain/email-domain/domain-name.js'
import { verifiedDomains } from '../../domain/email-domain/verified-domain.js'
import { identityProviders } from '../../domain/identity-provider/aggregate.js'
import { fieldOf, OrgId } from '../../domain/values.js'
import type { Environment } from '../../ports/environment.js'
import type { DomainOptions, Host } from '../../ports/host.js'
import type { WriteError } from '../errors/errors.js'
import type { AdmittedCall } from '../method/context.js'
import { change, type StreamChange } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import { callPort } from '../waiting.js'

type Decided = Promise<Result<readonly StreamChange[], WriteError>>

/** Adds a domain that the organization does not have. */
export const decideAdded = async (streams: Streams, data: AddDomain['data']): Decided => {
  const before = await streams.read(domains, data, { load: 'assume-empty' })
  return domains.decider
    .decide({ type: 'AddDomain', data }, before.state)
    .map((events) => [change(before, events)])
}

/** Verifies a domain. Whether another organization has verified it is read only once the proof is found. */
export const decideVerified = async (streams: Streams, data: VerifyDomain['data']): Decided => {
  const before = await streams.read(domains, data)
  const decision = domains.decider.decide({ type: 'VerifyDomain', data }, before.state)
  if (decision.isErr()) return err(decision.error)
  const own = change(before, decision.value)
  if (own.events.length === 0) return ok([own])
  return (await decideClaim(streams, 'ClaimDomain', data.domain)).map((claim) => [claim, own])
}

/** Sets the provider of a domain, which the organization must have. */
export const decideProvider = async (
  streams: Streams,
  data: SetDomainProvider['data'],
): Decided => {
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
export const decideRemoved = async (
  streams: Streams,
  data: { readonly domain: DomainName },
): Decided => {
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
  const data = { domain, orgId: OrgId.parse(streams.orgId) }
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
export const publishedRecords = (
  { resolveTxt, environment }: Resolver,
  domain: string,
  { signal }: Pick<AdmittedCall, 'signal'>,
): Promise<readonly string[]> => {
  const name = challengeName(domain)
  if (name.length > MAX_NAME_LENGTH) return Promise.resolve([])
  const resolve = async () => (await resolveTxt(name)).map((texts) => texts.join(''))
  return callPort(() => inTime(environment, resolve()).catch(noneIfMissing), signal)
}

const noneIfMissing = (cause: unknown): readonly string[] => {
  if (NO_RECORDS.has(fieldOf(cause, 'code'))) return []
  throw cause
}

const inTime = async <Value>({ sleep }: Environment, answer: Promise<Value>): Promise<Value> => {
  const answered = new AbortController()
  const late = sleep(TIMEOUT_MS, answered.signal).then(() => {
    throw new Error(`resolveTxt did not answer within ${TIMEOUT_MS} ms`)
  })
  return Promise.race([answer, late]).finally(() => answered.abort())
}
