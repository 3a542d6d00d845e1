import type { Violation } from '../errors/errors.js'

const DISCOVERY = '.well-known/openid-configuration'

/** Why nobody could sign in with this issuer; empty without a mistake, and for a draft without an issuer. */
export const issuerWarnings = (issuer = ''): readonly Violation[] => {
  if (issuer === '') return []
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const descriptions = [
    ...(url?.protocol === 'https:' ? [] : ['should be an https URL']),
    ...(url?.pathname.replace(/\/$/, '').endsWith(DISCOVERY)
      ? [`should not end with ${DISCOVERY}: enter the issuer that this document names`]
      : []),
  ]
  return descriptions.map((description) => ({ field: 'issuer', description }))
}
