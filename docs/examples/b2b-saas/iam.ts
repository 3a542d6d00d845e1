// claviger: organizations, roles, identity providers and domains.
import { resolveTxt } from 'node:dns/promises'
import { aesGcmCipher, createIam, permissionsFromCaller } from 'claviger'
import { getPublicSuffix } from 'tldts'
import { database, key, origin } from './database.ts'

export const iam = createIam({
  ...database.iam,
  secrets: aesGcmCipher({ current: 'k1', keys: { k1: key('IAM_KEY') } }),
  authorize: permissionsFromCaller,
  hooks: { onFault: console.error },
  domains: { resolveTxt, isPublicSuffix: (domain) => getPublicSuffix(domain) === domain },
})

/** Customers choose the addresses of providers and webhooks. Only in development one may lead to this machine. */
export const network = { allowHttpLoopback: origin.startsWith('http:') }
