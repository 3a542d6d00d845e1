// One function for each rpc. The paths stand here as a client writes them, not as our annotations are read.
import { type Call, contextOf, type Details, type JsonObject } from '../call.js'
import { callOf, page, segment, shownDomain, type Untrusted } from './call-of.js'

const SERVICE = 'claviger.v1.DomainService'

const pathOf = (domain: string) => `/v1/domains/${segment(domain)}`

export const addDomain = (domain: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/AddDomain`,
    request: { domain },
    http: ['POST', '/v1/domains', { domain }],
    inProcess: (iam) => iam.domains.add({ domain }, contextOf(details)),
    shape: ({ domain, challenge, details }) => ({
      domain: domain ?? null,
      challenge: challenge ?? null,
      details: details ?? null,
    }),
  })

export const verifyDomain = (domain: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/VerifyDomain`,
    request: { domain },
    http: ['POST', `${pathOf(domain)}:verify`],
    inProcess: (iam) => iam.domains.verify({ domain }, contextOf(details)),
  })

export const setDomainProvider = (domain: string, body: JsonObject, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/SetDomainProvider`,
    request: { domain, ...body },
    http: ['PUT', `${pathOf(domain)}/provider`, body],
    inProcess: (iam) =>
      iam.domains.setProvider({ domain, ...body } as Untrusted, contextOf(details)),
  })

export const removeDomain = (domain: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/RemoveDomain`,
    request: { domain },
    http: ['DELETE', pathOf(domain)],
    inProcess: (iam) => iam.domains.remove({ domain }, contextOf(details)),
  })

export const getDomain = (domain: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/GetDomain`,
    request: { domain },
    http: ['GET', pathOf(domain)],
    inProcess: (iam) => iam.domains.get({ domain }, contextOf(details)),
    shape: (outcome) => ({ domain: shownDomain(outcome) }),
  })

/** Which domains, as a message, as parameters of a query, and as the library takes them. */
export interface WantedDomains {
  readonly request?: JsonObject
  readonly query?: string
  readonly input?: Untrusted
}

export const listDomains = (wanted: WantedDomains = {}, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/ListDomains`,
    request: wanted.request ?? {},
    http: ['GET', `/v1/domains${wanted.query ? `?${wanted.query}` : ''}`],
    inProcess: (iam) => iam.domains.list(wanted.input ?? {}, contextOf(details)),
    shape: page('domains', shownDomain),
  })
