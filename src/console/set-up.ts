import type { Caller, Iam, IamError, RedeemedSetupLink } from '../index.js'
import type { HeaderReader, HttpRequest } from '../transport/http.js'
import type { TransportOptions } from '../transport/index.js'
import type { Asker } from './directory.js'
import type { MountOptions } from './page.js'

/** The link that a caller came by. */
const links = new WeakMap<Caller, RedeemedSetupLink>()

/** Finds out who calls by the token of a set-up link, which the pages send as a bearer token. */
export const byLink =
  (iam: Iam): TransportOptions['authenticate'] =>
  async (headers, signal) => {
    const token = tokenIn(headers)
    if (token === undefined) return undefined
    const redeemed = await iam.setupLinks.redeem({ token }, { signal })
    if (redeemed.isErr()) return redeemed.error
    links.set(redeemed.value.caller, redeemed.value)
    return redeemed.value.caller
  }

const tokenIn = (headers: HeaderReader): string | undefined =>
  /^Bearer ([\w-]{1,200})$/i.exec(headers.get('authorization') ?? '')?.[1]

/** The link of a request; undefined in the console. */
export const linkOf = ({ caller }: Asker): RedeemedSetupLink | undefined => links.get(caller)

/** The id of the provider in a request: the link names it, otherwise the query does. */
export const providerIn = ({ query }: Pick<HttpRequest, 'query'>, asker: Asker): string =>
  linkOf(asker)?.idpId ?? new URLSearchParams(query).get('idp_id') ?? ''

export type Answer = object | { readonly refusal: IamError }

/**
 * Where a provider sends browsers back, where its users sign in, when a link expires, and what the provider of a link has
 * passed.
 */
export const setUpOf = async (
  iam: Iam,
  options: MountOptions,
  request: Pick<HttpRequest, 'query'>,
  asker: Asker,
): Promise<Answer> => {
  const { redirectUri, signInUrl } = options
  const link = linkOf(asker)
  const ids = { orgId: asker.orgId, idpId: providerIn(request, asker) }
  const found = await iam.identityProviders.list(
    { filter: { idpId: { equals: ids.idpId } } },
    asker,
  )
  const expiresAt = link?.expiresAt.toISOString()
  // A link may be for domains or groups alone.
  if (found.isErr())
    return expiresAt && found.error.kind === 'PermissionDenied'
      ? { expiresAt }
      : { refusal: found.error }
  const now = found.value.items[0]?.details.sequence
  return {
    redirectUri: typeof redirectUri === 'function' ? redirectUri(ids) : redirectUri,
    signInUrl: signInUrl?.(ids),
    ...(link && {
      ...{ idpId: ids.idpId, expiresAt },
      hasPassedTest: now !== undefined && link.passed.test === now,
      hasSignedIn: now !== undefined && link.passed.sign_in === now,
      isRemoved: now === undefined && (await isTaken(iam, ids.idpId, asker)),
    }),
  }
}

/** Whether no provider can be added under an id: that of a removed one stays taken. */
const isTaken = async (iam: Iam, idpId: string, asker: Asker): Promise<boolean> => {
  const trial = { idpId, name: idpId, clientId: '-', clientSecret: '-', issuer: 'https://-' }
  const added = await iam.identityProviders.addOidc(trial, { ...asker, dryRun: true })
  return added.isErr() && added.error.kind === 'AlreadyExists'
}

/** Ends a link. */
export const completeLink = async (
  iam: Iam,
  { isLink }: MountOptions,
  { header, signal }: Pick<HttpRequest, 'header' | 'signal'>,
): Promise<Answer> => {
  const token = isLink && tokenIn(header)
  if (!token) return { refusal: { kind: 'Unauthenticated' } }
  const completed = await iam.setupLinks.complete({ token }, { signal })
  return completed.isOk() ? {} : { refusal: completed.error }
}
