import { httpStatusOf, type Iam, type IamError, toStatus } from '../index.js'
import { notifyHost, ORGANIZATION_HEADER, toConsole } from '../transport/handler-options.js'
import type { TransportOptions } from '../transport/index.js'
import type { ConsoleOptions } from './options.js'

/** Finds out who calls by the token of a set-up link, which the pages send as a bearer token. */
export const byLink =
  (iam: Iam): TransportOptions['authenticate'] =>
  async (headers, signal) => {
    const token = tokenIn(headers)
    if (token === undefined) return undefined
    const redeemed = await iam.setupLinks.redeem({ token }, { signal })
    return redeemed.isOk() ? redeemed.value.caller : redeemed.error
  }

const tokenIn = (headers: Headers): string | undefined =>
  /^Bearer ([\w-]{1,200})$/i.exec(headers.get('authorization') ?? '')?.[1]

/** A request of the guided pages. */
interface SetUpRequest {
  /** `GET` asks where a provider sends browsers back, and what that of a link has passed; `POST` ends a link. */
  readonly method: string
  readonly query: string
  readonly headers: Headers
  readonly signal: AbortSignal
}

/** Answers what the guided pages ask besides the JSON interface. */
export const askSetUp = async (
  iam: Iam,
  options: ConsoleOptions & { readonly isLink?: true },
  { method, query, headers, signal }: SetUpRequest,
): Promise<{ readonly status: number; readonly body: string }> => {
  const { authenticate, redirectUri, signInUrl, organizationHeader = ORGANIZATION_HEADER } = options
  try {
    if (method === 'POST') {
      const token = options.isLink && tokenIn(headers)
      if (!token) return refused({ kind: 'Unauthenticated' })
      const completed = await iam.setupLinks.complete({ token }, { signal })
      return completed.isOk() ? { status: 200, body: '{}' } : refused(completed.error)
    }
    const redeemed = options.isLink
      ? await iam.setupLinks.redeem({ token: tokenIn(headers) ?? '' }, { signal })
      : undefined
    if (redeemed?.isErr()) return refused(redeemed.error)
    const link = redeemed?.isOk() ? redeemed.value : undefined
    const caller = link?.caller ?? (await authenticate(headers, signal))
    if (!caller) return refused({ kind: 'Unauthenticated' })
    if ('kind' in caller) return refused(caller)
    const orgId = headers.get(organizationHeader) || caller.orgId
    const idpId = link?.idpId ?? new URLSearchParams(query).get('idp_id') ?? ''
    const filter = { idpId: { equals: idpId } }
    const found = await iam.identityProviders.list({ filter }, { caller, orgId, signal })
    if (found.isErr()) return refused(found.error)
    const now = found.value.items[0]?.details.sequence
    const ids = { orgId, idpId }
    const shown = {
      redirectUri: typeof redirectUri === 'function' ? redirectUri(ids) : redirectUri,
      signInUrl: signInUrl?.(ids),
      ...(link && {
        idpId,
        hasPassedTest: now !== undefined && link.passed.test === now,
        hasSignedIn: now !== undefined && link.passed.sign_in === now,
      }),
    }
    return { status: 200, body: JSON.stringify(shown) }
  } catch (cause) {
    const failure = { correlationId: crypto.randomUUID(), method: `${method} /api/setUp` }
    notifyHost(options.onError ?? toConsole, cause, failure)
    return refused({ kind: 'Unavailable', outcome: 'not_recorded', cause })
  }
}

const refused = (error: IamError) => ({
  status: httpStatusOf(error),
  body: JSON.stringify(toStatus(error)),
})
