// One function for each rpc. The paths stand here as a client writes them, not as our annotations are read.
import { type Call, contextOf, type Details, type JsonObject } from '../call.js'
import { callOf, page, segment, shownSetupLink, type Untrusted } from './call-of.js'

const SERVICE = 'claviger.v1.SetupLinkService'

const pathOf = (linkId: string) => `/v1/setupLinks/${segment(linkId)}`

export const issueSetupLink = (body: JsonObject, details: Details = {}): Call => {
  const { expiresAt } = body
  const input = {
    ...body,
    ...(typeof expiresAt === 'string' && { expiresAt: new Date(expiresAt) }),
  }
  return callOf(details, {
    rpc: `${SERVICE}/IssueSetupLink`,
    request: body,
    http: ['POST', '/v1/setupLinks', body],
    inProcess: (iam) => iam.setupLinks.issue(input as Untrusted, contextOf(details)),
    shape: ({ linkId, token, details }) => ({
      linkId: linkId ?? null,
      token: token ?? null,
      details: details ?? null,
    }),
  })
}

export const revokeSetupLink = (linkId: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/RevokeSetupLink`,
    request: { linkId },
    http: ['POST', `${pathOf(linkId)}:revoke`],
    inProcess: (iam) => iam.setupLinks.revoke({ linkId }, contextOf(details)),
  })

export const getSetupLink = (linkId: string, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/GetSetupLink`,
    request: { linkId },
    http: ['GET', pathOf(linkId)],
    inProcess: (iam) => iam.setupLinks.get({ linkId }, contextOf(details)),
    shape: (outcome) => ({ setupLink: shownSetupLink(outcome) }),
  })

/** Which links, as a message, as parameters of a query, and as the library takes them. */
export interface WantedSetupLinks {
  readonly request?: JsonObject
  readonly query?: string
  readonly input?: Untrusted
}

export const listSetupLinks = (wanted: WantedSetupLinks = {}, details: Details = {}): Call =>
  callOf(details, {
    rpc: `${SERVICE}/ListSetupLinks`,
    request: wanted.request ?? {},
    http: ['GET', `/v1/setupLinks${wanted.query ? `?${wanted.query}` : ''}`],
    inProcess: (iam) => iam.setupLinks.list(wanted.input ?? {}, contextOf(details)),
    shape: page('setupLinks', shownSetupLink),
  })
