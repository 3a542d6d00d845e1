import type { Iam } from '../index.js'
import type { HttpRequest } from '../transport/http.js'
import type { Asker } from './directory.js'
import type { MountOptions } from './page.js'
import { type Answer, linkOf } from './set-up.js'

/**
 * `GET`: the URL, tokens and refusals of a provider; empty if the host serves no SCIM. `POST`: a new token. `DELETE`:
 * ends a token. Needs `identity_provider.read`, and `identity_provider.write` for both changes.
 */
export const scimOf = async (
  iam: Iam,
  options: MountOptions,
  request: Pick<HttpRequest, 'method' | 'query'>,
  asker: Asker,
): Promise<Answer> => {
  const { scim } = options
  if (!scim) return {}
  const query = new URLSearchParams(request.query)
  const idpId = query.get('idp_id') ?? ''
  const { orgId } = asker
  const ids = { orgId, idpId }
  const link = linkOf(asker)
  if (link && link.idpId !== idpId)
    return { refusal: { kind: 'PermissionDenied', permission: 'identity_provider.write', orgId } }
  const found = await iam.identityProviders.get({ idpId }, asker)
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
    { ...asker, dryRun: true },
  )
  if (trial.isErr() && (link || trial.error.kind !== 'Protected')) return { refusal: trial.error }
  if (request.method === 'POST') return { token: await scim.tokens.issue(ids) }
  await scim.tokens.revoke(ids, query.get('id') ?? '')
  return {}
}
