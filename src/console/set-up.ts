import type { Iam, IamError } from '../index.js'
import type { HeaderReader, HttpRequest } from '../transport/http.js'
import type { TransportOptions } from '../transport/index.js'
import type { Asker } from './directory.js'
import type { MountOptions } from './page.js'

/** Finds out who calls by the token of a set-up link, which the pages send as a bearer token. */
export const byLink =
  (iam: Iam): TransportOptions['authenticate'] =>
  async (headers, signal) => {
    const token = tokenIn(headers)
    if (token === undefined) return undefined
    const redeemed = await iam.setupLinks.redeem({ token }, { signal })
    return redeemed.isOk() ? redeemed.value.caller : redeemed.error
  }

const tokenIn = (headers: HeaderReader): string | undefined =>
  /^Bearer ([\w-]{1,200})$/i.exec(headers.get('authorization') ?? '')?.[1]

/** The link of a request; undefined in the console. */
export const redeemed = async (
  iam: Iam,
  { isLink }: MountOptions,
  { header }: Pick<HttpRequest, 'header'>,
  { signal }: Pick<Asker, 'signal'>,
) => (isLink ? iam.setupLinks.redeem({ token: tokenIn(header) ?? '' }, { signal }) : undefined)

type Answer = object | { readonly refusal: IamError }

/**
 * Where a provider sends browsers back, where its users sign in, when a link expires, and what the provider of a link has
 * passed.
 */
export const setUpOf = async (
  iam: Iam,
  options: MountOptions,
  request: Pick<HttpRequest, 'query' | 'header'>,
  { orgId, ...asker }: Asker,
): Promise<Answer> => {
  const { redirectUri, signInUrl } = options
  const opened = await redeemed(iam, options, request, asker)
  if (opened?.isErr()) return { refusal: opened.error }
  const link = opened?.isOk() ? opened.value : undefined
  const caller = link?.caller ?? asker.caller
  const idpId = link?.idpId ?? new URLSearchParams(request.query).get('idp_id') ?? ''
  const filter = { idpId: { equals: idpId } }
  const found = await iam.identityProviders.list({ filter }, { ...asker, caller, orgId })
  const expiresAt = link?.expiresAt.toISOString()
  // A link may be for domains or groups alone.
  if (found.isErr())
    return expiresAt && found.error.kind === 'PermissionDenied'
      ? { expiresAt }
      : { refusal: found.error }
  const now = found.value.items[0]?.details.sequence
  const ids = { orgId, idpId }
  return {
    redirectUri: typeof redirectUri === 'function' ? redirectUri(ids) : redirectUri,
    signInUrl: signInUrl?.(ids),
    ...(link && {
      idpId,
      expiresAt,
      hasPassedTest: now !== undefined && link.passed.test === now,
      hasSignedIn: now !== undefined && link.passed.sign_in === now,
    }),
  }
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
