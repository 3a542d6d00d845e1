import type { Call, Details } from '../call.js'
import { getState, listHistoryOf } from '../calls/history.js'
import {
  getSetupLink,
  issueSetupLink,
  listSetupLinks,
  revokeSetupLink,
} from '../calls/setup-links.js'
import { validating } from '../calls/validating.js'
import { stale } from '../samples.js'

const NOW = '2026-02-03T04:05:06.000Z'
const LATER = '2026-03-03T04:05:06.000Z'

const inGlobex: Details = {
  headers: { 'x-service-orgid': 'globex' },
  context: { orgId: 'globex' },
}

const keyed: Details = {
  headers: { 'idempotency-key': 'k' },
  context: { idempotencyKey: 'k' },
}

const guest: Details = { caller: 'guest' }

const link = { linkId: 'link-1', expiresAt: LATER, intents: ['provider', 'domain', 'groups'] }

/** What every operation on set-up links answers. */
export const setupLinks: readonly (readonly [name: string, ...calls: Call[]])[] = [
  [
    'issues a set-up link, shows it without its token and revokes it',
    issueSetupLink({ ...link, note: 'For Ada 😀' }),
    getSetupLink('link-1'),
    revokeSetupLink('link-1'),
    revokeSetupLink('link-1'),
    getSetupLink('link-1'),
    issueSetupLink({ expiresAt: LATER, intents: ['groups'] }),
  ],
  [
    'lists set-up links by state, id and note',
    issueSetupLink(link),
    issueSetupLink({ ...link, linkId: 'link-2', note: 'b' }),
    issueSetupLink({ ...link, linkId: 'link-3' }, inGlobex),
    revokeSetupLink('link-2'),
    listSetupLinks(),
    listSetupLinks({
      request: { filter: { state: 'SETUP_LINK_STATE_REVOKED' }, orderBy: 'link_id desc' },
      query: 'filter.state=SETUP_LINK_STATE_REVOKED&order_by=link_id%20desc',
      input: { filter: { state: 'revoked' }, sort: [{ field: 'linkId', direction: 'desc' }] },
    }),
    listSetupLinks({
      request: { filter: { note: { equals: 'b' } }, pageSize: 1 },
      query: 'filter.note.equals=b&page_size=1',
      input: { filter: { note: { equals: 'b' } }, pageSize: 1 },
    }),
  ],
  [
    'lists the history of a set-up link, and shows it as it was',
    issueSetupLink(link),
    revokeSetupLink('link-1'),
    listHistoryOf(['setup_link', 'link-1']),
    getState(['setup_link', 'link-1'], { time: NOW }),
  ],
  [
    'tells what would change of set-up links',
    validating((details) => issueSetupLink(link, details)),
    issueSetupLink(link),
    validating((details) => revokeSetupLink('link-1', details)),
  ],
  [
    'revokes once under an idempotency key',
    issueSetupLink(link),
    revokeSetupLink('link-1', keyed),
    revokeSetupLink('link-1', keyed),
  ],
]

/** What the operations on set-up links refuse. */
export const setupLinkRefusals: readonly (readonly [
  name: string,
  httpStatus: number,
  ...calls: Call[],
])[] = [
  ['to issue a link under an idempotency key', 400, issueSetupLink(link, keyed)],
  ['a link that expires at once', 400, issueSetupLink({ ...link, expiresAt: NOW })],
  ['a link for nothing', 400, issueSetupLink({ ...link, intents: [] })],
  ['a link for something unknown', 400, issueSetupLink({ ...link, intents: ['users'] })],
  ['a link without permission', 403, issueSetupLink(link, guest), revokeSetupLink('l', guest)],
  [
    'a link that is not there',
    404,
    getSetupLink('link-1'),
    revokeSetupLink('link-1'),
    getState(['setup_link', 'link-1'], { time: NOW }),
  ],
  ['a link twice', 409, issueSetupLink(link), issueSetupLink(link)],
  ['a link that has changed', 409, issueSetupLink(link), revokeSetupLink('link-1', stale)],
]
