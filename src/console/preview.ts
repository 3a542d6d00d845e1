import type { Iam, IamError } from '../index.js'
import type { HttpRequest } from '../transport/http.js'
import type { Asker } from './directory.js'
import type { ConsoleOptions } from './options.js'
import type { MountOptions } from './page.js'
import { providerIn, setUpOf } from './set-up.js'

/** Where to send the window of the preview, and the cookie that its callback needs; or why it cannot begin. */
export type BegunPreview =
  | { readonly url: string; readonly cookie: string }
  | { readonly refusal: IamError }
  | { readonly kind: string }

/**
 * Begins the preview of a sign-in for a caller who may read the provider and its role mappings; for the holder of a
 * set-up link, with the provider of the link alone.
 */
export const beginPreview = async (
  iam: Iam,
  options: MountOptions & { readonly previewSignIn: NonNullable<ConsoleOptions['previewSignIn']> },
  request: Pick<HttpRequest, 'query'>,
  asker: Asker,
): Promise<BegunPreview> => {
  const known = await setUpOf(iam, options, request, asker)
  if ('refusal' in known) return known
  const readable = await iam.roleMappings.list({ pageSize: 1 }, asker)
  if (readable.isErr()) return { refusal: readable.error }
  const ids = { orgId: asker.orgId, idpId: providerIn(request, asker) }
  const begun = await options.previewSignIn({ ...ids, preview: true })
  if (begun.isErr()) return { kind: begun.error.kind }
  return { url: begun.value.url, cookie: begun.value.cookie }
}
