import type { Call, Details } from '../call.js'
import {
  addDomain,
  getDomain,
  listDomains,
  removeDomain,
  setDomainProvider,
  verifyDomain,
} from '../calls/domains.js'
import { getState, listHistory, listHistoryOf } from '../calls/history.js'
import { validating } from '../calls/validating.js'
import { IDP_ID } from '../host.js'
import { stale } from '../samples.js'

const NOW = '2026-02-03T04:05:06.000Z'

const inGlobex: Details = {
  headers: { 'x-service-orgid': 'globex' },
  context: { orgId: 'globex' },
}

const keyed: Details = {
  headers: { 'idempotency-key': 'k' },
  context: { idempotencyKey: 'k' },
}

const guest: Details = { caller: 'guest' }

/** The one domain that has published its challenge. */
const OWN = 'published.example'
const google = { idpId: IDP_ID }

/** What every operation on domains answers. */
export const domains: readonly (readonly [name: string, ...calls: Call[]])[] = [
  [
    'adds a domain, verifies it, sets its provider and removes it',
    addDomain('Published.EXAMPLE'),
    getDomain(OWN),
    setDomainProvider(OWN, google),
    verifyDomain(OWN),
    verifyDomain(OWN),
    getDomain(OWN),
    setDomainProvider(OWN, {}),
    getDomain(OWN),
    removeDomain(OWN),
    addDomain(OWN, inGlobex),
    verifyDomain(OWN, inGlobex),
    getDomain(OWN, inGlobex),
  ],
  [
    'lists domains by state, name and provider',
    ...[OWN, 'b\u00fccher.example', 'a.example', 'xn--80ak6aa92e.com'].map((each) =>
      addDomain(each),
    ),
    addDomain('other.example', inGlobex),
    verifyDomain(OWN),
    setDomainProvider('a.example', google),
    listDomains(),
    listDomains({
      request: { filter: { state: 'DOMAIN_STATE_PENDING' }, orderBy: 'domain desc' },
      query: 'filter.state=DOMAIN_STATE_PENDING&order_by=domain%20desc',
      input: { filter: { state: 'pending' }, sort: [{ field: 'domain', direction: 'desc' }] },
    }),
    listDomains({
      request: { filter: { idpId: { equals: IDP_ID } } },
      query: `filter.idp_id.equals=${IDP_ID}`,
      input: { filter: { idpId: { equals: IDP_ID } } },
    }),
    listDomains({
      request: { filter: { domain: { startsWith: 'XN--', ignoreCase: true } }, pageSize: 1 },
      query: 'filter.domain.starts_with=XN--&filter.domain.ignore_case=true&page_size=1',
      input: { filter: { domain: { startsWith: 'XN--', ignoreCase: true } }, pageSize: 1 },
    }),
  ],
  [
    'lists the history of a domain, and shows it as it was',
    addDomain(OWN),
    verifyDomain(OWN),
    setDomainProvider(OWN, google),
    removeDomain(OWN),
    addDomain(OWN, inGlobex),
    verifyDomain(OWN, inGlobex),
    listHistory(),
    listHistory({}, inGlobex),
    listHistoryOf(['domain', OWN]),
    listHistoryOf(['domain', OWN], {}, inGlobex),
    getState(['domain', OWN], { time: NOW }, inGlobex),
  ],
  [
    'tells what would change of domains',
    validating((details) => addDomain(OWN, details)),
    addDomain(OWN),
    validating((details) => verifyDomain(OWN, details)),
    validating((details) => setDomainProvider(OWN, google, details)),
    validating((details) => removeDomain(OWN, details)),
  ],
  ['adds a domain once under an idempotency key', addDomain(OWN, keyed), addDomain(OWN, keyed)],
  ...[
    '\u0430pple.example',
    'fa\u00df.example',
    'exam\u00adple.com',
    `${'a'.repeat(63)}.example`,
  ].map((each) => [`takes ${JSON.stringify(each)} for a domain`, addDomain(each)] as const),
]

/** What the operations on domains refuse. */
export const domainRefusals: readonly (readonly [
  name: string,
  httpStatus: number,
  ...calls: Call[],
])[] = [
  ...[
    'co.uk',
    'com',
    'localhost',
    '127.0.0.1',
    '[::1]',
    'example.com.',
    `${'a'.repeat(64)}.example`,
    `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(60)}.e`,
    'a b.example',
    'user@example.com',
    '*.example.com',
  ].map((each) => [`to add the domain ${each.slice(0, 70)}`, 400, addDomain(each)] as const),
  ['a domain without permission', 403, addDomain(OWN, guest), verifyDomain(OWN, guest)],
  [
    'a domain that is not there',
    404,
    getDomain(OWN),
    verifyDomain(OWN),
    removeDomain(OWN),
    setDomainProvider(OWN, google),
    getState(['domain', OWN], { time: NOW }),
  ],
  ['a provider that is not there', 404, addDomain(OWN), setDomainProvider(OWN, { idpId: 'none' })],
  ['a domain twice', 409, addDomain(OWN), addDomain('PUBLISHED.example')],
  ['a domain without a proof', 409, addDomain('b.example'), verifyDomain('b.example')],
  [
    'a domain that another organization has verified',
    409,
    addDomain(OWN, inGlobex),
    verifyDomain(OWN, inGlobex),
    addDomain(OWN),
    verifyDomain(OWN),
  ],
  ['a domain that has changed', 409, addDomain(OWN), removeDomain(OWN, stale)],
]
