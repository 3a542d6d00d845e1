import type { Iam, IamError } from '../index.js'
import type { HttpRequest } from '../transport/http.js'
import type { Asker } from './directory.js'
import type { MountOptions } from './page.js'
import { redeemed } from './set-up.js'

type Answer = object | { readonly refusal: IamError }

/**
 * `GET`: the URL, tokens and refusals of a provider; empty if the host serves no SCIM. `POST`: a new token. `DELETE`:
 * ends a token. Needs `identity_provider.read`, and `identity_provider.write` for both changes.
 */
export const scimOf = async (
  iam: Iam,
  options: MountOptions,
  request: Pick<HttpRequest, 'method' | 'query' | 'header'>,
  { orgId, ...asker }: Asker,
): Promise<Answer> => {
  const { scim } = options
  if (!scim) return {}
  const query = new URLSearchParams(request.query)
  const idpId = query.get('idp_id') ?? ''
  const ids = { orgId, idpId }
  const context = { ...asker, orgId }
  const link = await redeemed(iam, options, request, asker)
  if (link?.isErr()) return { refusal: link.error }
  if (link?.isOk() && link.value.idpId !== idpId)
    return { refusal: { kind: 'PermissionDenied', permission: 'identity_provider.write', orgId } }
  const found = await iam.identityProviders.get({ idpId }, context)
  if (found.isErr()) return { refusal: found.error }
  if (request.method === 'GET') {
    const { url, tokens } = scim
    return { url: typeof url === 'function' ? url(ids) : url, ...(await tokens.list(ids)) }
  }
  // Tokens need the right to change the provider, which a dry run asks for. Callers who have it may also issue tokens
  // for a provider that code declares (Protected). A link may do so for its own draft only.
  const autoRegister = !found.value.autoRegister
  const trial = await iam.identityProviders.patch(
    { idpId, autoRegister },
    { ...context, dryRun: true },
  )
  if (trial.isErr() && (link || trial.error.kind !== 'Protected')) return { refusal: trial.error }
  if (request.method === 'POST') return { token: await scim.tokens.issue(ids) }
  await scim.tokens.revoke(ids, query.get('id') ?? '')
  return {}
}
