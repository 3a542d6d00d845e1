import * as z from 'zod'

export const DETAILS = {
  sequence: '1769851800250000',
  creationDate: '2026-01-31T09:30:00.250Z',
  changeDate: '2026-01-31T09:30:00.250Z',
  resourceOwner: 'acme',
}

/** What is answered about the project of the benchmark. */
export const PROJECT = {
  id: 'portal',
  name: 'Portal',
  projectRoleAssertion: false,
  projectRoleCheck: false,
  hasProjectCheck: false,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  state: 'STATE_ACTIVE',
}

/** The body of the request that adds a role. */
export const ROLE = z.strictObject({
  roleKey: z.string().min(1).max(200),
  displayName: z.string().min(1).max(200),
  group: z.string().max(200).default(''),
})

export const ANSWER_HEADERS = { 'cache-control': 'no-store', etag: `"${DETAILS.sequence}"` }
export const READ_HEADERS = { ...ANSWER_HEADERS, vary: 'Authorization, Cookie, x-service-orgid' }
