/** Names a provider. */
export interface ProviderIds {
  /** Organization of the provider. */
  readonly orgId: string
  /** Id of the provider, unique within its organization. */
  readonly idpId: string
}

/** A URL for all providers, or one for each. */
export type RedirectUri = string | ((provider: ProviderIds) => string)

/** What a redirect URI must be, in words. */
export const REDIRECT_URI = 'an absolute URL of https or http, without query and fragment'

export const isRedirectUri = (text: unknown): text is string =>
  typeof text === 'string' &&
  URL.canParse(text) &&
  /^https?:$/.test(new URL(text).protocol) &&
  !/[?#]/.test(text)

/** The redirect URIs that the options name. @throws TypeError when two providers would share a path */
export const redirectUriIn = ({
  redirectUri,
  callbackBase,
}: {
  readonly redirectUri?: RedirectUri | undefined
  readonly callbackBase?: string | undefined
}): RedirectUri => {
  if (callbackBase !== undefined) {
    if (redirectUri !== undefined) throw new TypeError('redirectUri is not used with callbackBase')
    const base = callbackBase.replace(/\/$/, '')
    return ({ orgId, idpId }) => `${base}/${orgId}/${idpId}`
  }
  if (redirectUri === undefined) throw new TypeError(`redirectUri must be ${REDIRECT_URI}`)
  if (typeof redirectUri === 'function') checkPaths(redirectUri)
  return redirectUri
}

/** Not relative to the redirect URI: a URL that is only a query has another path. */
export const pathOf = (href: string): string => new URL(href, 'https://host.invalid').pathname

/** Ids have these characters beside letters and digits, or none of them. */
const SEPARATORS = ['', '.', '_', ':', '@', '~', '-']

/** Ids that become one when they are joined, when one is left out, or when their case is. */
const MIXABLE: readonly ProviderIds[] = [
  { orgId: 'a', idpId: 'b' },
  { orgId: 'b', idpId: 'a' },
  { orgId: 'b', idpId: 'b' },
  { orgId: 'A', idpId: 'b' },
  { orgId: 'a', idpId: 'B' },
  { orgId: 'a', idpId: 'c' },
  ...SEPARATORS.flatMap((separator) => [
    { orgId: `a${separator}b`, idpId: 'd' },
    { orgId: 'a', idpId: `b${separator}d` },
  ]),
]

/**
 * `finish` tells providers apart by the path. If two had one, a hostile one could get a code of the other.
 *
 * @throws TypeError
 */
const checkPaths = (redirectUri: (provider: ProviderIds) => string): void => {
  const known = new Map<string, ProviderIds>()
  for (const ids of MIXABLE) {
    const path = pathFor(redirectUri, ids)
    const other = path === undefined ? undefined : known.get(path)
    if (other !== undefined)
      throw new TypeError(
        `redirectUri must return another path for each provider, but returns ${path} for ${textOf(other)} and for ${textOf(ids)}; callbackBase makes it from both ids`,
      )
    if (path !== undefined) known.set(path, ids)
  }
}

const textOf = ({ orgId, idpId }: ProviderIds): string => `orgId ${orgId}, idpId ${idpId}`

/** Undefined if the function knows only providers that exist. */
const pathFor = (
  redirectUri: (provider: ProviderIds) => string,
  ids: ProviderIds,
): string | undefined => {
  try {
    const uri = redirectUri(ids)
    return isRedirectUri(uri) ? pathOf(uri) : undefined
  } catch {
    return undefined
  }
}
